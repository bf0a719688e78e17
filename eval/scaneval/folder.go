package scaneval

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rnixfs/rnixfs/kernel/process/transcript"
	"github.com/rnixfs/rnixfs/kernel/scanner"
)

// maxFile is the longest file that a folder's texts are taken from, in bytes.
const maxFile = 2 << 20

// Found says on how many texts the rules fire.
type Found struct {
	Texts   int
	Flagged int
	Refused int            // could not be judged; counted as flagged
	Rules   map[string]int // texts by rule
}

// Folder scans the turns of the conversations below a folder, and the paragraphs of
// its other text files. It calls show, unless that is nil, with each finding.
func Folder(ctx context.Context, dir string, s *scanner.Scanner, show func(path string, f scanner.Finding)) (Found, error) {
	n := Found{Rules: map[string]int{}}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		return texts(ctx, path, func(text string) error {
			rep, err := s.Scan(ctx, []scanner.Field{{Text: text}})
			n.Texts++
			n.Refused += count(err != nil)
			list := slices.Concat(rep.Findings, rep.Redactions)
			n.Flagged += count(err != nil || len(list) > 0)
			fired := map[string]bool{}
			for _, f := range list {
				fired[f.Rule] = true
				if show != nil {
					show(path, f)
				}
			}
			for rule := range fired {
				n.Rules[rule]++
			}
			return ctx.Err()
		})
	})
	return n, err
}

// texts calls f with the turns or the paragraphs of a file.
func texts(ctx context.Context, path string, f func(string) error) error {
	if format, err := transcript.Detect(path); err == nil {
		for chunk, err := range format.Read(ctx, path) {
			if err != nil && !errors.Is(err, transcript.ErrSkipped) {
				return err
			}
			for _, t := range chunk.Turns {
				if err := f(t.Content); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if info, err := os.Stat(path); err != nil || info.Size() > maxFile {
		return err
	}
	raw, err := os.ReadFile(path)
	if err != nil || bytes.IndexByte(raw, 0) >= 0 || !utf8.Valid(raw) {
		return err
	}
	for p := range strings.SplitSeq(strings.ReplaceAll(string(raw), "\r\n", "\n"), "\n\n") {
		if strings.TrimSpace(p) == "" {
			continue
		}
		if err := f(p); err != nil {
			return err
		}
	}
	return nil
}

// PrintFound shows on how many texts the rules fire, those that fire most first.
func PrintFound(w io.Writer, n Found) error {
	ids := slices.SortedFunc(maps.Keys(n.Rules), func(a, b string) int {
		if n.Rules[a] != n.Rules[b] {
			return n.Rules[b] - n.Rules[a]
		}
		return strings.Compare(a, b)
	})
	var err error
	line := func(name string, k int) {
		_, e := fmt.Fprintf(w, "%-32s %6d of %d texts  %7.3f in 1,000\n", name, k, n.Texts, 10*percent(k, n.Texts))
		err = errors.Join(err, e)
	}
	for _, id := range ids {
		line(id, n.Rules[id])
	}
	line("refused to judge", n.Refused)
	line("ALL", n.Flagged)
	return err
}
