package writebackeval

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/process/transcript"
)

// agents is the folder below the data that holds conversations and their labels.
const agents = "agents"

// each calls fn with every conversation of the data, and its name: its path below
// agents with slashes.
func each(ctx context.Context, data string, fn func(name string, c process.Transcript) error) error {
	if data == "" {
		return memory.Errorf(memory.KindInvalid, "measure writeback", "no data folder given")
	}
	root := filepath.Join(data, agents)
	return filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Dir(file) == root {
			return err
		}
		c, err := history(ctx, file)
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, file)
		return fn(filepath.ToSlash(name), c)
	})
}

// history reads a file of one conversation. Turns without an id get one, as the store
// of conversations gives them.
func history(ctx context.Context, file string) (process.Transcript, error) {
	var whole process.Transcript
	format, err := transcript.Detect(file)
	if err != nil && filepath.Ext(file) == ".md" { // of SpecStory, from when its files had no mark
		i := slices.IndexFunc(transcript.Formats(), func(f transcript.Format) bool { return f.Name() == "specstory" })
		format, err = transcript.Formats()[i], nil
	}
	if err != nil {
		return whole, err
	}
	for chunk, err := range format.Read(ctx, file) {
		if errors.Is(err, transcript.ErrSkipped) {
			continue
		}
		if err != nil {
			return whole, err
		}
		whole.Conversation = chunk.Conversation
		whole.Turns = append(whole.Turns, chunk.Turns...)
	}
	for i := range whole.Turns {
		whole.Turns[i].ID = cmp.Or(whole.Turns[i].ID, "turn "+strconv.Itoa(i+1))
	}
	return whole, nil
}

// projectOf is the name that a conversation's project goes by.
func projectOf(name string, c process.Transcript) string {
	if c.Project != "" {
		return path.Base(c.Project)
	}
	return path.Dir(name)
}

// holds says whether one of some turns has an anchor.
func holds(c process.Transcript, turns []string, anchor string) bool {
	return anchor != "" && slices.ContainsFunc(c.Turns, func(t process.Turn) bool {
		return slices.Contains(turns, t.ID) && strings.Contains(t.Content, anchor)
	})
}

func readLines[T any](text []byte) (out []T, err error) {
	scan := bufio.NewScanner(bytes.NewReader(text))
	scan.Buffer(nil, 4<<20)
	for scan.Scan() {
		var v T
		if err := json.Unmarshal(scan.Bytes(), &v); err != nil {
			return nil, memory.Errorf(memory.KindInvalid, "read labels", "%w", err)
		}
		out = append(out, v)
	}
	return out, scan.Err()
}

func readFile(file string) ([]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, memory.Errorf(memory.KindNotFound, "read labels", "%w", err)
	}
	return text, nil
}
