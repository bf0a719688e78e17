package importer

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/rnixfs/rnixfs/kernel/durable"
)

// ledger remembers the files that were imported, so that a file that has not
// changed is not read again. It is a cache: without it all is read again, and
// nothing is kept twice.
type ledger struct {
	file    string
	changed bool
	Version int                  `json:"version"`
	Files   map[string]fileState `json:"files"` // by absolute path
}

const ledgerVersion = 1

// fileState is how a file was when it was imported.
type fileState struct {
	Size        int64     `json:"size"`
	Modified    time.Time `json:"modified"`
	Inode       uint64    `json:"inode"`
	Log         int64     `json:"log,omitempty"` // size and time of a database's write-ahead log
	LogModified time.Time `json:"log_modified,omitzero"`
	Empty       string    `json:"empty,omitempty"` // why no conversation came of it
}

// stateOf looks at a file before it is read, so that what is written to it
// meanwhile counts as a change. A folder has no state.
func stateOf(path string) (fileState, bool) {
	fi, err := os.Stat(path)
	if err != nil || !fi.Mode().IsRegular() {
		return fileState{}, false
	}
	s := fileState{Size: fi.Size(), Modified: fi.ModTime().UTC()}
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		s.Inode = st.Ino
	}
	// SQLite keeps the newest changes beside the database (sqlite.org/wal.html).
	if fi, err := os.Stat(path + "-wal"); err == nil {
		s.Log, s.LogModified = fi.Size(), fi.ModTime().UTC()
	}
	return s, true
}

func readLedger(file string) *ledger {
	l := &ledger{file: file}
	raw, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(raw, l) != nil || l.Version != ledgerVersion || l.Files == nil {
		l.Version, l.Files = ledgerVersion, map[string]fileState{}
	}
	return l
}

func (l *ledger) unchanged(path string, s fileState) bool {
	known, ok := l.Files[path]
	known.Empty = ""
	return ok && known == s
}

// Empty returns the files that were imported as they are, and of which no
// conversation came, by path. ledger is the file of an Importer.
func Empty(ledger string) []Failure {
	var out []Failure
	l := readLedger(ledger)
	for _, path := range slices.Sorted(maps.Keys(l.Files)) {
		if s, ok := stateOf(path); ok && l.Files[path].Empty != "" && l.unchanged(path, s) {
			out = append(out, Failure{Path: path, Error: l.Files[path].Empty})
		}
	}
	return out
}

func (l *ledger) note(path string, s fileState) {
	l.Files[path] = s
	l.changed = true
}

func (l *ledger) write() error {
	if !l.changed {
		return nil
	}
	err := durable.ReplaceJSON(l.file, l)
	l.changed = err != nil
	return err
}
