package process

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// changesName is the file of a project that says which conversations have changed, a
// uuid a line. It is a hint for programs that run at the same time: it is never
// synced, and begins anew when it is large.
const (
	changesName = ".changes"
	maxChanges  = 1 << 20
)

// Cursor is a position in the changes of a project. The zero value is before all.
type Cursor struct {
	Inode uint64 `json:"inode"`
	Size  int64  `json:"size"`
}

// Changes returns the conversations of a project that changed since the cursor, each
// once, and the cursor from here on. With all, any of them may have: the cursor is
// of another file, or of none.
//
// What was acknowledged before the call is among the changes, whichever program
// kept it. After a crash of the machine cursors from before mean nothing.
func (s *Store) Changes(project string, since Cursor) (uuids []string, all bool, next Cursor, err error) {
	defer wrap(opRead, &err)
	folder, err := s.Folder(project)
	if err != nil {
		return nil, false, since, err
	}
	f, err := os.OpenFile(filepath.Join(folder.Path, changesName), os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil, since != Cursor{}, Cursor{}, nil
	}
	if err != nil {
		return nil, true, Cursor{}, err
	}
	defer f.Close()
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return nil, true, Cursor{}, err
	}
	next = Cursor{Inode: st.Ino, Size: st.Size - st.Size%changeLine}
	if next.Inode != since.Inode || next.Size < since.Size {
		return nil, true, next, nil
	}
	text := make([]byte, next.Size-since.Size)
	if _, err := f.ReadAt(text, since.Size); unlessEnd(err) != nil {
		return nil, true, Cursor{}, err
	}
	seen := map[string]bool{}
	for line := range bytes.Lines(text) {
		uuid := string(bytes.TrimSuffix(line, []byte("\n")))
		if checkUUID(uuid) != nil { // not what we wrote: it can't be relied on
			return nil, true, next, nil
		}
		if !seen[uuid] {
			seen[uuid] = true
			uuids = append(uuids, uuid)
		}
	}
	return uuids, false, next, nil
}

// changeLine is the length of a line: a uuid and its newline.
const changeLine = 37

// changed notes a change before it is acknowledged. If it can't be noted, the file is
// removed, so that every follower reads all conversations again.
func (s *Store) changed(project, uuid string) {
	folder, err := s.Folder(project)
	if err != nil {
		return
	}
	path := filepath.Join(folder.Path, changesName)
	if appendLine(path, uuid) != nil {
		_ = os.Remove(path) // and if that fails, the disk has other worries
	}
}

// appendLine appends a line in one write, which O_APPEND keeps whole among those
// of other programs (write(2)).
func appendLine(path, line string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteString(line + "\n"); err != nil {
		return err
	}
	if fi, err := f.Stat(); err == nil && fi.Size() > maxChanges {
		return errors.New("it is large enough")
	}
	return nil
}
