package process

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/rnixfs/rnixfs/kernel/durable"
)

// Options of a [Store]. The zero value reads; to take turns it needs Redact.
type Options struct {
	UID      uint32           // whose conversations they are
	Redact   Redactor         // nil: nothing is taken
	Now      func() time.Time // default time.Now
	OpenLogs int              // conversations whose ids are kept in memory; default 64
}

// Store keeps the conversations of one user. It is safe for concurrent use, and
// any number of programs may have the same folder. It holds no file open between
// calls and needs no Close.
type Store struct {
	projects
	opts Options

	cleaner cleaner
	logs    logs
	counts  counts

	saltMu sync.Mutex
	salt   []byte // guarded by saltMu
}

// Open opens the store in a folder, which need not be there: the first Begin
// makes it. It finishes removals that a crash cut off.
func Open(folder string, opts Options) (*Store, error) {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.OpenLogs <= 0 {
		opts.OpenLogs = 64
	}
	s := &Store{
		projects: projects(filepath.Join(folder, projectsName)), opts: opts, cleaner: cleaner{redact: opts.Redact},
		logs: logs{most: opts.OpenLogs, by: map[place]*log{}},
	}
	root, err := s.root()
	if err != nil {
		return s, failure(opOpen, unlessGone(err))
	}
	defer root.Close()
	return s, failure(opOpen, sweep(root))
}

// Folder is where a project's conversations lie.
type Folder struct {
	Path      string // holds project.json and the two below
	Processes string // a folder a conversation
	Index     string // kept by recall; a cache
}

// Folder returns the places of a project, which need not be there.
func (s *Store) Folder(project string) (Folder, error) {
	if err := checkProject(project); err != nil {
		return Folder{}, err
	}
	at := filepath.Join(string(s.projects), folderName(project))
	return Folder{Path: at, Processes: filepath.Join(at, processesName), Index: filepath.Join(at, indexName)}, nil
}

// withLog runs fn with a conversation's locks held: no one else, of all programs,
// appends to it, describes it anew or removes it.
func (s *Store) withLog(ctx context.Context, root *os.Root, at place, fn func(*log, *os.File) error) error {
	l := s.logs.of(at)
	l.mu.Lock()
	defer l.mu.Unlock()
	if !isDir(root, at.of("")) {
		return os.ErrNotExist
	}
	f, err := openFile(root, at.of(turnsFile), os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := lock(ctx, f, durable.Exclusive); err != nil {
		return err
	}
	// While the lock was waited for, the conversation may have been removed.
	mine, err := f.Stat()
	if err != nil {
		return err
	}
	if there, err := root.Lstat(at.of(turnsFile)); err != nil || !os.SameFile(mine, there) {
		return os.ErrNotExist
	}
	return fn(l, f)
}
