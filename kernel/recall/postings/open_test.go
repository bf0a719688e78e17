package postings

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(victimEnv); dir != "" {
		victim(dir)
	}
	goleak.VerifyTestMain(m)
}

// one is a document with one term.
func one(term string) []Document {
	return []Document{{Fields: [][]Term{{{term, 1}}}, Lengths: []uint32{1}, Row: make([]byte, 8)}}
}

func mustAppend(t *testing.T, ix *Index, docs []Document) {
	t.Helper()
	if _, err := ix.Append(docs); err != nil {
		t.Fatal(err)
	}
}

func mustClose(t *testing.T, ix *Index) {
	t.Helper()
	if err := ix.Close(); err != nil {
		t.Fatal(err)
	}
}

// found lists the documents with a term.
func found(t *testing.T, s *Snapshot, term string) (out []uint32) {
	t.Helper()
	err := s.Each(term, 0, func(doc, _, _ uint32) bool {
		out = append(out, doc)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestOneWriter(t *testing.T) {
	opts := testOptions(t.TempDir())
	ix := mustOpen(t, opts)
	if _, err := Open(opts); !errors.Is(err, ErrLocked) {
		t.Fatalf("a second writer got %v", err)
	}
	mustClose(t, ix)
	mustClose(t, mustOpen(t, opts))
}

// TestReader: a reader has the last flush, while the writer goes on, merges and
// removes files.
func TestReader(t *testing.T) {
	opts := testOptions(t.TempDir())
	read := opts
	read.ReadOnly = true
	before := mustOpen(t, read)
	defer mustClose(t, before)
	ix := mustOpen(t, opts)
	defer mustClose(t, ix)
	mustAppend(t, ix, one("a"))
	if err := ix.Flush([]byte("first")); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, ix, one("a"))
	reader := mustOpen(t, read)
	defer mustClose(t, reader)
	for range 40 {
		mustAppend(t, ix, one("a"))
		if err := ix.Flush([]byte("later")); err != nil {
			t.Fatal(err)
		}
	}
	settle(ix)
	for name, want := range map[*Index][]uint32{before: nil, reader: {0}} {
		s := name.Snapshot()
		if got := found(t, s, "a"); !slices.Equal(got, want) {
			t.Errorf("%v for %v", got, want)
		}
		s.Close()
	}
	if before.UserData() != nil || string(reader.UserData()) != "first" {
		t.Errorf("marks %q, %q", before.UserData(), reader.UserData())
	}
	_, err := reader.Append(nil)
	for _, err := range []error{err, reader.Flush(nil)} {
		if !errors.Is(err, ErrReadOnly) {
			t.Errorf("a reader wrote: %v", err)
		}
	}
	if n := len(ix.now.files.segments); n > 2*fanIn {
		t.Errorf("%d segments after 41 flushes", n)
	}
}

// TestSnapshotOf: what was appended last can be left out, also where the tail was written
// before it.
func TestSnapshotOf(t *testing.T) {
	ix := mustOpen(t, testOptions(t.TempDir()))
	defer mustClose(t, ix)
	for n := range uint32(3) {
		if n == 2 {
			ix.opts.tailBytes = 1
		}
		mustAppend(t, ix, slices.Concat(one("a"), one("a")))
		for docs := 2 * n; docs <= 2*n+2; docs++ {
			s := ix.SnapshotOf(docs)
			if got := found(t, s, "a"); len(got) != int(docs) || s.Docs() != docs {
				t.Errorf("%v of %d documents, want %d", got, s.Docs(), docs)
			}
			s.Close()
		}
	}
}

// TestOtherMaker: an index made by something else is emptied, other people's files
// stay.
func TestOtherMaker(t *testing.T) {
	base := testOptions("")
	others := map[string]func(*Options){
		"fingerprint": func(o *Options) { o.Fingerprint = "other" },
		"row":         func(o *Options) { o.RowSize = 9 },
		"fields":      func(o *Options) { o.Fields = []string{"around", "text"} },
	}
	for name, change := range others {
		t.Run(name, func(t *testing.T) {
			opts := base
			opts.Dir = t.TempDir()
			theirs := path(opts.Dir, "rows-of-flowers")
			if err := os.WriteFile(theirs, []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
			ix := mustOpen(t, opts)
			mustAppend(t, ix, one("a"))
			if err := ix.Flush([]byte("m")); err != nil {
				t.Fatal(err)
			}
			mustClose(t, ix)
			change(&opts)
			ix = mustOpen(t, opts)
			defer mustClose(t, ix)
			if s := ix.Snapshot(); s.Docs() != 0 || ix.UserData() != nil {
				t.Errorf("%d docs, user data %q", s.Docs(), ix.UserData())
			}
			if names, _ := filepath.Glob(path(opts.Dir, "*")); len(names) != 2 {
				t.Errorf("left: %v", names)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	for name, opts := range map[string]Options{
		"no fields": {}, "twice": {Fields: []string{"a", "a"}}, "bleve's": {Fields: []string{"_id"}},
		"unnamed": {Fields: []string{""}}, "row": {Fields: []string{"a"}, RowSize: -1},
	} {
		if _, err := Open(opts); err == nil {
			t.Errorf("%s: opened", name)
		}
	}
	ix := mustOpen(t, testOptions(t.TempDir()))
	for name, doc := range map[string]Document{
		"row":     {Row: []byte("short")},
		"fields":  {Row: make([]byte, 8), Fields: make([][]Term, 3)},
		"lengths": {Row: make([]byte, 8), Lengths: make([]uint32, 3)},
		"never":   {Row: make([]byte, 8), Fields: [][]Term{{{"a", 0}}}},
		"always":  {Row: make([]byte, 8), Fields: [][]Term{{{"a", MaxLength + 1}}}},
	} {
		if _, err := ix.Append(append(one("a"), doc)); !errors.Is(err, ErrDocument) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := ix.Snapshot()
	if s.Docs() != 0 || len(found(t, s, "a")) != 0 {
		t.Error("a part of a refused batch is there")
	}
	s.Close()
	mustClose(t, ix)
	if _, err := ix.Append(nil); !errors.Is(err, ErrClosed) {
		t.Errorf("after close: %v", err)
	}
	s = ix.Snapshot()
	defer s.Close()
	if s.Docs() != 0 {
		t.Error("a snapshot of a closed index has docs")
	}
}

// TestTooManyFiles: an index that cannot be opened just now is not damaged.
func TestTooManyFiles(t *testing.T) {
	opts, _ := madeFolder(t)
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	restore := func() { _ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before) }
	t.Cleanup(restore)
	for limit := uint64(3); ; limit++ {
		now := syscall.Rlimit{Cur: limit, Max: before.Max}
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &now); err != nil {
			t.Fatal(err)
		}
		ix, err := Open(opts)
		restore()
		if err == nil {
			defer mustClose(t, ix)
			break
		}
	}
	ix := mustOpen(t, Options{Dir: opts.Dir, Fields: opts.Fields, RowSize: opts.RowSize, ReadOnly: true})
	defer mustClose(t, ix)
	if string(ix.UserData()) != "mark" {
		t.Errorf("the index was emptied: user data %q", ix.UserData())
	}
}

// TestConcurrent: readers read while the index is written to, flushed and merged,
// and every snapshot fits itself.
func TestConcurrent(t *testing.T) {
	for _, dir := range []string{"", t.TempDir()} {
		opts := testOptions(dir)
		ix := mustOpen(t, opts)
		stop := make(chan struct{})
		var readers sync.WaitGroup
		for range 3 {
			readers.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
						checkItself(t, ix)
					}
				}
			})
		}
		for i := range 300 {
			mustAppend(t, ix, slices.Concat(one("a"), one("b"), one("a")))
			if i%5 == 0 {
				if err := ix.Flush([]byte("m")); err != nil {
					t.Fatal(err)
				}
			}
		}
		close(stop)
		readers.Wait()
		mustClose(t, ix)
	}
}

func checkItself(t *testing.T, ix *Index) {
	s := ix.Snapshot()
	defer s.Close()
	n := uint32(0)
	for _, term := range []string{"a", "b"} {
		err := s.Each(term, 0, func(doc, freq, length uint32) bool {
			n++
			if doc >= s.Docs() || freq != 1 || length != 1 || len(s.Row(doc)) != 8 {
				t.Errorf("doc %d of %d, %d times of %d", doc, s.Docs(), freq, length)
			}
			return true
		})
		if err != nil {
			t.Error(err)
		}
	}
	if n != s.Docs() {
		t.Errorf("%d postings, %d docs", n, s.Docs())
	}
}
