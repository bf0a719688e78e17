package file

import (
	"errors"
	"io"
	"maps"
	"os"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// shadowFS is a folder that can be read, with every change kept in memory: what
// opens it recovers, settles and locks as ever, and the folder stays as it is.
type shadowFS struct {
	real FS // nil: there is no folder

	mu    sync.Mutex
	nodes map[string]*node // what is not as in the real folder; nil: not there
	last  uint64           // inode number given last
}

// firstInode is beyond the numbers that file systems give.
const firstInode = 1 << 63

// node is one file; guarded by shadowFS.mu.
type node struct {
	real string // of the real folder, as long as nothing was written; ""
	data []byte
	info Info // without size, unless real
}

func newShadowFS(disk FS) *shadowFS { return &shadowFS{real: disk, nodes: map[string]*node{}} }

// find returns what stands under a name. mu is held.
func (s *shadowFS) find(name string) (*node, error) {
	if n, ok := s.nodes[name]; ok {
		if n == nil {
			return nil, unix.ENOENT
		}
		return n, nil
	}
	if s.real == nil {
		return nil, unix.ENOENT
	}
	info, err := s.real.Lstat(name)
	if err != nil {
		return nil, err
	}
	return &node{real: name, info: info}, nil
}

// Open implements FS. A file of rnixfs's own that can't be read counts as one that
// is not there: the entries can be read without it.
func (s *shadowFS) Open(name string, flags int, _ uint32) (File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.find(name)
	if err == nil && flags&unix.O_EXCL != 0 {
		return nil, unix.EEXIST
	}
	var base File
	if err == nil && n.real != "" {
		base, err = s.real.Open(n.real, unix.O_RDONLY, 0)
		if unwritable(err) && isOwn(name) {
			s.nodes[name] = nil
			err = unix.ENOENT
		}
	}
	if errors.Is(err, os.ErrNotExist) && flags&unix.O_CREAT != 0 {
		s.last++
		n, err = &node{data: []byte{}, info: Info{Inode: firstInode + s.last, Regular: true}}, nil
	}
	if err != nil {
		return nil, err
	}
	if flags&(unix.O_RDWR|unix.O_WRONLY|unix.O_CREAT) != 0 {
		s.nodes[name] = n
	}
	return &shadowFile{fs: s, node: n, base: base}, nil
}

// isOwn reports whether a file is made by rnixfs and never by hand.
func isOwn(name string) bool { return name == lockName || name == walName || name == journalName }

// OpenUnnamed implements FS.
func (s *shadowFS) OpenUnnamed(uint32) (File, error) { return nil, unix.EOPNOTSUPP }

// Link implements FS.
func (s *shadowFS) Link(File, string) error { return unix.EOPNOTSUPP }

// Lstat implements FS.
func (s *shadowFS) Lstat(name string) (Info, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.find(name)
	if err != nil {
		return Info{}, err
	}
	return n.stat(), nil
}

func (n *node) stat() Info {
	info := n.info
	if n.real == "" {
		info.Size = int64(len(n.data))
	}
	return info
}

// ReadDir implements FS.
func (s *shadowFS) ReadDir(name string) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	there := map[string]bool{}
	if made := s.nodes[name]; s.real != nil && made == nil {
		names, err := s.real.ReadDir(name)
		if err != nil {
			return nil, err
		}
		for _, one := range names {
			there[one] = true
		}
	} else if made == nil && name != "." {
		return nil, unix.ENOENT
	}
	prefix := name + "/"
	if name == "." {
		prefix = ""
	}
	for path, n := range s.nodes {
		base, ok := strings.CutPrefix(path, prefix)
		switch {
		case !ok || strings.Contains(base, "/"):
		case n == nil:
			delete(there, base)
		default:
			there[base] = true
		}
	}
	out := make([]string, 0, len(there))
	for one := range maps.Keys(there) {
		out = append(out, one)
	}
	return out, nil
}

// Mkdir implements FS.
func (s *shadowFS) Mkdir(name string, _ uint32) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.find(name); !errors.Is(err, os.ErrNotExist) {
		return errors.Join(err, unix.EEXIST)
	}
	s.last++
	s.nodes[name] = &node{info: Info{Inode: firstInode + s.last, Dir: true}}
	return nil
}

// Chown implements FS.
func (s *shadowFS) Chown(string, int, int) error { return nil }

// Rename implements FS.
func (s *shadowFS) Rename(from, to string, how RenameMode) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.find(from)
	if err != nil {
		return err
	}
	old, err := s.find(to)
	switch {
	case err != nil && (how == Exchange || !errors.Is(err, os.ErrNotExist)):
		return err
	case err == nil && how == NoReplace:
		return unix.EEXIST
	}
	s.nodes[from], s.nodes[to] = nil, n
	if how == Exchange {
		s.nodes[from] = old
	}
	return nil
}

// Remove implements FS.
func (s *shadowFS) Remove(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.find(name); err != nil {
		return err
	}
	s.nodes[name] = nil
	return nil
}

// SyncDir implements FS.
func (s *shadowFS) SyncDir(string) error { return nil }

// SyncAll implements FS.
func (s *shadowFS) SyncAll() error { return nil }

// Close implements FS.
func (s *shadowFS) Close() error {
	if s.real == nil {
		return nil
	}
	return s.real.Close()
}

// shadowFile is an open node. Nobody else can lock what only this process sees.
type shadowFile struct {
	fs   *shadowFS
	node *node
	base File // nil: made in memory
}

func (f *shadowFile) ReadAt(b []byte, off int64) (int, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if f.node.real != "" {
		return f.base.ReadAt(b, off)
	}
	n := 0
	if off < int64(len(f.node.data)) {
		n = copy(b, f.node.data[off:])
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// own makes the bytes the node's. mu is held.
func (f *shadowFile) own() error {
	if f.node.real == "" {
		return nil
	}
	data, err := readWhole(f.base)
	if err != nil {
		return err
	}
	f.node.real, f.node.data = "", data
	return nil
}

// readWhole reads a file of any size.
func readWhole(f File) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return readSize(f, info.Size)
}

func (f *shadowFile) WriteAt(b []byte, off int64) (int, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if err := f.own(); err != nil {
		return 0, err
	}
	if more := off + int64(len(b)) - int64(len(f.node.data)); more > 0 {
		f.node.data = append(f.node.data, make([]byte, more)...)
	}
	return copy(f.node.data[off:], b), nil
}

func (f *shadowFile) Truncate(size int64) error {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if err := f.own(); err != nil {
		return err
	}
	if more := size - int64(len(f.node.data)); more > 0 {
		f.node.data = append(f.node.data, make([]byte, more)...)
	}
	f.node.data = f.node.data[:size]
	return nil
}

func (f *shadowFile) Stat() (Info, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	if f.node.real != "" {
		return f.base.Stat() // it may have grown since the name was looked at
	}
	return f.node.stat(), nil
}

func (f *shadowFile) Close() error {
	if f.base == nil {
		return nil
	}
	return f.base.Close()
}

func (f *shadowFile) Sync() error                { return nil }
func (f *shadowFile) Datasync() error            { return nil }
func (f *shadowFile) Reserve(int64, int64) error { return nil }
func (f *shadowFile) Chown(int, int) error       { return nil }
func (f *shadowFile) TryLock() (bool, error)     { return true, nil }
func (f *shadowFile) TryGate() (bool, error)     { return true, nil }
func (f *shadowFile) Unlock() error              { return nil }
func (f *shadowFile) Ungate() error              { return nil }
