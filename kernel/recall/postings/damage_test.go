package postings

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// madeFolder has every kind of file in it, flushed.
func madeFolder(t *testing.T) (Options, map[string][]byte) {
	t.Helper()
	opts := benchOptions(t.TempDir(), true)
	opts.tailBytes = 64 << 10
	ix := mustOpen(t, opts)
	from := newText(5)
	fill(t, ix, from, 200, 10, true)
	fill(t, ix, from, 50, 10, true)
	settle(ix)
	if err := ix.Flush([]byte("mark")); err != nil {
		t.Fatal(err)
	}
	settle(ix)
	if err := ix.Close(); err != nil {
		t.Fatal(err)
	}
	return opts, readFolder(t, opts.Dir)
}

func readFolder(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(path(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = data
	}
	return out
}

func writeFolder(t *testing.T, files map[string][]byte) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, data := range files {
		if err := os.WriteFile(path(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// lacks names a kind of file that a folder has none of.
func lacks(files map[string][]byte) string {
	kinds := map[string]bool{}
	for name := range files {
		kinds[strings.SplitN(name, "-", 2)[0]] = true
	}
	for _, kind := range []string{"manifest", "rows", "segment"} {
		if !kinds[kind] {
			return kind
		}
	}
	return ""
}

func flip(data []byte, at int) []byte {
	out := append([]byte(nil), data...)
	out[at] ^= 0x41
	return out
}

// TestDamage: whatever happened to a file, the folder opens as an empty index that
// works, and a reader is told.
func TestDamage(t *testing.T) {
	opts, whole := madeFolder(t)
	for try := 1; lacks(whole) != ""; try++ { // which merges there were depends on the moment
		if try == 20 {
			t.Fatalf("no file of kind %s", lacks(whole))
		}
		opts, whole = madeFolder(t)
	}
	damages := map[string]func(data []byte) []byte{
		"missing":     func([]byte) []byte { return nil },
		"empty":       func([]byte) []byte { return []byte{} },
		"half":        func(d []byte) []byte { return d[:len(d)/2] },
		"cut":         func(d []byte) []byte { return d[:len(d)-1] },
		"first byte":  func(d []byte) []byte { return flip(d, 0) },
		"middle byte": func(d []byte) []byte { return flip(d, len(d)/2) },
		"last byte":   func(d []byte) []byte { return flip(d, len(d)-1) },
		"foreign":     func(d []byte) []byte { return []byte(strings.Repeat("x", len(d))) },
	}
	for name := range whole {
		if name == lockName {
			continue
		}
		for what, damage := range damages {
			t.Run(name+"/"+what, func(t *testing.T) {
				files := map[string][]byte{}
				for n, data := range whole {
					files[n] = data
				}
				files[name] = damage(whole[name])
				if files[name] == nil {
					delete(files, name)
				}
				opts := opts
				opts.Dir = writeFolder(t, files)
				checkDamaged(t, opts, name == manifestName && what == "missing")
			})
		}
	}
}

func checkDamaged(t *testing.T, opts Options, absent bool) {
	t.Helper()
	read := opts
	read.ReadOnly = true
	ix, err := Open(read)
	if !absent && !errors.Is(err, ErrCorrupt) {
		t.Errorf("a reader got %v", err)
	}
	if err == nil {
		_ = ix.Close()
	}
	ix = mustOpen(t, opts)
	if ix.UserData() != nil {
		t.Error("the damage was not found")
	}
	fill(t, ix, newText(6), 20, 20, true)
	if err := ix.Close(); err != nil {
		t.Fatal(err)
	}
	ix = mustOpen(t, opts)
	defer func() { _ = ix.Close() }()
	s := ix.Snapshot()
	defer s.Close()
	if s.Docs() != 20 || string(ix.UserData()) != "done" {
		t.Errorf("%d docs, user data %q", s.Docs(), ix.UserData())
	}
}

// TestDamageWhileOpen: what was not seen when the folder was opened is found when
// it is read or verified, is told by ErrCorrupt, and does not come back.
func TestDamageWhileOpen(t *testing.T) {
	opts, whole := madeFolder(t)
	for name := range whole {
		if name == lockName || name == manifestName {
			continue
		}
		t.Run(name, func(t *testing.T) {
			opts := opts
			opts.Dir = writeFolder(t, whole)
			ix := mustOpen(t, opts)
			defer func() { _ = ix.Close() }()
			if err := ix.Verify(); err != nil {
				t.Fatal(err)
			}
			f, err := os.OpenFile(path(opts.Dir, name), os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = f.Close() }()
			if _, err := f.WriteAt(flip(whole[name], len(whole[name])/2), 0); err != nil {
				t.Fatal(err)
			}
			if err := ix.Verify(); !errors.Is(err, ErrCorrupt) {
				t.Fatalf("verify: %v", err)
			}
			if err := ix.Flush(nil); !errors.Is(err, ErrCorrupt) {
				t.Fatalf("flush: %v", err)
			}
			_ = ix.Close()
			checkDamaged(t, opts, true)
		})
	}
}

// TestTruncatedWhileOpen: a mapped file that was cut faults when it is read.
func TestTruncatedWhileOpen(t *testing.T) {
	opts, _ := madeFolder(t)
	ix := mustOpen(t, opts)
	defer func() { _ = ix.Close() }()
	files, err := filepath.Glob(path(opts.Dir, "segment-*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		if err := os.Truncate(name, 0); err != nil {
			t.Fatal(err)
		}
	}
	s := ix.Snapshot()
	defer s.Close()
	err = s.Each("a", 0, func(uint32, uint32, uint32) bool { return true })
	if !errors.Is(err, ErrCorrupt) {
		t.Fatalf("each: %v", err)
	}
	if _, err := ix.Append(nil); !errors.Is(err, ErrCorrupt) {
		t.Fatalf("append: %v", err)
	}
}

// TestDamagedDecoding: no flipped byte of a segment makes reading panic, or give
// documents that do not exist.
func TestDamagedDecoding(t *testing.T) {
	opts, whole := madeFolder(t)
	for name, data := range whole {
		if !strings.HasPrefix(name, "segment") {
			continue
		}
		m, err := decodeManifest(whole[manifestName])
		if err != nil {
			t.Fatal(err)
		}
		var meta segmentMeta
		for _, s := range m.Segments {
			if s.File.Name == name {
				meta = s
			}
		}
		dir := writeFolder(t, whole)
		step := max(1, len(data)/500)
		for at := 0; at < len(data); at += step {
			if err := os.WriteFile(path(dir, name), flip(data, at), 0o600); err != nil {
				t.Fatal(err)
			}
			readDamaged(t, opts, dir, meta)
		}
	}
}

func readDamaged(t *testing.T, opts Options, dir string, meta segmentMeta) {
	t.Helper()
	seg, err := openSegment(dir, meta, opts.Fields)
	if err != nil {
		return
	}
	defer seg.release()
	var h hits
	names := newText(5).names
	for _, rank := range []int{benchStop, 50, 60, 70, 100, 200} {
		c, err := seg.cursor(names[rank], 0)
		for err == nil && c != nil {
			if err = c.next(&h); h.n == 0 {
				break
			}
			for _, doc := range h.docs[:h.n] {
				if err == nil && (doc < meta.Base || doc >= meta.Base+meta.Docs) {
					t.Fatalf("doc %d", doc)
				}
			}
		}
	}
}

func FuzzManifest(f *testing.F) {
	m := manifest{
		Fields: []string{"a"}, RowSize: 4, Docs: 2,
		Rows:     fileMeta{Name: "rows-1", Size: 8},
		Segments: []segmentMeta{{File: fileMeta{Name: "segment-2", Size: 9}, Base: 0, Docs: 2}},
	}
	data, err := m.encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data, true)
	f.Add([]byte(`{"segments":[{"base":4294967295,"docs":1}]}`), true)
	f.Add([]byte(`{"rows":{"name":"../rows-1"}}`), true)
	f.Add([]byte(manifestHead), false)
	f.Fuzz(func(t *testing.T, data []byte, signed bool) {
		if signed { // past the checksum
			data = append([]byte(nil), data...)
			head := []byte(manifestHead + hex(sum(0, data)) + "\n")
			data = append(head, data...)
		}
		m, err := decodeManifest(data)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Fatal(err)
			}
			return
		}
		for name := range m.files() {
			if name != "" && name != filepath.Base(name) {
				t.Fatalf("a path: %q", name)
			}
		}
		again, err := m.encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decodeManifest(again); err != nil {
			t.Fatalf("written again: %v", err)
		}
	})
}

func hex(n uint32) string { return fmt.Sprintf("%08x", n) }

// Verify reads the whole folder and compares checksums: ErrCorrupt.
func (ix *Index) Verify() error {
	ix.write.Lock()
	rows, f := ix.durable.Rows, ix.now.files.acquire()
	ix.write.Unlock()
	defer f.release()
	err := f.verify(rows, math.MaxInt64)
	if errors.Is(err, ErrCorrupt) {
		ix.spoil()
	}
	return err
}
