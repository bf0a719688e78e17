package agents

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Plan is what an installation or its removal makes of a settings file.
type Plan struct {
	File  *Settings
	What  []string // what it is about: hooks, MCP entry, writable folder
	Text  []byte   // what the file is to hold
	Keep  []byte   // what the backup is to hold; nil for no backup
	Gone  bool     // the file is to be removed
	Exact bool     // Text is what was there before the installation, to the byte
}

// Changed reports whether there is anything to do.
func (p *Plan) Changed() bool {
	return p.Gone || !bytes.Equal(p.Text, p.File.Text)
}

// Install plans the entering of what was asked for into a file. What else an earlier
// installation entered there stays.
func (f File) Install() (*Plan, error) {
	bare, err := f.Uninstall()
	if err != nil {
		return nil, err
	}
	p := &Plan{File: bare.File, Text: bare.Text}
	var all []string
	for _, part := range f.parts {
		if part.asked {
			all = append(all, part.name)
		} else if !slices.Contains(bare.What, part.name) {
			continue
		}
		has, err := part.has(p.File.Text)
		if err == nil {
			p.Text, err = part.add(p.Text)
		}
		if err != nil {
			return nil, err
		}
		if !has {
			p.What = append(p.What, part.name)
		}
	}
	if p.What == nil {
		p.What, p.Text = all, p.File.Text
	} else if p.File.Exists && !bare.Gone {
		p.Keep = bare.Text
	}
	return p, nil
}

// Uninstall plans the taking out of all that installations entered. Where the file is
// what an installation made of the backup, it becomes the backup again; where it is
// what an installation made of nothing, it goes.
func (f File) Uninstall() (*Plan, error) {
	s, err := ReadSettings(f.Path)
	if err != nil {
		return nil, err
	}
	p := &Plan{File: s, Text: s.Text}
	var there []part
	for _, part := range f.parts {
		before := p.Text
		if p.Text, err = part.remove(before); err != nil {
			return nil, err
		}
		if !bytes.Equal(p.Text, before) {
			there, p.What = append(there, part.part), append(p.What, part.name)
		}
	}
	if !s.Exists || len(there) == 0 {
		return p, nil
	}
	was, _, err := readFile(s.Backup())
	if none := errors.Is(err, fs.ErrNotExist); err != nil && !none {
		return nil, err
	} else if bytes.Equal(thereAndBack(was, there), p.Text) {
		p.Exact, p.Gone, p.Text = true, none, was
	}
	return p, nil
}

// thereAndBack is a text after parts were entered and taken out again: containers that
// were empty are gone. It is nil where that can't be.
func thereAndBack(text []byte, parts []part) []byte {
	var err error
	for _, p := range parts {
		if text, err = p.add(text); err != nil {
			return nil
		}
	}
	for _, p := range parts {
		if text, err = p.remove(text); err != nil {
			return nil
		}
	}
	return text
}

// Apply does what is planned: the backup first, then the file, each replaced as a
// whole. A file that has changed since it was read is left alone.
func (p *Plan) Apply() error {
	if !p.Changed() {
		return nil
	}
	f := p.File
	if f.Exists && f.mode&0o200 == 0 {
		return memory.Errorf(memory.KindReadOnly, "write settings", "%s is read-only; make it writable first", f.target)
	}
	if !f.Exists {
		if err := os.MkdirAll(filepath.Dir(f.target), 0o755); err != nil {
			return fileError("write settings", err)
		}
	}
	if p.Keep != nil {
		if err := f.write(f.Backup(), p.Keep); err != nil {
			return err
		}
	}
	if err := f.unchanged(); err != nil {
		return err
	}
	if p.Gone {
		if err := os.Remove(f.target); err != nil {
			return fileError("write settings", err)
		}
	} else if err := f.write(f.target, p.Text); err != nil {
		return err
	}
	if p.Exact && !p.Gone {
		if err := os.Remove(f.Backup()); err != nil {
			return fileError("remove the backup", err)
		}
	}
	return nil
}
