package file

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// What is not an entry stays out of a repository that the folder lies in
// (gitignore(5)): the journal has the texts of removed entries, too. The file hides
// itself, so that a folder without entries leaves a repository clean.
const (
	ignoreName = ".gitignore"
	ignoreHead = "# Made by rnixfs"
	ignored    = ignoreHead + `. The entries beside this file are yours to commit.
/.gitignore
.lock
.wal
.tmp-*
.rejected/
journal.jsonl*
.removed*
*.imported*
`
)

// ignore writes our .gitignore into the folder, or, where a person has one there,
// into the folder above. Where that has one, too, theirs in the folder is completed.
func (f *openFolder) ignore(path string) error {
	above, err := reach(filepath.Dir(path), f.opts, false)
	if err != nil {
		return err
	}
	defer above.Close()
	for _, at := range []*dir{f.dir, newDir(above)} {
		text, _, err := at.read(ignoreName)
		switch {
		case err == nil && string(text) == ignored:
			return nil
		case err == nil && len(text) > 0 && !strings.HasPrefix(string(text), ignoreHead) || err != nil && !errors.Is(err, os.ErrNotExist):
			continue // a person's
		case at.put(ignoreName, []byte(ignored)) == nil:
			return nil
		}
	}
	return f.dir.completeIgnore()
}

// completeIgnore adds what a person's file lacks.
func (d *dir) completeIgnore() error {
	text, info, err := d.read(ignoreName)
	if err != nil {
		return err
	}
	add := missingLines(string(text))
	if add == "" {
		return nil
	}
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		add = "\n" + add
	}
	file, err := d.Open(ignoreName, unix.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteAt([]byte(add), info.Size)
	return errors.Join(err, file.Close())
}

// missingLines are the patterns of ours that a text lacks, but the one for the file
// itself, which is a person's.
func missingLines(text string) string {
	have := strings.Split(text, "\n")
	var add strings.Builder
	for line := range strings.Lines(ignored) {
		pattern := strings.TrimSpace(line)
		if pattern == "/"+ignoreName || strings.HasPrefix(pattern, "#") || slices.Contains(have, pattern) {
			continue
		}
		add.WriteString(line)
	}
	return add.String()
}
