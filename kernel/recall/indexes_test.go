package recall_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/recall"
)

const shop, bank = "/home/ann/shop", "/home/ann/bank"

func conversationStore(t *testing.T, dir string) *process.Store {
	t.Helper()
	s, err := process.Open(dir, process.Options{
		Redact: func(_ context.Context, text string) (string, bool, error) { return text, false, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func openIndexes(t *testing.T, opts recall.IndexesOptions) *recall.Indexes {
	t.Helper()
	l := recall.NewIndexes(opts)
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// say appends turns to the conversation that an agent calls external.
func say(t *testing.T, s *process.Store, project, external string, texts ...string) string {
	t.Helper()
	p, err := s.Begin(t.Context(), process.Conversation{Project: project, Agent: "claude", External: external, Title: "about " + external})
	if err != nil {
		t.Fatal(err)
	}
	var turns []process.Turn
	for _, text := range texts {
		turns = append(turns, process.Turn{Role: process.RoleUser, Content: text})
	}
	if _, err := s.Append(t.Context(), project, p.UUID, turns); err != nil {
		t.Fatal(err)
	}
	return p.UUID
}

// found asks a project's conversations, and returns the snippets that have the
// word: turns beside them are hits, too.
func found(t *testing.T, l *recall.Indexes, s *process.Store, project, query string) []string {
	t.Helper()
	var index *recall.Conversations
	for behind := true; behind; {
		var err error
		if index, behind, err = l.Index(t.Context(), s, project); err != nil {
			t.Fatal(err)
		}
		if index != nil {
			defer index.Release()
		}
	}
	q := recall.Query{Text: query}
	if index != nil {
		q.Conversations = []*recall.Conversations{index}
	}
	e := recall.New(recall.Options{})
	defer e.Close()
	res, err := e.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, h := range res.Hits {
		if strings.Contains(h.Snippet, query) {
			out = append(out, h.Snippet)
		}
	}
	slices.Sort(out)
	return out
}

func want(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Fatalf("found %q, want %q", got, want)
	}
}

func TestIndexesFollowsTheStore(t *testing.T) {
	dir := t.TempDir()
	s, l := conversationStore(t, dir), openIndexes(t, recall.IndexesOptions{})
	want(t, found(t, l, s, shop, "zebra"))
	uuid := say(t, s, shop, "one", "a zebra crossing", "something else")
	want(t, found(t, l, s, shop, "zebra"), "a zebra crossing")
	other := conversationStore(t, dir) // another program
	say(t, other, shop, "one", "a zebra again")
	say(t, other, shop, "two", "the zebra of two")
	want(t, found(t, l, s, shop, "zebra"), "a zebra again", "a zebra crossing", "the zebra of two")
	if err := other.Remove(t.Context(), shop, uuid); err != nil {
		t.Fatal(err)
	}
	want(t, found(t, l, s, shop, "zebra"), "the zebra of two")
}

// TestIndexesIsolation has the best match in the other project, each time.
func TestIndexesIsolation(t *testing.T) {
	dir := t.TempDir()
	for round := range 3 { // warm, reopened, rebuilt
		s, l := conversationStore(t, dir), recall.NewIndexes(recall.IndexesOptions{})
		if round == 0 {
			say(t, s, shop, "one", "the okapi token rotates monthly")
			say(t, s, bank, "two", "okapi")
		}
		for range 2 {
			want(t, found(t, l, s, shop, "okapi"), "the okapi token rotates monthly")
			want(t, found(t, l, s, bank, "okapi"), "okapi")
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if round == 1 {
			removeIndexes(t, s)
		}
	}
}

func removeIndexes(t *testing.T, s *process.Store) {
	t.Helper()
	for _, project := range []string{shop, bank} {
		folder, err := s.Folder(project)
		if err == nil {
			err = os.RemoveAll(folder.Index)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestIndexesCatchesUp opens an index that is behind: of an earlier run, and with a
// log that somebody has written anew. Boot: whether what was followed is trusted.
func TestIndexesCatchesUp(t *testing.T) {
	for _, boot := range []string{"", "this one"} {
		t.Run("boot="+boot, func(t *testing.T) { catchUp(t, recall.IndexesOptions{BootID: boot, Quiet: time.Hour}) })
	}
}

func catchUp(t *testing.T, opts recall.IndexesOptions) {
	s := conversationStore(t, t.TempDir())
	uuid := say(t, s, shop, "one", "first gnu")
	l := recall.NewIndexes(opts)
	want(t, found(t, l, s, shop, "gnu"), "first gnu")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	say(t, s, shop, "two", "second gnu")
	l = openIndexes(t, opts)
	want(t, found(t, l, s, shop, "gnu"), "first gnu", "second gnu")
	folder, err := s.Folder(shop)
	if err != nil {
		t.Fatal(err)
	}
	const line = "rewritten gnu, which is longer than what was there before"
	log := `{"n":1,"id":"x","role":"user","content":"` + line + `"}` + "\n"
	if err := os.WriteFile(filepath.Join(folder.Processes, uuid, "turns.jsonl"), []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	say(t, s, shop, "one", "after the rewrite")
	want(t, found(t, l, s, shop, "gnu"), line, "second gnu")
}

// TestIndexesIsPatient has more to index than a search waits for.
func TestIndexesIsPatient(t *testing.T) {
	s := conversationStore(t, t.TempDir())
	for c := range 40 {
		var texts []string
		for i := range 200 {
			texts = append(texts, fmt.Sprintf("conversation %d turn %d speaks of llamas and of number %d", c, i, c*200+i))
		}
		say(t, s, shop, fmt.Sprint(c), texts...)
	}
	l := openIndexes(t, recall.IndexesOptions{Patience: time.Millisecond})
	_, behind, err := l.Index(t.Context(), s, shop)
	if err != nil || !behind {
		t.Fatalf("8,000 turns were indexed in a millisecond: %v", err)
	}
	if n, since := l.Lag(); n < 1 || n > 40 || since <= 0 {
		t.Errorf("%d conversations are behind, for %v", n, since)
	}
	for end := time.Now().Add(time.Minute); behind && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if _, behind, err = l.Index(t.Context(), s, shop); err != nil {
			t.Fatal(err)
		}
	}
	want(t, found(t, l, s, shop, "7999"), "conversation 39 turn 199 speaks of llamas and of number 7999")
	if n, since := l.Lag(); n != 0 || since != 0 {
		t.Errorf("at the end %d conversations are behind, for %v", n, since)
	}
}

// TestIndexOfAnotherProgram searches while another program keeps the index.
func TestIndexOfAnotherProgram(t *testing.T) {
	s := conversationStore(t, t.TempDir())
	say(t, s, shop, "one", "an emu was here")
	owner := recall.NewIndexes(recall.IndexesOptions{Quiet: time.Millisecond})
	want(t, found(t, owner, s, shop, "emu"), "an emu was here")
	other := openIndexes(t, recall.IndexesOptions{})
	var got []string
	for end := time.Now().Add(time.Minute); len(got) == 0 && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		got = found(t, other, s, shop, "emu")
	}
	want(t, got, "an emu was here")
	if err := owner.Close(); err != nil {
		t.Fatal(err)
	}
	say(t, s, shop, "one", "another emu came")
	time.Sleep(1100 * time.Millisecond) // the other looks whether the owner has gone
	want(t, found(t, other, s, shop, "emu"), "an emu was here", "another emu came")
}

// TestIndexesRebuilds damages the index while it is closed.
func TestIndexesRebuilds(t *testing.T) {
	s := conversationStore(t, t.TempDir())
	say(t, s, shop, "one", "an ibis was here", "and left")
	folder, err := s.Folder(shop)
	if err != nil {
		t.Fatal(err)
	}
	for _, spoil := range []func(path string) error{
		os.Remove,
		func(path string) error { return os.Truncate(path, 3) },
		func(path string) error { return os.WriteFile(path, []byte("nonsense, and more of it"), 0o600) },
	} {
		l := recall.NewIndexes(recall.IndexesOptions{})
		want(t, found(t, l, s, shop, "ibis"), "an ibis was here")
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		for i := 0; ; i++ {
			files := filesBelow(t, folder.Index)
			if len(files) == 0 {
				t.Fatal("the index has no files")
			}
			if i >= len(files) {
				break
			}
			if err := spoil(files[i]); err != nil {
				t.Fatal(err)
			}
			l := recall.NewIndexes(recall.IndexesOptions{})
			got := searchTwice(t, l, s, "ibis")
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, []string{"an ibis was here"}) {
				t.Fatalf("%s was damaged: found %q", filepath.Base(files[i]), got)
			}
		}
	}
}

func filesBelow(t *testing.T, dir string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// searchTwice lets the first search meet the damage, as the device does.
func searchTwice(t *testing.T, l *recall.Indexes, s *process.Store, query string) []string {
	t.Helper()
	e := recall.New(recall.Options{})
	defer e.Close()
	if index, _, err := l.Index(t.Context(), s, shop); err == nil && index != nil {
		_, _ = e.Search(t.Context(), recall.Query{Text: query, Conversations: []*recall.Conversations{index}})
		index.Release()
	}
	return found(t, l, s, shop, query)
}

// TestIndexesShrink: an index that is mostly of what was removed is built anew.
func TestIndexesShrink(t *testing.T) {
	s := conversationStore(t, t.TempDir())
	var texts []string
	for i := range 2000 {
		texts = append(texts, fmt.Sprint("a lapwing was seen on day ", i))
	}
	big := say(t, s, shop, "big", texts...)
	say(t, s, shop, "small", "a heron stayed")
	folder, err := s.Folder(shop)
	if err != nil {
		t.Fatal(err)
	}
	size := func() (n int64) {
		for _, path := range filesBelow(t, folder.Index) {
			fi, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			n += fi.Size()
		}
		return n
	}
	l := recall.NewIndexes(recall.IndexesOptions{})
	want(t, found(t, l, s, shop, "day 1999"), "a lapwing was seen on day 1999")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	before := size()
	if err := s.Remove(t.Context(), shop, big); err != nil {
		t.Fatal(err)
	}
	l = recall.NewIndexes(recall.IndexesOptions{})
	for range 2 {
		want(t, found(t, l, s, shop, "lapwing"))
		want(t, found(t, l, s, shop, "heron"), "a heron stayed")
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if after := size(); after > before/10 {
		t.Errorf("the index has %d bytes of %d", after, before)
	}
}
