package recall_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/recall"
)

// TestIndexesOfManyProjects searches 100 projects: at most 16 indexes stay open, and
// none is closed, or read as it was, under a search.
func TestIndexesOfManyProjects(t *testing.T) {
	s := conversationStore(t, t.TempDir())
	var projects []string
	for i := range 100 {
		projects = append(projects, fmt.Sprint("/home/ann/project", i))
		say(t, s, projects[i], projects[i], fmt.Sprint("a puffin of ", projects[i]))
	}
	l := openIndexes(t, recall.IndexesOptions{})
	for _, project := range projects {
		want(t, found(t, l, s, project, "puffin"), "a puffin of "+project)
		if n := openOf(t, s, projects); n > 16 {
			t.Fatalf("%d indexes are open", n)
		}
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 40 {
				if got := found(t, l, s, projects[i], "puffin"); len(got) != 1 || got[0] != "a puffin of "+projects[i] {
					t.Errorf("found %q in %s", got, projects[i])
				}
			}
		})
	}
	wg.Wait()
	for _, project := range projects[:20] { // what was open is behind, or was closed before it was flushed
		say(t, s, project, project, "a second puffin")
		want(t, found(t, l, s, project, "puffin"), "a puffin of "+project, "a second puffin")
	}
	if n := openOf(t, s, projects); n > 16 {
		t.Fatalf("%d indexes are open", n)
	}
}

// TestHeldIndexStaysOpen holds one index while twenty others are searched.
func TestHeldIndexStaysOpen(t *testing.T) {
	s := conversationStore(t, t.TempDir())
	say(t, s, shop, "one", "a razorbill")
	l := openIndexes(t, recall.IndexesOptions{Quiet: time.Millisecond})
	held, _, err := l.Index(t.Context(), s, shop)
	if err != nil {
		t.Fatal(err)
	}
	searched := func() error {
		e := recall.New(recall.Options{})
		defer e.Close()
		_, err := e.Search(t.Context(), recall.Query{Text: "razorbill", Conversations: []*recall.Conversations{held}})
		return err
	}
	for round := range 2 {
		for i := range 20 {
			project := fmt.Sprintf("/home/ann/%d-%d", round, i)
			say(t, s, project, project, "a guillemot")
			want(t, found(t, l, s, project, "guillemot"), "a guillemot")
		}
		if err := searched(); (err != nil) != (round == 1) {
			t.Errorf("round %d: %v", round, err)
		}
		if round == 0 {
			held.Release()
		}
	}
}

// openOf counts the projects whose index is open in this program.
func openOf(t *testing.T, s *process.Store, projects []string) (n int) {
	t.Helper()
	for _, project := range projects {
		folder, err := s.Folder(project)
		if err != nil {
			t.Fatal(err)
		}
		c, err := recall.OpenConversations(folder.Index, nil, recall.ConversationOptions{})
		switch {
		case errors.Is(err, recall.ErrLocked):
			n++
		case err != nil:
			t.Fatal(err)
		default:
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	return n
}
