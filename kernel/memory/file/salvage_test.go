package file_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/file"
	"github.com/rnixfs/rnixfs/kernel/memory/providertest"
)

// journalLine is what these tests need of a line.
type journalLine struct {
	Seq   int64
	Lost  int64
	Kept  string
	Steps []struct {
		Action        memory.Action
		Before, After *memory.Entry
	}
}

func parseLine(t *testing.T, line []byte) journalLine {
	t.Helper()
	var l journalLine
	if err := json.Unmarshal(line, &l); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	return l
}

// randomChanges makes and changes entries, mostly in ways that clash: few keys,
// removed and used again.
func randomChanges(t *testing.T, rnd *rand.Rand, dir string, crash bool) memory.View {
	t.Helper()
	dead := false
	p := mustOpen(t, dir, file.Options{WALSize: 16 << 10, OpenFS: withHook(func(string, string) error {
		if dead {
			return errStopped
		}
		return nil
	})})
	key := func() string { return fmt.Sprintf("key-%d", rnd.IntN(6)) }
	for i := range rnd.IntN(25) + 3 {
		op := memory.Op{Action: memory.ActionAdd, Entry: memory.Entry{ID: fmt.Sprintf("id-%d", i), Key: key(), Content: fmt.Sprintf("text %d", i)}}
		switch rnd.IntN(4) {
		case 0:
			op = memory.Op{Action: memory.ActionReplace, Match: memory.Match{Key: key()}, Entry: op.Entry, Set: []string{"content"}}
		case 1:
			op = memory.Op{Action: memory.ActionRemove, Match: memory.Match{Key: key()}}
		case 2:
			if rnd.IntN(3) == 0 {
				op = memory.Op{Action: memory.ActionReplace, Match: memory.Match{Key: key()}, Entry: op.Entry, Set: []string{"key"}}
			}
		}
		_, _ = p.Apply(context.Background(), providertest.Change(op)) // a key may be taken, or none's
	}
	v, err := p.Load(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	dead = crash
	_ = p.Close()
	return v
}

// wreck damages a journal's text and returns it with the lines that are whole.
func wreck(rnd *rand.Rand, data []byte) (what string, out []byte, whole [][]byte) {
	lines := slices.Collect(bytes.Lines(data))
	i := rnd.IntN(len(lines))
	without := func(i int) [][]byte { return slices.Delete(slices.Clone(lines), i, i+1) }
	switch rnd.IntN(9) {
	case 0:
		whole = without(i)
		lines[i] = []byte("garbage{\n")
		what = fmt.Sprintf("line %d is garbage", i+1)
	case 1:
		whole = without(i)
		lines = whole
		what = fmt.Sprintf("line %d is gone", i+1)
	case 2:
		whole = slices.Clone(lines)
		lines = slices.Insert(lines, rnd.IntN(len(lines)+1), lines[i])
		what = fmt.Sprintf("line %d is there twice", i+1)
	case 3:
		whole = slices.Clone(lines)
		j := rnd.IntN(len(lines))
		lines[i], lines[j] = lines[j], lines[i]
		what = fmt.Sprintf("lines %d and %d change places", i+1, j+1)
	case 4:
		from := rnd.IntN(len(data))
		to := min(len(data), from+1+rnd.IntN(900))
		what, whole = fmt.Sprintf("zeros from %d to %d", from, to), outside(lines, from, to)
		copy(data[from:to], make([]byte, to-from))
		return what, data, whole
	case 5:
		n := rnd.IntN(len(data))
		return fmt.Sprintf("cut to %d", n), data[:n], outside(lines, n, len(data))
	case 6:
		whole = slices.Clone(lines)
		lines[i] = bytes.TrimSuffix(lines[i], []byte("\n"))
		what = fmt.Sprintf("line %d has no end", i+1)
	case 7:
		whole = without(i)
		n := len(lines[i])
		lines[i] = lines[i][:rnd.IntN(n)]
		what = fmt.Sprintf("line %d is torn", i+1)
	default:
		flipped := bytes.Clone(lines[i])
		at := rnd.IntN(len(flipped))
		flipped[at] ^= 1 << rnd.IntN(8)
		what, whole = fmt.Sprintf("line %d, flipped at %d", i+1, at), without(i)
		lines[i] = flipped
	}
	return what, bytes.Join(lines, nil), whole
}

// outside are the lines that have no byte from from to to, but their newlines.
func outside(lines [][]byte, from, to int) (out [][]byte) {
	at := 0
	for _, l := range lines {
		if end := at + len(l) - 1; end <= from || at >= to {
			out = append(out, bytes.Clone(l))
		}
		at += len(l)
	}
	return out
}

// TestWreckedJournal damages the journals of random changes. The entries are
// what their files say, what is removed stays away, and where nothing had to be
// set aside, each line that is whole is history.
func TestWreckedJournal(t *testing.T) {
	for seed := range seeds(200) {
		rnd := rand.New(rand.NewPCG(seed, 5))
		dir := t.TempDir()
		before := randomChanges(t, rnd, dir, rnd.IntN(3) == 0)
		path := filepath.Join(dir, "journal.jsonl")
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(data) == 0 {
			continue
		}
		what, wrecked, whole := wreck(rnd, bytes.Clone(data))
		if err := os.WriteFile(path, wrecked, 0o600); err != nil {
			t.Fatal(err)
		}
		what = fmt.Sprintf("seed %d: %s", seed, what)
		opts := file.Options{}
		if rnd.IntN(3) == 0 {
			opts.BootID = strings.Repeat("e", 32)
		}
		p := mustOpen(t, dir, opts)
		if got := entriesOf(t, p); !slices.Equal(got, texts(before)) {
			t.Fatalf("%s: got %q, want %q", what, got, texts(before))
		}
		if kept, _ := filepath.Glob(path + ".[cf]o*-*"); len(kept) > 0 {
			whole = nil
		}
		remembered(t, what, p, whole)
		first, err := p.Load(context.Background())
		if err != nil || first.Sequence < before.Sequence {
			t.Fatalf("%s: sequence number %d after %d, %v", what, first.Sequence, before.Sequence, err)
		}
		// A byte may turn a line into another good one, and a journal need not begin
		// with the first change.
		if !strings.Contains(what, "flipped") && !strings.HasSuffix(what, "line 1 is gone") {
			asTheyWere(t, what, before, first)
		}
		_ = p.Close()
		mended, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		p = mustOpen(t, dir, opts)
		again, err := p.Load(context.Background())
		if err != nil || providertest.Diff(first, again) != "" {
			t.Fatalf("%s: reopened: %v\n%s", what, err, providertest.Diff(first, again))
		}
		remembered(t, what, p, whole)
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, mended) {
			t.Fatalf("%s: reopening changes the journal again: %v\n%s\n%s", what, err, mended, now)
		}
		toldOf(t, what, dir, p, wrecked, mended)
		_ = p.Close()
	}
}

// remembered requires the lines' changes of the history.
func remembered(t *testing.T, what string, p *file.Provider, lines [][]byte) {
	t.Helper()
	for _, line := range lines {
		l := parseLine(t, line)
		for _, s := range l.Steps {
			e := s.After
			if e == nil {
				e = s.Before
			}
			h, err := p.History(context.Background(), memory.Match{ID: e.ID})
			if err != nil || !slices.ContainsFunc(h, func(r memory.Record) bool { return r.Sequence == l.Seq && r.Action == s.Action }) {
				t.Fatalf("%s: the history of %s lacks %d: %+v, %v", what, e.ID, l.Seq, h, err)
			}
		}
	}
}

// asTheyWere requires of entries all but their ids: of two that changed names
// unseen, each may be taken for the other.
func asTheyWere(t *testing.T, what string, before, now memory.View) {
	t.Helper()
	for _, e := range before.Entries {
		i := slices.IndexFunc(now.Entries, func(x *memory.Entry) bool { return x.Key == e.Key })
		x := now.Entries[i]
		// What a file says of its source is believed only where a line does, too.
		if !x.Updated.Equal(e.Updated) || x.Source.Road != e.Source.Road && x.Source.Trust != memory.TrustEdit || x.Revision < e.Revision || x.ID == e.ID && x.Revision != e.Revision {
			t.Errorf("%s: was %+v, is %+v", what, e, x)
		}
	}
}

// toldOf requires that a journal that was set aside is kept whole and that check
// says so.
func toldOf(t *testing.T, what, dir string, p *file.Provider, wrecked, mended []byte) {
	t.Helper()
	h, err := p.Check(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Problems) == 1 && h.Problems[0].Path == "journal.jsonl" { // opening does not read each line through
		want := entriesOf(t, p)
		wrecked = mended
		if h, err = p.Repair(context.Background()); err != nil || !slices.Equal(entriesOf(t, p), want) {
			t.Fatalf("%s: repair: got %q, want %q, %v", what, entriesOf(t, p), want, err)
		}
		if mended, err = os.ReadFile(filepath.Join(dir, "journal.jsonl")); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := filepath.Glob(filepath.Join(dir, "journal.jsonl.[cf]o*-*"))
	if err != nil || len(kept) > 1 || len(h.Problems) != len(kept) {
		t.Fatalf("%s: %q, %v; check says %+v", what, kept, err, h.Problems)
	}
	if len(kept) == 0 {
		if bytes.Contains(mended, []byte(`"lost":`)) {
			t.Fatalf("%s: lost, and nothing set aside", what)
		}
		return
	}
	if data, err := os.ReadFile(kept[0]); err != nil || !bytes.Equal(data, wrecked) {
		t.Fatalf("%s: the damaged journal is not kept as it was: %v", what, err)
	}
	// Of one line that is damaged nothing tells whose it was.
	if want := map[bool]string{true: "foreign_journal", false: "torn_journal"}[strings.Contains(kept[0], "foreign")]; h.Problems[0].Code != want || h.Problems[0].Mend == "" {
		t.Fatalf("%s: check says %+v", what, h.Problems[0])
	}
}

// TestJournalDamagedWhileOpen damages the journal under two providers: both go on
// and agree, and nothing that the redo log has is lost.
func TestJournalDamagedWhileOpen(t *testing.T) {
	for name, harm := range map[string]func([]byte) []byte{
		"cut":      func(b []byte) []byte { return b[:len(b)-20] },
		"emptied":  func([]byte) []byte { return nil },
		"garbage":  func(b []byte) []byte { return append([]byte("garbage{\n"), b...) },
		"followed": func(b []byte) []byte { return append(b, "garbage{\n"...) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "journal.jsonl")
			p, q := mustOpen(t, dir, file.Options{Idle: time.Hour}), mustOpen(t, dir, file.Options{Idle: time.Hour})
			for i := range 4 {
				if _, err := p.Apply(context.Background(), providertest.Add(fmt.Sprint("text ", i))); err != nil {
					t.Fatal(err)
				}
			}
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			whole := slices.Collect(bytes.Lines(bytes.Clone(data)))
			if err := os.WriteFile(path, harm(data), 0o600); err != nil {
				t.Fatal(err)
			}
			res, err := q.Apply(context.Background(), providertest.Add("text 4"))
			if err != nil || res.Sequence <= 4 {
				t.Fatalf("goes on with %d, %v", res.Sequence, err)
			}
			for _, x := range []*file.Provider{p, q} {
				if got := entriesOf(t, x); len(got) != 5 {
					t.Errorf("sees %q", got)
				}
				remembered(t, name, x, whole)
			}
		})
	}
}

// TestJournalDamagedTwice requires that each damaged journal is kept, that no entry
// is lost, and that history goes on after the last.
func TestJournalDamagedTwice(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "journal.jsonl")
	for round := range 2 {
		p := mustOpen(t, dir, file.Options{})
		for i := range 3 {
			if _, err := p.Apply(context.Background(), providertest.Add(fmt.Sprint("text ", round, i))); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := slices.Collect(bytes.Lines(data))
		lines[len(lines)-2] = []byte("garbage{\n")
		if err := os.WriteFile(path, bytes.Join(lines, nil), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := mustOpen(t, dir, file.Options{})
	h, err := p.Check(context.Background())
	if err != nil || len(h.Problems) != 2 || h.Problems[0].Code != "torn_journal" || h.Problems[1].Code != "torn_journal" {
		t.Fatalf("check says %+v, %v", h.Problems, err)
	}
	if len(entriesOf(t, p)) != 6 {
		t.Fatalf("got %q", entriesOf(t, p))
	}
	for _, e := range entriesOf(t, p) {
		_, text, _ := strings.Cut(e, "=")
		if h, err := p.History(context.Background(), memory.Match{Content: text}); err != nil || len(h) != 1 || h[0].Actor.Road != "edit" {
			t.Errorf("the history of %s is %+v, %v", text, h, err)
		}
	}
}

// TestReadOnlyDamagedJournal reads a folder with a damaged journal and leaves it
// as it is.
func TestReadOnlyDamagedJournal(t *testing.T) {
	r := newReadOnly(t, "one", "two", "three")
	path := filepath.Join(r.dir, "journal.jsonl")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.Collect(bytes.Lines(data))
	if err := os.WriteFile(path, bytes.Join([][]byte{lines[0], []byte("garbage{\n"), lines[2]}, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	before := r.bytes()
	r.deny(syscall.EROFS)
	p := r.open()
	if got := r.texts(p); len(got) != 3 {
		t.Errorf("sees %q", got)
	}
	if d := cmp.Diff(before, r.bytes()); d != "" {
		t.Errorf("the folder changed:\n%s", d)
	}
}
