package postings

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"syscall"

	"github.com/rnixfs/rnixfs/kernel/durable"
)

// The files of a folder. Numbers only grow, so no name is used twice for
// different contents while the older ones may still be read.
const (
	lockName     = "lock"
	manifestName = "manifest"
)

// numbered are the files that a manifest names.
var numbered = regexp.MustCompile(`^(rows|segment)-([0-9]{1,15})$`)

func path(dir, name string) string { return filepath.Join(dir, name) }

// fileMeta is a file as a manifest tells of it.
type fileMeta struct {
	Name string `json:"name,omitempty"`
	Size int64  `json:"size,omitempty"`
	Sum  uint32 `json:"sum,omitempty"` // CRC-32C
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func sum(before uint32, data []byte) uint32 { return crc32.Update(before, castagnoli, data) }

// verify compares the contents of a file, mapped or read.
func (m fileMeta) verify(data []byte) error {
	return guard(func() error {
		if int64(len(data)) != m.Size || sum(0, data) != m.Sum {
			return damaged("checksum of %s", m.Name)
		}
		return nil
	})
}

// checkSize tells a missing, cut or padded file from a failing disk.
func (m fileMeta) checkSize(dir string, mayBeLonger bool) error {
	info, err := os.Stat(path(dir, m.Name))
	switch {
	case errors.Is(err, os.ErrNotExist):
		return damaged("%s is missing", m.Name)
	case err != nil:
		return fmt.Errorf("postings: %w", err)
	case !info.Mode().IsRegular() || info.Size() < m.Size || info.Size() > m.Size && !mayBeLonger:
		return damaged("%s has %d bytes for %d", m.Name, info.Size(), m.Size)
	}
	return nil
}

// writeFile writes a file, which is not durable before it was synced, and takes it
// away again after an error.
func writeFile(dir, name string, from io.WriterTo) (fileMeta, error) {
	f, err := os.OpenFile(path(dir, name), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fileMeta{}, fmt.Errorf("postings: %w", err)
	}
	hash := crc32.New(castagnoli)
	n, err := from.WriteTo(io.MultiWriter(f, hash))
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(path(dir, name))
		return fileMeta{}, fmt.Errorf("postings: %w", err)
	}
	return fileMeta{Name: name, Size: n, Sum: hash.Sum32()}, nil
}

// lockDir keeps other writers out until the file is closed (flock(2)).
func lockDir(dir string) (*os.File, error) {
	f, err := os.OpenFile(path(dir, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("postings: %w", err)
	}
	got, err := durable.TryLock(f, durable.Exclusive)
	switch {
	case err != nil:
		err = fmt.Errorf("postings: lock: %w", err)
	case !got:
		err = ErrLocked
	default:
		return f, nil
	}
	_ = f.Close()
	return nil, err
}

// sweepDir removes our files that are not to be kept, and no others. It
// returns the highest number in use.
func sweepDir(dir string, keep map[string]bool) (highest uint64, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, fmt.Errorf("postings: %w", err)
	}
	for _, e := range entries {
		name := e.Name()
		match := numbered.FindStringSubmatch(name)
		unfinished, _ := filepath.Match("."+manifestName+".*.tmp", name)
		if match != nil {
			n, _ := strconv.ParseUint(match[2], 10, 64)
			highest = max(highest, n)
		}
		if (match != nil || unfinished) && !keep[name] {
			_ = os.Remove(path(dir, name))
		}
	}
	return highest, nil
}

// mapping is a file, or its beginning, in memory. It is shared: each user
// releases it once.
type mapping struct {
	data []byte
	refs atomic.Int32
}

// mapFile maps so many bytes. A file may grow into a mapping that is longer.
func mapFile(dir, name string, size int) (*mapping, error) {
	f, err := os.Open(path(dir, name))
	if err != nil {
		return nil, fmt.Errorf("postings: %w", err)
	}
	defer func() { _ = f.Close() }()
	data, err := syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("postings: map %s: %w", name, err)
	}
	m := &mapping{data: data}
	m.refs.Store(1)
	return m, nil
}

func (m *mapping) acquire() *mapping {
	if m != nil {
		m.refs.Add(1)
	}
	return m
}

func (m *mapping) release() {
	if m != nil && m.refs.Add(-1) == 0 {
		_ = syscall.Munmap(m.data)
	}
}

// guard turns a panic of a decoder that met damage into ErrCorrupt. That includes
// faults: reading a mapped file that was cut, or from a failing disk, raises
// SIGBUS (mmap(2)).
func guard(f func() error) (err error) {
	old := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(old)
		if r := recover(); r != nil {
			err = damaged("%v", r)
		}
	}()
	return f()
}
