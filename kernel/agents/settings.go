package agents

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// maxSettings bounds a settings file.
const maxSettings = 8 << 20

// backupSuffix names the copy that is kept beside a settings file.
const backupSuffix = ".rnixfs-backup"

// Settings is a settings file as it is found.
type Settings struct {
	Path   string // as it was named; may be a link
	Text   []byte
	Exists bool

	target string // behind the links
	mode   fs.FileMode
	uid    int
	gid    int
}

// ReadSettings reads a settings file. None at all is no error.
func ReadSettings(path string) (*Settings, error) {
	s := &Settings{Path: path, target: path}
	fi, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil && fi.Mode()&fs.ModeSymlink != 0 {
		if s.target, err = filepath.EvalSymlinks(path); errors.Is(err, fs.ErrNotExist) {
			return nil, memory.Errorf(memory.KindInvalid, "read settings", "%s is a link that leads nowhere", path)
		}
	}
	if err != nil {
		return nil, fileError("read settings", err)
	}
	s.Text, fi, err = readFile(s.target)
	if err != nil {
		return nil, err
	}
	s.Exists, s.mode, s.uid, s.gid = true, fi.Mode().Perm(), os.Getuid(), os.Getgid()
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		s.uid, s.gid = int(st.Uid), int(st.Gid)
	}
	return s, nil
}

func readFile(path string) ([]byte, fs.FileInfo, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe would block
	if err != nil {
		return nil, nil, fileError("read settings", err)
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, nil, fileError("read settings", err)
	}
	if !fi.Mode().IsRegular() {
		return nil, nil, memory.Errorf(memory.KindInvalid, "read settings", "%s is not a file", path)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxSettings+1))
	if err != nil {
		return nil, nil, fileError("read settings", err)
	}
	if len(text) > maxSettings {
		return nil, nil, memory.Errorf(memory.KindTooBig, "read settings", "%s is larger than %d MiB", path, maxSettings>>20)
	}
	return text, fi, nil
}

// Backup is where the copy of the file is kept.
func (s *Settings) Backup() string { return s.target + backupSuffix }

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
