package agents

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/rnixfs/rnixfs/kernel/durable"
	"github.com/rnixfs/rnixfs/kernel/memory"
)

// backupSuffix names the copy that is kept beside a settings file.
const backupSuffix = ".rnixfs-backup"

// Settings is a settings file before a change.
type Settings struct {
	Path   string // as it was named; may be a link
	Text   []byte
	Exists bool

	target string // behind the links
	mode   fs.FileMode
	owner  *syscall.Stat_t
}

// ReadSettings reads a settings file. None at all is no error.
func ReadSettings(path string) (*Settings, error) {
	s := &Settings{Path: path, target: path, mode: 0o644 &^ umask()}
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
	s.Exists, s.mode = true, fi.Mode().Perm()
	s.owner, _ = fi.Sys().(*syscall.Stat_t)
	return s, nil
}

// umask is this process's, which can only be read by setting it (umask(2)).
func umask() fs.FileMode {
	mask := syscall.Umask(0o077)
	syscall.Umask(mask)
	return fs.FileMode(mask)
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

// write replaces a file by one with the mode and the owner of the settings.
func (s *Settings) write(path string, text []byte) error {
	err := durable.ReplaceWith(path, s.mode, func(f *os.File) error {
		_, err := f.Write(text)
		if s.owner != nil && os.Geteuid() == 0 { // root may install for another user
			err = errors.Join(err, f.Chown(int(s.owner.Uid), int(s.owner.Gid)), f.Chmod(s.mode))
		}
		return err
	})
	if err != nil {
		return fileError("write settings", err)
	}
	return nil
}

// unchanged reads the file again: the agent may have written it meanwhile.
func (s *Settings) unchanged() error {
	text, _, err := readFile(s.target)
	if none := errors.Is(err, fs.ErrNotExist); none != !s.Exists || err == nil && !bytes.Equal(text, s.Text) {
		return memory.Errorf(memory.KindConflict, "write settings", "%s was changed by somebody else at this moment; try again", s.target)
	} else if err != nil && !none {
		return err
	}
	return nil
}

// fileError gives an error of the file system its kind.
func fileError(op string, err error) error {
	kind := memory.KindInternal
	if errors.Is(err, fs.ErrPermission) {
		kind = memory.KindDenied
	}
	return memory.Errorf(kind, op, "%w", err)
}
