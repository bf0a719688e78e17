package process_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
)

// logFile is the turns.jsonl of a process.
func logFile(t testing.TB, s *process.Store, p process.Conversation) string {
	t.Helper()
	f, err := s.Folder(p.Project)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(f.Processes, p.UUID, "turns.jsonl")
}

func write(t testing.TB, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = f.WriteString(text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestTornLine(t *testing.T) {
	const whole = `{"id":"w","role":"user","content":"whole"}`
	for name, tc := range map[string]struct {
		tail string
		want []string
	}{
		"cut":          {whole[:20], []string{"one", "two"}},
		"one byte":     {"{", []string{"one", "two"}},
		"whole":        {whole, []string{"one", "whole", "two"}},
		"zeroes":       {strings.Repeat("\x00", 4096), []string{"one", "two"}},
		"over a bound": {strings.Repeat("x", 17<<20), []string{"one", "two"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir, process.Options{})
			p := begin(t, s, process.Conversation{Agent: "a", External: "1"})
			add(t, s, p, user("1", "one"))
			write(t, logFile(t, s, p), tc.tail)
			equal(t, texts(t, s, p, process.Position{}), []string{"one"})
			e, err := s.Examine(t.Context(), p.Project, p.UUID)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, []any{e.Turns, e.Torn}, []any{1, int64(len(tc.tail))})
			for _, st := range []*process.Store{s, open(t, dir, process.Options{})} {
				add(t, st, p, user("2", "two"))
				equal(t, texts(t, st, p, process.Position{}), tc.want)
			}
		})
	}
}

// TestBrokenLines passes over what is no turn, wherever it stands.
func TestBrokenLines(t *testing.T) {
	s := open(t, t.TempDir(), process.Options{})
	p := begin(t, s, process.Conversation{Agent: "a", External: "1"})
	add(t, s, p, user("1", "one"))
	broken := []string{
		"", "{", "null", "42", `{"id":"x"}`, `{"role":"user","content":"no id"}`, `{"id":"x","role":"poet","content":""}`,
		`{"id":"x","role":"user","content":7}`, "\xff\xfe", strings.Repeat("y", 17<<20), strings.Repeat("[", 20000),
		`{"n":-4,"id":"x","role":"user","content":""}`,
	}
	for i, line := range broken {
		write(t, logFile(t, s, p), line+"\n")
		add(t, s, p, user(fmt.Sprint("after", i), fmt.Sprint(i)))
	}
	write(t, logFile(t, s, p), `{"id":"hand","role":"user","content":"by hand"}`+"\n")
	add(t, s, p, user("last", "last"))
	e, err := s.Examine(t.Context(), p.Project, p.UUID)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, []any{e.Turns, e.Broken, e.Torn}, []any{len(broken) + 3, len(broken), int64(0)})
	equal(t, add(t, s, p, user("hand", "again")).Added, 0)
	c, err := s.Counters(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	equal(t, c, process.Counters{Projects: 1, Processes: 1, Turns: len(broken) + 3, Bytes: e.Bytes})
}

// TestReplacedLog notices that a log is another file than before, or was cut.
func TestReplacedLog(t *testing.T) {
	s := open(t, t.TempDir(), process.Options{})
	p := begin(t, s, process.Conversation{Agent: "a", External: "1"})
	for name, change := range map[string]func(path string) error{
		"cut":      func(path string) error { return os.Truncate(path, 0) },
		"deleted":  os.Remove,
		"replaced": func(path string) error { return os.WriteFile(path, []byte(strings.Repeat("z", 999)+"\n"), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			add(t, s, p, user("1", "one"), user("2", "two"))
			if err := change(logFile(t, s, p)); err != nil {
				t.Fatal(err)
			}
			equal(t, add(t, s, p, user("1", "one")).Added, 1)
			equal(t, texts(t, s, p, process.Position{}), []string{"one"})
		})
	}
}

// TestLinks follows none of the links that somebody laid into the store.
func TestLinks(t *testing.T) {
	outside := t.TempDir()
	for _, name := range []string{"turns.jsonl", "process.json", ""} {
		t.Run("link at "+name, func(t *testing.T) {
			s := open(t, t.TempDir(), process.Options{})
			p := begin(t, s, process.Conversation{Agent: "a", External: "1"})
			at := filepath.Join(filepath.Dir(logFile(t, s, p)), name)
			if err := os.Rename(at, filepath.Join(outside, "moved"+name)); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(filepath.Join(outside, "moved"+name), at); err != nil {
				t.Fatal(err)
			}
			_, errRead := s.Conversation(t.Context(), p.Project, p.UUID)
			_, errAppend := s.Append(t.Context(), p.Project, p.UUID, []process.Turn{user("1", "x")})
			if errRead == nil && errAppend == nil {
				t.Error("the link was followed")
			}
		})
	}
}

// TestFIFO does not hang on a file that blocks.
func TestFIFO(t *testing.T) {
	s := open(t, t.TempDir(), process.Options{})
	p := begin(t, s, process.Conversation{Agent: "a", External: "1"})
	path := logFile(t, s, p)
	if err := errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)); err != nil {
		t.Fatal(err)
	}
	_, err := s.Append(t.Context(), p.Project, p.UUID, []process.Turn{user("1", "x")})
	wantKind(t, err, memory.KindInternal)
}

func TestDescriptionGone(t *testing.T) {
	s := open(t, t.TempDir(), process.Options{})
	p := begin(t, s, process.Conversation{Project: "/p", Agent: "a", External: "1", Title: "t"})
	path := filepath.Join(filepath.Dir(logFile(t, s, p)), "process.json")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	equal(t, begin(t, s, process.Conversation{Project: "/q", Agent: "a", External: "1", Title: "t"}), p)
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := s.Begin(t.Context(), process.Conversation{Project: "/p", Agent: "a", External: "1"})
	wantKind(t, err, memory.KindInternal)
	n := 0
	for got, err := range s.Conversations(t.Context(), "/p") {
		n++
		wantKind(t, err, memory.KindInternal)
		equal(t, got.UUID, p.UUID)
	}
	equal(t, n, 1)
	if err := s.Remove(t.Context(), "/p", p.UUID); err != nil {
		t.Errorf("what can't be read can't be removed: %v", err)
	}
}

// TestFullDisk fills a small file system: what does not fit leaves nothing, what
// was there stays, and a removal makes room.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=256k,mode=700"); err != nil {
		t.Skipf("needs a mount: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	s := open(t, dir, process.Options{})
	p := begin(t, s, process.Conversation{Agent: "a", External: "1"})
	big := strings.Repeat("x", 10000)
	kept := 0
	var err error
	for ; err == nil && kept < 100; kept++ {
		_, err = s.Append(t.Context(), p.Project, p.UUID, []process.Turn{user(fmt.Sprint(kept), big), user(fmt.Sprint(kept, "b"), "small")})
	}
	kept--
	wantKind(t, err, memory.KindInternal)
	if !errors.Is(err, syscall.ENOSPC) || kept == 0 {
		t.Fatalf("after %d turns: %v", kept, err)
	}
	equal(t, len(texts(t, s, p, process.Position{})), 2*kept)
	e, err := s.Examine(t.Context(), p.Project, p.UUID)
	equal(t, []any{e.Broken, e.Torn, err}, []any{0, int64(0), nil})
	if err := s.Remove(t.Context(), p.Project, p.UUID); err != nil {
		t.Fatal(err)
	}
	p = begin(t, s, process.Conversation{Agent: "a", External: "2"})
	add(t, s, p, user("1", big))
}
