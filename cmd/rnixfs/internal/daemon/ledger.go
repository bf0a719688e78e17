package daemon

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// ledger remembers the files that were imported, such that one that has not
// changed is not read again. It is a cache: without it all is read again, and
// nothing is kept twice.
type ledger struct {
	file    string
	changed bool
	Version int                 `json:"version"`
	Files   map[string]fileMark `json:"files"` // by absolute path
}

const ledgerVersion = 1

// fileMark is how a file was when it was imported, and with what result.
type fileMark struct {
	Size          int64     `json:"size"`
	Modified      time.Time `json:"modified"`
	Inode         uint64    `json:"inode"`
	Log           int64     `json:"log,omitempty"` // size and time of a database's write-ahead log
	LogModified   time.Time `json:"log_modified,omitzero"`
	Format        string    `json:"format"`
	Conversations int       `json:"conversations"`
}

// markOf looks at a file before it is read: what is written to it meanwhile makes
// it another. A folder has no mark.
func markOf(path string) (fileMark, bool) {
	fi, err := os.Stat(path)
	if err != nil || !fi.Mode().IsRegular() {
		return fileMark{}, false
	}
	m := fileMark{Size: fi.Size(), Modified: fi.ModTime().UTC()}
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		m.Inode = st.Ino
	}
	// SQLite keeps the newest changes beside the database (sqlite.org/wal.html).
	if fi, err := os.Stat(path + "-wal"); err == nil {
		m.Log, m.LogModified = fi.Size(), fi.ModTime().UTC()
	}
	return m, true
}

func readLedger(file string) *ledger {
	l := &ledger{file: file}
	raw, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(raw, l) != nil || l.Version != ledgerVersion || l.Files == nil {
		l.Version, l.Files = ledgerVersion, map[string]fileMark{}
	}
	return l
}

func (l *ledger) unchanged(path string, m fileMark) bool {
	known, ok := l.Files[path]
	m.Format, m.Conversations = known.Format, known.Conversations
	return ok && known == m
}

func (l *ledger) note(path string, m fileMark) {
	l.Files[path] = m
	l.changed = true
}

// write keeps the ledger, whole or not at all.
func (l *ledger) write() error {
	if !l.changed {
		return nil
	}
	raw, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(l.file), 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(l.file), ".imports-*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(append(raw, '\n'))
	err = errors.Join(err, tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), l.file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	l.changed = false
	return nil
}
