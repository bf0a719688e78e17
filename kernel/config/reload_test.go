package config

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// following runs a reloader over the files of from until the test ends.
type following struct {
	t       *testing.T
	r       *Reloader
	changed chan *Loaded
	failed  chan error
}

func follows(t *testing.T, from Sources) *following {
	t.Helper()
	f := &following{t: t, changed: make(chan *Loaded, 100), failed: make(chan error, 100)}
	f.start(from, nil)
	return f
}

func (f *following) start(from Sources, admit func(*Loaded) error) {
	t := f.t
	t.Helper()
	l, err := Load(context.Background(), from)
	if err != nil {
		t.Fatal(err)
	}
	f.r = NewReloader(l, Hooks{
		Admit:   admit,
		Changed: func(l *Loaded) { f.changed <- l },
		Failed:  func(err error) { f.failed <- err },
	})
	f.r.quiet = 10 * time.Millisecond
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- f.r.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

const patience = 20 * time.Second

// comes waits until max_entries is n.
func (f *following) comes(n int) {
	f.t.Helper()
	timeout := time.After(patience)
	for {
		select {
		case l := <-f.changed:
			if l.Config.Writeback.MaxEntries == n {
				return
			}
		case <-timeout:
			f.t.Fatalf("max_entries never became %d; it is %d", n, f.r.Current().Config.Writeback.MaxEntries)
		}
	}
}

func (f *following) fails(part string) {
	f.t.Helper()
	select {
	case err := <-f.failed:
		if !strings.Contains(err.Error(), part) {
			f.t.Errorf("got %v, want an error with %q", err, part)
		}
	case <-time.After(patience):
		f.t.Fatalf("no error with %q", part)
	}
}

func save(t *testing.T, path, text string) {
	t.Helper()
	tmp := filepath.Join(filepath.Dir(path), ".new")
	for _, err := range []error{
		os.MkdirAll(filepath.Dir(path), 0o700),
		os.WriteFile(tmp, []byte(text), 0o600),
		os.Rename(tmp, path), // as editors do
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestReloadOfFilesThatComeAndGo(t *testing.T) {
	dir := t.TempDir()
	from := Sources{UserDir: filepath.Join(dir, "home", ".config", "rnix"), Project: filepath.Join(dir, "p"), WorkDir: filepath.Join(dir, "p")}
	if err := os.Mkdir(from.Project, 0o700); err != nil {
		t.Fatal(err)
	}
	f := follows(t, from)
	paths := from.Paths()
	save(t, paths[0], "writeback: {max_entries: 1}")
	f.comes(1)
	save(t, paths[1], "writeback: {max_entries: 2}")
	f.comes(2)
	save(t, paths[2], "writeback: {max_entries: 3}")
	f.comes(3)
	if err := os.Remove(paths[2]); err != nil {
		t.Fatal(err)
	}
	f.comes(2)
	if err := os.RemoveAll(filepath.Dir(paths[1])); err != nil {
		t.Fatal(err)
	}
	f.comes(1)
}

func TestReloadKeepsTheValidOne(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, fileName)
	save(t, path, "writeback: {max_entries: 1}")
	f := follows(t, Sources{WorkDir: dir})
	save(t, path, "writeback: {max_entries: 0}")
	f.fails(":1:26: writeback.max_entries: must be > 0 (got 0)")
	if n := f.r.Current().Config.Writeback.MaxEntries; n != 1 {
		t.Errorf("max_entries is %d, want the valid 1", n)
	}
	save(t, path, "writeback: {max_entries: x}")
	f.fails("must be a whole number")
	save(t, path, "writeback: {max_entries: 1}") // mended to what is in force: that is news too
	f.comes(1)
	if len(f.failed) != 0 {
		t.Errorf("an error was told twice: %v", <-f.failed)
	}
}

// TestAMistakeOfAProject leaves what its file said before in force, and lets the
// user's own file change meanwhile.
func TestAMistakeOfAProject(t *testing.T) {
	dir := t.TempDir()
	from := Sources{UserDir: filepath.Join(dir, "user"), WorkDir: filepath.Join(dir, "p")}
	own, theirs := from.Paths()[0], from.Paths()[1]
	save(t, theirs, "writeback: {max_entries: 2}\nstore: {overflow_policy: fifo}\n")
	f := follows(t, from)
	save(t, theirs, "writeback: {max_entries: 0}")
	f.fails("memory.yaml:1:26: writeback.max_entries: ")
	save(t, own, "writeback: {max_entries: 5}\nstore: {memory_char_limit: 9, user_char_limit: 9, overflow_policy: relevance}\n")
	f.comes(2)
	c := f.r.Current()
	if c.Config.Store.MemoryCharLimit != 9 || c.Config.Store.OverflowPolicy != "fifo" || c.Own.Store.OverflowPolicy != "relevance" || c.Refused == nil {
		t.Errorf("in force %+v, refused %v", c.Config.Store, c.Refused)
	}
	if err := os.Remove(theirs); err != nil {
		t.Fatal(err)
	}
	f.comes(5)
	if c := f.r.Current(); c.Refused != nil {
		t.Errorf("still refused: %v", c.Refused)
	}
	save(t, own, "writeback: {max_entries: 0}")
	f.fails("user/memory.yaml:1:26: ")
	if len(f.failed) != 0 {
		t.Errorf("an error was told twice: %v", <-f.failed)
	}
}

// TestAdmission keeps the whole configuration where what it names is not fit, and
// sees when the file that it names is mended, wherever that lies.
func TestAdmission(t *testing.T) {
	dir := t.TempDir()
	path, rules := filepath.Join(dir, "user", fileName), filepath.Join(dir, "far", "away", "rules.toml")
	save(t, path, "writeback: {max_entries: 1}")
	f := &following{t: t, changed: make(chan *Loaded, 100), failed: make(chan error, 100)}
	f.start(Sources{UserDir: filepath.Dir(path)}, func(l *Loaded) error {
		if l.Config.Scanner.Rules == "" {
			return nil
		}
		raw, err := os.ReadFile(l.Config.Scanner.Rules)
		if err == nil && string(raw) != "good" {
			err = errors.New("rules are bad")
		}
		return err
	})
	save(t, path, "writeback: {max_entries: 2}\nscanner: {rules: "+rules+", pii: warn}\n")
	f.fails("no such file")
	if c := f.r.Current().Config; c.Writeback.MaxEntries != 1 || c.Scanner.PII != ScanOff {
		t.Errorf("a part of what was refused is in force: %+v", c)
	}
	save(t, rules, "bad")
	f.fails("rules are bad")
	save(t, rules, "good")
	f.comes(2)
	if c := f.r.Current().Config; c.Scanner.PII != ScanWarn {
		t.Errorf("only a part is in force: %+v", c)
	}
	save(t, rules, "bad")
	f.fails("rules are bad")
}

// A Kubernetes ConfigMap is changed by turning a link that the file's own link
// goes through.
func TestReloadThroughLinks(t *testing.T) {
	dir := t.TempDir()
	link := func(target, name string) {
		tmp := filepath.Join(dir, "tmp")
		if err := os.Symlink(target, tmp); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(tmp, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	save(t, filepath.Join(dir, "v1", fileName), "writeback: {max_entries: 1}")
	save(t, filepath.Join(dir, "v2", fileName), "writeback: {max_entries: 2}")
	link("v1", "..data")
	link(filepath.Join("..data", fileName), fileName)
	f := follows(t, Sources{WorkDir: dir})
	link("v2", "..data")
	f.comes(2)
	save(t, filepath.Join(dir, "v2", fileName), "writeback: {max_entries: 3}") // the target itself
	f.comes(3)
}

func TestChangesBeforeRunAreSeen(t *testing.T) {
	dir := t.TempDir()
	l, err := Load(context.Background(), Sources{WorkDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	save(t, filepath.Join(dir, fileName), "writeback: {max_entries: 4}")
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	got := 0
	err = NewReloader(l, Hooks{Changed: func(l *Loaded) { got = l.Config.Writeback.MaxEntries; cancel() }}).Run(ctx)
	if err != nil || got != 4 {
		t.Errorf("got %d, %v", got, err)
	}
}

func TestRestatedErrorsAreToldOnce(t *testing.T) {
	dir := t.TempDir()
	l, err := Load(context.Background(), Sources{WorkDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	failures, changes := 0, 0
	r := NewReloader(l, Hooks{Failed: func(error) { failures++ }, Changed: func(*Loaded) { changes++ }})
	save(t, filepath.Join(dir, fileName), "x: 1")
	for range 3 {
		r.Reload(context.Background())
	}
	if err := os.Remove(filepath.Join(dir, fileName)); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		r.Reload(context.Background())
	}
	if failures != 1 || changes != 1 {
		t.Errorf("told %d failures and %d changes, want one of each", failures, changes)
	}
}
