package agents

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// The marks of the block in a file of instructions. It goes to the end of the file; one
// without a last line end has none afterwards either.
const (
	toldBegin = "<!-- rnixfs: begin -->\n"
	toldEnd   = "<!-- rnixfs: end -->"
)

var toldBlock = regexp.MustCompile(`(?s)(?:^|\n)(` + toldBegin + `.*?\n` + toldEnd + `)(?:\n|$)`)

// Instructions is the file in a project whose text this agent is given.
func (a *Agent) Instructions(project string) string { return filepath.Join(project, a.memo) }

// Tell plans the entering of lines into a file of instructions, as a marked block, in the
// place of the one that is there; "" takes it out. What is no file is refused, and so is
// a link: it may lead out of the project.
func Tell(path, lines string) (*Plan, error) {
	const op = "write instructions"
	if fi, err := os.Lstat(path); err == nil && !fi.Mode().IsRegular() {
		return nil, memory.Errorf(memory.KindInvalid, op, "%s is a link or no file, so it is left alone", path)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fileError(op, err)
	}
	f, err := ReadSettings(path)
	if err != nil {
		return nil, err
	}
	p := &Plan{File: f, Text: withoutBlock(f.Text)}
	if bytes.Contains(p.Text, []byte(toldBegin)) || bytes.Contains(p.Text, []byte(toldEnd)) {
		return nil, memory.Errorf(memory.KindInvalid, op, "%s has a mark of rnixfs without its other; remove it", path)
	}
	if lines != "" {
		p.Text = withBlock(f.Text, toldBegin+lines+toldEnd)
	}
	p.Gone = f.Exists && len(f.Text) > 0 && len(p.Text) == 0
	return p, nil
}

func withBlock(text []byte, block string) []byte {
	if at := toldBlock.FindSubmatchIndex(text); at != nil {
		return slices.Concat(text[:at[2]], []byte(block), text[at[3]:])
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		return append(bytes.Clone(text), "\n"+block...)
	}
	return append(bytes.Clone(text), block+"\n"...)
}

func withoutBlock(text []byte) []byte {
	at := toldBlock.FindIndex(text)
	if at == nil {
		return text
	}
	before, after := text[:at[0]], text[at[1]:]
	if text[at[0]] == '\n' && text[at[1]-1] == '\n' { // the line end before the block is not ours
		before = text[:at[0]+1]
	}
	return append(bytes.Clone(before), after...)
}
