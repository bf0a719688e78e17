package recall_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/recall"
)

// ranked asks a project's conversations and returns the hits, best first, as far as
// they can be compared between indexes.
func ranked(t *testing.T, l *recall.Indexes, s *process.Store, project, query string) []string {
	t.Helper()
	var index *recall.Conversations
	for behind := true; behind; {
		var err error
		if index, behind, err = l.Index(t.Context(), s, project); err != nil {
			t.Fatal(err)
		}
	}
	e := recall.New(recall.Options{})
	defer e.Close()
	q := recall.Query{Text: query, Max: 50}
	if index != nil {
		q.Conversations = []*recall.Conversations{index}
	}
	res, err := e.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, h := range res.Hits {
		out = append(out, fmt.Sprintf("%.6f %s", h.Score, h.Snippet))
	}
	return out
}

// files are the files of a project's index, and which ones they are.
func files(t *testing.T, s *process.Store, project string) map[string]string {
	t.Helper()
	folder, err := s.Folder(project)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	err = filepath.WalkDir(folder.Index, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		fi, err := d.Info()
		if err != nil || fi.Size() == 0 { // a lock
			return err
		}
		// Not its time: who opens a log cuts it to its length, which is the same.
		raw, err := os.ReadFile(path)
		out[d.Name()] = fmt.Sprintf("%d %x", fi.Sys().(*syscall.Stat_t).Ino, sha256.Sum256(raw))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestIndexOfEarlier holds what an index of an earlier run must do as if it had been
// made just now: the same hits in the same order, nothing done again where nothing
// has changed, no ghosts of what is gone, and a project without conversations is one.
func TestIndexOfEarlier(t *testing.T) {
	s := conversationStore(t, t.TempDir())
	var uuids []string
	for c := range 12 {
		var texts []string
		for i := range 9 {
			texts = append(texts, fmt.Sprintf("the okapi number %d of herd %d eats leaves %d times, then sleeps", c*9+i, c%3, i))
		}
		uuids = append(uuids, say(t, s, shop, fmt.Sprint(c), texts...))
	}
	opts := recall.IndexesOptions{BootID: "this one", Quiet: time.Hour}
	queries := []string{"okapi", "which okapi eats leaves", "herd 2", "number 17", "sleeps 5 times"}
	answers := func(l *recall.Indexes) (out [][]string) {
		for _, q := range queries {
			out = append(out, ranked(t, l, s, shop, q))
		}
		return out
	}
	same := func(what string, got, want [][]string) {
		t.Helper()
		for i := range want {
			if len(want[i]) == 0 || !slices.Equal(got[i], want[i]) {
				t.Errorf("%s, %q:\n%q\n%q", what, queries[i], got[i], want[i])
			}
		}
	}
	closed := func(l *recall.Indexes) {
		t.Helper()
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}

	l := recall.NewIndexes(opts)
	cold := answers(l)
	closed(l)
	before := files(t, s, shop)
	if len(before) == 0 {
		t.Fatal("the index left no files")
	}
	l = recall.NewIndexes(opts)
	same("loaded", answers(l), cold)
	closed(l)
	if after := files(t, s, shop); !maps.Equal(before, after) {
		t.Errorf("nothing has changed, and the index was written:\n%v\n%v", before, after)
	}

	// Appended to after the index was left.
	say(t, s, shop, "3", "the quokka came late")
	l = recall.NewIndexes(opts)
	want(t, found(t, l, s, shop, "quokka"), "the quokka came late")
	if n := len(ranked(t, l, s, shop, "okapi")); n == 0 {
		t.Error("what was there before is not found")
	}
	closed(l)

	// Deleted while nobody looked.
	if err := s.Remove(t.Context(), shop, uuids[3]); err != nil {
		t.Fatal(err)
	}
	l = recall.NewIndexes(opts)
	if got := ranked(t, l, s, shop, "quokka"); len(got) != 0 {
		t.Errorf("ghosts: %q", got)
	}
	want(t, found(t, l, s, shop, "number 44"), "the okapi number 44 of herd 1 eats leaves 8 times, then sleeps")
	loaded := answers(l)
	closed(l)
	folder, err := s.Folder(shop)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(folder.Index); err != nil {
		t.Fatal(err)
	}
	l = recall.NewIndexes(opts)
	same("after a removal, against a new index", answers(l), loaded)
	closed(l)

	// The folder of the project is not there; nor is that of all of them.
	if err := os.RemoveAll(filepath.Dir(folder.Index)); err != nil {
		t.Fatal(err)
	}
	l = recall.NewIndexes(opts)
	for _, project := range []string{shop, "/never/was"} {
		if got := ranked(t, l, s, project, "okapi"); len(got) != 0 {
			t.Errorf("%s: %q", project, got)
		}
	}
	closed(l)
	nowhere := conversationStore(t, filepath.Join(t.TempDir(), "missing"))
	l = recall.NewIndexes(opts)
	if got := ranked(t, l, nowhere, shop, "okapi"); len(got) != 0 {
		t.Errorf("%q", got)
	}
	closed(l)
}
