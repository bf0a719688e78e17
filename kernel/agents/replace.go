package agents

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

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

// write replaces a file by one with the mode and the owner of the settings.
func (s *Settings) write(path string, text []byte) (err error) {
	mode := s.mode
	if !s.Exists {
		mode = 0o644
	}
	temp := fmt.Sprintf("%s.%d.new", path, os.Getpid())
	os.Remove(temp) // of a process of this number that was killed
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return fileError("write settings", err)
	}
	defer func() {
		if err != nil {
			os.Remove(temp)
			err = fileError("write settings", err)
		}
	}()
	_, err = f.Write(text)
	if s.Exists { // else the umask decides
		err = errors.Join(err, keepOwner(f, s.uid, s.gid), f.Chmod(mode))
	}
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// keepOwner gives the file to the owner it had: root may install for another user.
func keepOwner(f *os.File, uid, gid int) error {
	if os.Geteuid() != 0 {
		return nil
	}
	return f.Chown(uid, gid)
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// fileError gives an error of the file system its kind.
func fileError(op string, err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return memory.Errorf(memory.KindDenied, op, "%w", err)
	default:
		return memory.Errorf(memory.KindInternal, op, "%w", err)
	}
}
