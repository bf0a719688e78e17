package file_test

import (
	"sync"

	"github.com/rnixfs/rnixfs/kernel/memory/file"
)

// hookFS calls a hook before every operation that a disk could fail, and does
// not do the operation when the hook returns an error.
type hookFS struct {
	file.FS
	mu   *sync.Mutex
	hook func(op, name string) error
}

func withHook(hook func(op, name string) error) func(string) (file.FS, error) {
	return func(dir string) (file.FS, error) {
		fsys, err := file.OpenOS(dir)
		return &hookFS{FS: fsys, mu: &sync.Mutex{}, hook: hook}, err
	}
}

func (h *hookFS) call(op, name string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.hook(op, name)
}

func (h *hookFS) Open(name string, flags int, perm uint32) (file.File, error) {
	if err := h.call("open", name); err != nil {
		return nil, err
	}
	f, err := h.FS.Open(name, flags, perm)
	if err != nil {
		return nil, err
	}
	return &hookFile{File: f, fs: h, name: name}, nil
}

func (h *hookFS) Lstat(name string) (file.Info, error) {
	if err := h.call("lstat", name); err != nil {
		return file.Info{}, err
	}
	return h.FS.Lstat(name)
}

func (h *hookFS) ReadDir(name string) ([]string, error) {
	if err := h.call("readdir", name); err != nil {
		return nil, err
	}
	return h.FS.ReadDir(name)
}

func (h *hookFS) Mkdir(name string, perm uint32) error {
	if err := h.call("mkdir", name); err != nil {
		return err
	}
	return h.FS.Mkdir(name, perm)
}

func (h *hookFS) Rename(from, to string, how file.RenameMode) error {
	if err := h.call("rename", to); err != nil {
		return err
	}
	return h.FS.Rename(from, to, how)
}

func (h *hookFS) Remove(name string) error {
	if err := h.call("remove", name); err != nil {
		return err
	}
	return h.FS.Remove(name)
}

func (h *hookFS) SyncDir(name string) error {
	if err := h.call("syncdir", name); err != nil {
		return err
	}
	return h.FS.SyncDir(name)
}

func (h *hookFS) SyncAll() error {
	if err := h.call("syncfs", ""); err != nil {
		return err
	}
	return h.FS.SyncAll()
}

type hookFile struct {
	file.File
	fs   *hookFS
	name string
}

func (f *hookFile) ReadAt(b []byte, off int64) (int, error) {
	if err := f.fs.call("read", f.name); err != nil {
		return 0, err
	}
	return f.File.ReadAt(b, off)
}

// WriteAt writes half before it fails, as a full disk does.
func (f *hookFile) WriteAt(b []byte, off int64) (int, error) {
	if err := f.fs.call("write", f.name); err != nil {
		n, _ := f.File.WriteAt(b[:len(b)/2], off)
		return n, err
	}
	return f.File.WriteAt(b, off)
}

func (f *hookFile) Truncate(size int64) error {
	if err := f.fs.call("truncate", f.name); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

func (f *hookFile) Sync() error {
	if err := f.fs.call("fsync", f.name); err != nil {
		return err
	}
	return f.File.Sync()
}

func (f *hookFile) Datasync() error {
	if err := f.fs.call("fdatasync", f.name); err != nil {
		return err
	}
	return f.File.Datasync()
}

func (f *hookFile) Stat() (file.Info, error) {
	if err := f.fs.call("stat", f.name); err != nil {
		return file.Info{}, err
	}
	return f.File.Stat()
}
