package file

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/durable"
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
func ignore(dir string, owner *Owner) error {
	for _, at := range []string{dir, filepath.Dir(dir)} {
		text, err := readIgnore(at)
		if err != nil || text != "" && !strings.HasPrefix(text, ignoreHead) {
			continue // a person's
		}
		if text == ignored || writeIgnore(at, ignored, 0o600, owner) == nil {
			return nil
		}
	}
	path := filepath.Join(dir, ignoreName)
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	text, err := readIgnore(dir)
	if err != nil {
		return err
	}
	add := missingLines(text)
	if add == "" {
		return nil
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return writeIgnore(dir, text+add, info.Mode().Perm(), owner)
}

// readIgnore reads the .gitignore of a folder; "" where there is none, and another
// text for what can't be read as one.
func readIgnore(dir string) (string, error) {
	path := filepath.Join(dir, ignoreName)
	info, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil || !info.Mode().IsRegular() {
		return "not a file", err
	}
	text, err := os.ReadFile(path)
	return string(text), err
}

func writeIgnore(dir, text string, mode os.FileMode, owner *Owner) error {
	path := filepath.Join(dir, ignoreName)
	if err := durable.Replace(path, []byte(text), mode); err != nil {
		return err
	}
	return give(path, owner)
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
