package process_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
)

// TestTogether has many append the same and other turns at once, through several
// stores: each is there once, and numbers follow one another.
func TestTogether(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	var uuid string
	for range 3 {
		s := open(t, dir, process.Options{})
		for range 3 {
			wg.Go(func() {
				for range 20 {
					p, err := s.Begin(t.Context(), process.Conversation{Project: "/p", Agent: "a", External: "1"})
					if err != nil {
						t.Error(err)
						return
					}
					var turns []process.Turn
					for range 5 {
						id := fmt.Sprint(rand.IntN(300))
						turns = append(turns, user(id, "turn "+id))
					}
					if _, err := s.Append(t.Context(), "/p", p.UUID, turns); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		uuid = process.ID(0, "a", "1")
	}
	wg.Wait()
	s := open(t, dir, process.Options{})
	seen := map[string]bool{}
	number := 0
	for turn, err := range s.Turns(t.Context(), "/p", uuid, process.Position{}) {
		if err != nil {
			t.Fatal(err)
		}
		if number++; turn.Number != number || seen[turn.ID] {
			t.Errorf("turn %s has number %d, want %d, once", turn.ID, turn.Number, number)
		}
		seen[turn.ID] = true
	}
	equal(t, len(seen)/200, 1)
}

// TestUsers keeps two users in one folder's different places, as a mount for many
// does: neither finds what is the other's.
func TestUsers(t *testing.T) {
	dir := t.TempDir()
	one := open(t, dir, process.Options{UID: 1})
	two := open(t, dir+"/users/2", process.Options{UID: 2})
	p := begin(t, one, process.Conversation{UID: 1, Agent: "a", External: "1"})
	q := begin(t, two, process.Conversation{UID: 2, Agent: "a", External: "1"})
	add(t, one, p, user("1", "of one"))
	add(t, two, q, user("1", "of two"))
	if p.UUID == q.UUID {
		t.Error("two users have one conversation")
	}
	equal(t, texts(t, one, p, process.Position{}), []string{"of one"})
	equal(t, texts(t, two, q, process.Position{}), []string{"of two"})
	_, err := two.Find(t.Context(), p.UUID)
	wantKind(t, err, memory.KindNotFound)
	_, err = one.Conversation(t.Context(), "", q.UUID)
	wantKind(t, err, memory.KindNotFound)
}

// TestProjects keeps projects apart, those of like names too.
func TestProjects(t *testing.T) {
	s := open(t, t.TempDir(), process.Options{})
	paths := []string{"", "/", "/a/api", "/b/api", "/a/API", "/a/über api!", "/a/--", "/home"}
	folders := map[string]bool{}
	for i, path := range paths {
		p := begin(t, s, process.Conversation{Project: path, Agent: "a", External: fmt.Sprint(i)})
		add(t, s, p, user("1", path))
		f, err := s.Folder(path)
		if err != nil || folders[f.Path] {
			t.Errorf("%s: folder %s, %v", path, f.Path, err)
		}
		folders[f.Path] = true
	}
	for _, path := range paths {
		n := 0
		for p, err := range s.Conversations(t.Context(), path) {
			if err != nil {
				t.Fatal(err)
			}
			equal(t, texts(t, s, p, process.Position{}), []string{path})
			n++
		}
		equal(t, n, 1)
	}
	for _, bad := range []string{"relative", "/a/../b", "/a/", "/a\x00b"} {
		_, err := s.Folder(bad)
		wantKind(t, err, memory.KindInvalid)
	}
	got, err := s.Projects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Clone(paths)
	slices.Sort(want)
	equal(t, got, want)
}
