package process_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
)

// mask stands in for the scanner: what is called SECRET is one.
func mask(_ context.Context, text string) (string, bool, error) {
	if strings.Contains(text, "UNREADABLE") {
		return "", false, memory.Errorf(memory.KindInvalid, "scan", "the text could not be judged")
	}
	clean := strings.ReplaceAll(text, "SECRET", "[redacted:test]")
	return clean, clean != text, nil
}

func open(t testing.TB, dir string, opts process.Options) *process.Store {
	t.Helper()
	if opts.Redact == nil {
		opts.Redact = mask
	}
	s, err := process.Open(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func begin(t testing.TB, s *process.Store, p process.Conversation) process.Conversation {
	t.Helper()
	p, err := s.Begin(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func add(t testing.TB, s *process.Store, p process.Conversation, turns ...process.Turn) process.Appended {
	t.Helper()
	res, err := s.Append(t.Context(), p.Project, p.UUID, turns)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func user(id, text string) process.Turn {
	return process.Turn{ID: id, Role: process.RoleUser, Content: text, Time: time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)}
}

func texts(t testing.TB, s *process.Store, p process.Conversation, from process.Position) []string {
	t.Helper()
	var out []string
	for turn, err := range s.Turns(t.Context(), p.Project, p.UUID, from) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, turn.Content)
	}
	return out
}

func wantKind(t testing.TB, err error, kind memory.Kind) {
	t.Helper()
	if err == nil || memory.KindOf(err) != kind {
		t.Errorf("got %v (%v), want %v", err, memory.KindOf(err), kind)
	}
}

func equal(t testing.TB, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestBeginAgain(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, process.Options{})
	p := begin(t, s, process.Conversation{Project: "/home/a/api", Agent: "claude", External: "x1", Start: time.Unix(1000, 0)})
	equal(t, p.UUID, process.ID(0, "claude", "x1"))
	other := open(t, dir, process.Options{})
	again := begin(t, other, process.Conversation{Project: "/elsewhere", Agent: "claude", External: "x1", Title: "a SECRET title", Model: "m"})
	equal(t, [2]string{again.UUID, again.Project}, [2]string{p.UUID, "/home/a/api"})
	got, err := s.Conversation(t.Context(), "/home/a/api", p.UUID)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, got, process.Conversation{
		UUID: p.UUID, Project: "/home/a/api", Agent: "claude", External: "x1",
		Title: "a [redacted:test] title", Model: "m", Start: time.Unix(1000, 0).UTC(),
	})
	one, two := begin(t, s, process.Conversation{}), begin(t, s, process.Conversation{})
	if one.UUID == two.UUID || one.UUID[14] != '7' {
		t.Errorf("processes without an id of their own: %s and %s", one.UUID, two.UUID)
	}
	projects, err := s.Projects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	equal(t, projects, []string{"", "/home/a/api"})
}

func TestAppend(t *testing.T) {
	s := open(t, t.TempDir(), process.Options{})
	p := begin(t, s, process.Conversation{Project: "/p", Agent: "a", External: "1"})
	res := add(t, s, p, user("1", "one"), user("2", "two SECRET"), user("1", "one"))
	equal(t, res, process.Appended{Added: 2, Known: 1, Masked: 1, Turns: 2})
	equal(t, add(t, s, p, user("2", "two SECRET"), user("3", "three")), process.Appended{Added: 1, Known: 1, Turns: 3})
	equal(t, texts(t, s, p, process.Position{}), []string{"one", "two [redacted:test]", "three"})
	// Without ids: the same turns again are the same, equal ones in one call are not.
	yes := process.Turn{Role: process.RoleUser, Content: "yes"}
	equal(t, add(t, s, p, yes, yes), process.Appended{Added: 2, Turns: 5})
	equal(t, add(t, s, p, yes, yes, yes), process.Appended{Added: 1, Known: 2, Turns: 6})
	var o process.Ordinals
	for range 4 {
		part := []process.Turn{yes}
		o.Set(part)
		add(t, s, p, part...)
	}
	equal(t, len(texts(t, s, p, process.Position{})), 7)
}

func TestPositions(t *testing.T) {
	s := open(t, t.TempDir(), process.Options{})
	p := begin(t, s, process.Conversation{Agent: "a", External: "1"})
	add(t, s, p, user("1", "one"), user("2", strings.Repeat("long ", 100000)), user("3", "three"))
	var at process.Position
	for turn, err := range s.Turns(t.Context(), p.Project, p.UUID, process.Position{}) {
		if err != nil {
			t.Fatal(err)
		}
		one, err := s.TurnAt(t.Context(), p.Project, p.UUID, turn.Offset)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, one, turn)
		at = turn.Next()
		if _, err := s.TurnAt(t.Context(), p.Project, p.UUID, turn.Offset+1); err == nil {
			t.Error("a turn in the middle of a line")
		}
	}
	equal(t, at.Number, 3)
	equal(t, texts(t, s, p, at), []string(nil))
	add(t, s, p, user("4", "four"))
	for turn, err := range s.Turns(t.Context(), p.Project, p.UUID, at) {
		equal(t, err, nil)
		equal(t, []any{turn.Content, turn.Number, turn.Offset}, []any{"four", 4, at.Offset})
	}
	for _, bad := range []process.Position{{Offset: 1}, {Offset: 1 << 40}, {Offset: -1}} {
		for _, err := range s.Turns(t.Context(), p.Project, p.UUID, bad) {
			wantKind(t, err, memory.KindConflict)
		}
	}
	_, err := s.TurnAt(t.Context(), p.Project, p.UUID, at.Offset+1<<30)
	wantKind(t, err, memory.KindNotFound)
}

func TestRefused(t *testing.T) {
	s := open(t, t.TempDir(), process.Options{})
	p := begin(t, s, process.Conversation{Project: "/p", Agent: "a", External: "1"})
	for name, tc := range map[string]struct {
		turn process.Turn
		kind memory.Kind
	}{
		"too big":      {user("1", strings.Repeat("x", process.MaxContent+1)), memory.KindTooBig},
		"too big line": {user("1", strings.Repeat("\x01", process.MaxContent)), memory.KindTooBig},
		"no role":      {process.Turn{ID: "1", Content: "x"}, memory.KindInvalid},
		"not judged":   {user("1", "UNREADABLE"), memory.KindInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.Append(t.Context(), p.Project, p.UUID, []process.Turn{user("0", "fine"), tc.turn})
			wantKind(t, err, tc.kind)
			equal(t, texts(t, s, p, process.Position{}), []string(nil))
		})
	}
	_, err := s.Append(t.Context(), "/other", p.UUID, []process.Turn{user("1", "x")})
	wantKind(t, err, memory.KindNotFound)
	_, err = s.Append(t.Context(), "/p", "../../x", nil)
	wantKind(t, err, memory.KindInvalid)
	_, err = s.Append(t.Context(), "/p/../q", p.UUID, nil)
	wantKind(t, err, memory.KindInvalid)
	_, err = s.Begin(t.Context(), process.Conversation{UID: 5})
	wantKind(t, err, memory.KindDenied)
	_, err = s.Begin(t.Context(), process.Conversation{Project: "/q", UUID: p.UUID})
	wantKind(t, err, memory.KindConflict)
	blind, err := process.Open(t.TempDir(), process.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = blind.Begin(t.Context(), process.Conversation{Title: "x"})
	wantKind(t, err, memory.KindUnavailable)
}

// TestSecretIDs hands in ids that are secrets.
func TestSecretIDs(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, process.Options{})
	p := begin(t, s, process.Conversation{Agent: "a", External: "SECRET-1", Branch: "SECRET", Model: "SECRET"})
	bad := process.Turn{ID: "SECRET", Role: process.RoleTool, Tool: "SECRET", Content: "SECRET"}
	add(t, s, p, bad, user(strings.Repeat("long", 100), "x"))
	equal(t, add(t, s, p, bad).Added, 0)
	if err := s.End(t.Context(), p.Project, p.UUID, process.End{Reason: "SECRET"}); err != nil {
		t.Fatal(err)
	}
	equal(t, begin(t, s, process.Conversation{Agent: "a", External: "SECRET-1"}).UUID, p.UUID)
	for path, text := range files(t, dir) {
		if strings.Contains(text, "SECRET") {
			t.Errorf("%s has the secret", path)
		}
	}
}

func TestEnd(t *testing.T) {
	s := open(t, t.TempDir(), process.Options{Now: func() time.Time { return time.Unix(5000, 0) }})
	p := begin(t, s, process.Conversation{Agent: "a", External: "1"})
	code := 3
	if err := s.End(t.Context(), p.Project, p.UUID, process.End{ExitCode: &code, Reason: "exit"}); err != nil {
		t.Fatal(err)
	}
	got, err := s.Conversation(t.Context(), p.Project, p.UUID)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, []any{got.End, *got.ExitCode, got.ExitReason}, []any{time.Unix(5000, 0).UTC(), 3, "exit"})
	wantKind(t, s.End(t.Context(), "/no", p.UUID, process.End{}), memory.KindNotFound)
	add(t, s, p, user("1", "it goes on"))
}

func TestRemove(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, process.Options{})
	p := begin(t, s, process.Conversation{Project: "/p", Agent: "a", External: "1", Title: "gone forever"})
	add(t, s, p, user("1", "gone forever"))
	other := open(t, dir, process.Options{})
	add(t, other, p, user("2", "gone forever"))
	if err := s.Remove(t.Context(), "/p", p.UUID); err != nil {
		t.Fatal(err)
	}
	for path, text := range files(t, dir) {
		if strings.Contains(text, "gone forever") {
			t.Errorf("%s has the text", path)
		}
	}
	_, err := other.Append(t.Context(), "/p", p.UUID, []process.Turn{user("3", "x")})
	wantKind(t, err, memory.KindNotFound)
	for _, st := range []*process.Store{s, other, open(t, dir, process.Options{})} {
		for _, project := range []string{"/p", "/q"} {
			if _, err := st.Begin(t.Context(), process.Conversation{Project: project, Agent: "a", External: "1"}); !errors.Is(err, process.ErrRemoved) {
				t.Errorf("it came back: %v", err)
			}
		}
	}
	wantKind(t, s.Remove(t.Context(), "/p", p.UUID), memory.KindNotFound)
}

// TestRemoveCutOff finishes a removal that stopped after its first step.
func TestRemoveCutOff(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, process.Options{})
	p := begin(t, s, process.Conversation{Agent: "a", External: "1"})
	add(t, s, p, user("1", "gone forever"))
	f, err := s.Folder("")
	if err != nil {
		t.Fatal(err)
	}
	trash := filepath.Join(dir, "projects", ".trash")
	if err := os.Mkdir(trash, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(f.Processes, p.UUID), filepath.Join(trash, p.UUID)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Begin(t.Context(), process.Conversation{Agent: "a", External: "1"}); !errors.Is(err, process.ErrRemoved) {
		t.Errorf("it came back before it was gone: %v", err)
	}
	s = open(t, dir, process.Options{})
	if _, err := s.Begin(t.Context(), process.Conversation{Agent: "a", External: "1"}); !errors.Is(err, process.ErrRemoved) {
		t.Errorf("it came back: %v", err)
	}
	for path, text := range files(t, dir) {
		if strings.Contains(text, "gone forever") {
			t.Errorf("%s has the text", path)
		}
	}
}

// files reads everything below a folder.
func files(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		if want := os.FileMode(0o600); !d.IsDir() && fi.Mode().Perm() != want {
			t.Errorf("%s has mode %v", path, fi.Mode())
		}
		if path != dir && d.IsDir() && fi.Mode().Perm() != 0o700 {
			t.Errorf("%s has mode %v", path, fi.Mode())
		}
		if d.IsDir() {
			return nil
		}
		text, err := os.ReadFile(path)
		out[path] = string(text) + path
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
