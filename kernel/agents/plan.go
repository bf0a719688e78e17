package agents

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Plan is what an installation or its removal makes of a settings file.
type Plan struct {
	File  *Settings
	Text  []byte // what the file is to hold
	Keep  []byte // what the backup is to hold; nil for no backup
	Gone  bool   // the file is to be removed
	Exact bool   // Text is what was there before the installation, to the byte
}

// Changed reports whether there is anything to do.
func (p *Plan) Changed() bool {
	return p.Gone || !bytes.Equal(p.Text, p.File.Text)
}

// Install plans the entering of the hooks into a settings file.
func (a *Agent) Install(path string, c Command) (*Plan, error) {
	before, err := a.Uninstall(path, c)
	if err != nil {
		return nil, err
	}
	f := before.File
	if done, err := a.installed(f.Text, c); err != nil || done {
		return &Plan{File: f, Text: f.Text}, err
	}
	p := &Plan{File: f}
	if f.Exists && !before.Gone {
		p.Keep = before.Text
	}
	p.Text, err = a.Add(before.Text, c)
	return p, err
}

// Uninstall plans the taking out of the hooks. Where the file is what an
// installation made of the backup, it becomes the backup again; where it is what
// an installation made of nothing, it goes.
func (a *Agent) Uninstall(path string, c Command) (*Plan, error) {
	f, err := ReadSettings(path)
	if err != nil {
		return nil, err
	}
	p := &Plan{File: f}
	if p.Text, err = a.Remove(f.Text, c); err != nil || !f.Exists || bytes.Equal(p.Text, f.Text) {
		return p, err
	}
	was, _, err := readFile(f.Backup())
	if none := errors.Is(err, fs.ErrNotExist); err != nil && !none {
		return nil, err
	} else if added, aerr := a.Add(was, c); aerr == nil {
		if bare, rerr := a.Remove(added, c); rerr == nil && bytes.Equal(bare, p.Text) {
			p.Exact, p.Gone, p.Text = true, none, was
		}
	}
	return p, nil
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
