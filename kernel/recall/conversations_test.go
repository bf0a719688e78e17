package recall

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
)

// turnStore is a store of turns: by process, the offset being ten times the number.
type turnStore map[string][]process.Turn

func (s turnStore) Turn(_ context.Context, uuid string, offset int64) (process.Turn, error) {
	if i := offset / 10; i < int64(len(s[uuid])) {
		return s[uuid][i], nil
	}
	return process.Turn{}, memory.Errorf(memory.KindNotFound, "read turn", "no turn at %d", offset)
}

func (s turnStore) stored(uuid string, from int) []StoredTurn {
	var out []StoredTurn
	for i, t := range s[uuid][from:] {
		n := from + i
		out = append(out, StoredTurn{t, n, int64(10 * n), int64(10*n + 10)})
	}
	return out
}

func openIndex(t testing.TB, dir string, s turnStore) *Conversations {
	t.Helper()
	c, err := OpenConversations(dir, s, ConversationOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// feed brings an index up to the store, the way its owner does.
func feed(t rapid.TB, c *Conversations, s turnStore) {
	t.Helper()
	for _, uuid := range c.UUIDs() {
		if s[uuid] == nil {
			must(t, c.Remove(uuid))
		}
	}
	for uuid := range s {
		held, end := c.Held(uuid)
		if held > len(s[uuid]) || end != int64(10*held) {
			t.Fatalf("%s holds %d turns up to %d of %d", uuid, held, end, len(s[uuid]))
		}
		must(t, c.Add(context.Background(), process.Conversation{UUID: uuid}, s.stored(uuid, held)))
	}
}

func must(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func find(t rapid.TB, text string, list ...*Conversations) []Hit {
	t.Helper()
	e := New(Options{})
	defer func() { _ = e.Close() }()
	found, err := e.Search(context.Background(), Query{Text: text, Max: 1000, Conversations: list})
	must(t, err)
	return found.Hits
}

func names(hits []Hit) []string {
	out := []string{}
	for _, h := range hits {
		out = append(out, fmt.Sprint(h.ID, " ", h.Turn))
	}
	return out
}

// TestConversationsModel does what owners do, in any order, crashes included, and
// compares with the turns themselves: each is found by a word of its own, once
// and first, and by a common word exactly those that have it, and their
// neighbours.
func TestConversationsModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir := ""
		if rapid.Bool().Draw(rt, "disk") {
			dir = t.TempDir()
		}
		s, next := turnStore{}, 0
		open := func() *Conversations {
			c, err := OpenConversations(dir, s, ConversationOptions{})
			must(rt, err)
			return c
		}
		c := open()
		defer func() { _ = c.Close() }()
		uuids := rapid.SampledFrom([]string{"p0", "p1", "p2", "p3"})
		rt.Repeat(map[string]func(*rapid.T){
			"add": func(rt *rapid.T) {
				uuid := uuids.Draw(rt, "process")
				for range rapid.IntRange(1, 4).Draw(rt, "turns") {
					words := rapid.SliceOfN(rapid.SampledFrom([]string{"tea", "coffee", "water", "the", "of"}), 0, 90).Draw(rt, "words")
					role := rapid.SampledFrom(roles[:]).Draw(rt, "role")
					s[uuid] = append(s[uuid], process.Turn{Role: role, Content: ownWord(next) + " " + strings.Join(words, " ")})
					next++
				}
				from := rapid.IntRange(0, len(s[uuid])).Draw(rt, "again from")
				held, _ := c.Held(uuid)
				must(rt, c.Add(context.Background(), process.Conversation{UUID: uuid}, s.stored(uuid, min(from, held))))
			},
			"remove": func(rt *rapid.T) {
				uuid := uuids.Draw(rt, "process")
				delete(s, uuid)
				must(rt, c.Remove(uuid))
			},
			"flush": func(rt *rapid.T) { must(rt, c.Flush()) },
			"reopen": func(rt *rapid.T) {
				must(rt, c.Close())
				c = open()
				feed(rt, c, s)
			},
			"": func(rt *rapid.T) { checkIndex(rt, c, s) },
		})
	})
}

// ownWord is a word that no other number has, of one part.
func ownWord(n int) string {
	word := []byte("zq")
	for ; n > 0; n /= 10 {
		word = append(word, "bcdfghklmp"[n%10])
	}
	return string(word) + "zq"
}

func checkIndex(t *rapid.T, c *Conversations, s turnStore) {
	with := map[string]bool{}
	for uuid, turns := range s {
		for n, turn := range turns {
			name := fmt.Sprint(uuid, " ", n)
			got := names(find(t, strings.Fields(turn.Content)[0], c))
			if len(got) == 0 || got[0] != name || slices.Contains(got[1:], name) {
				t.Fatalf("%s was found as %q", name, got)
			}
			if slices.Contains(strings.Fields(turn.Content), "tea") {
				with[name] = true
			}
		}
	}
	seen := map[string]bool{}
	for _, h := range find(t, "tea", c) {
		name := fmt.Sprint(h.ID, " ", h.Turn)
		if h.Turn >= len(s[h.ID]) || seen[name] {
			t.Fatalf("%s was found, which is twice or not there", name)
		}
		seen[name] = true
		near := false
		for d := -2; d <= 2; d++ {
			near = near || with[fmt.Sprint(h.ID, " ", h.Turn+d)]
		}
		if !near {
			t.Fatalf("%s was found, and nothing near it has the word", name)
		}
	}
	for name := range with {
		if !seen[name] {
			t.Fatalf("%s was not found by a word that it has", name)
		}
	}
}

func TestAddGap(t *testing.T) {
	s := turnStore{"p": {{Content: "a tea"}, {Content: "b tea"}, {Content: "c tea"}}}
	c := openIndex(t, "", s)
	must(t, c.Add(t.Context(), process.Conversation{UUID: "p"}, s.stored("p", 0)[:1]))
	if err := c.Add(t.Context(), process.Conversation{UUID: "p"}, s.stored("p", 2)); memory.KindOf(err) != memory.KindInvalid {
		t.Errorf("a gap: %v", err)
	}
}

// TestConversationsApart puts the best match into the other index: it is found
// there, and not here.
func TestConversationsApart(t *testing.T) {
	a := turnStore{"a": {{Content: "we drink tea"}}}
	b := turnStore{"b": {{Content: "the launch code of the rocket"}}}
	ca, cb := openIndex(t, "", a), openIndex(t, "", b)
	feed(t, ca, a)
	feed(t, cb, b)
	if got := names(find(t, "rocket launch code", ca)); len(got) != 0 {
		t.Errorf("found in the wrong index: %v", got)
	}
	for _, list := range [][]*Conversations{{cb}, {ca, cb}} {
		if got := names(find(t, "rocket launch code", list...)); !slices.Equal(got, []string{"b 0"}) {
			t.Errorf("in its own: %v", got)
		}
	}
}

func TestTurnFilters(t *testing.T) {
	day := func(d int) time.Time { return time.Date(2026, 3, d, 12, 0, 0, 0, time.UTC) }
	s := turnStore{
		"p": {
			{Role: process.RoleUser, Content: "how is tea made", Time: day(1)},
			{Role: process.RoleAssistant, Content: "tea is made of leaves", Time: day(2)},
			{Role: process.RoleTool, Content: "tea: command not found", Time: day(3)},
		},
		"q": {{Role: process.RoleUser, Content: "tea again", Time: day(4)}, {Role: process.RoleUser, Content: "tea without a time"}},
	}
	c := openIndex(t, "", s)
	for uuid, agent := range map[string]string{"p": "claude", "q": "codex"} {
		must(t, c.Add(t.Context(), process.Conversation{UUID: uuid, Agent: agent, Title: "about " + uuid}, s.stored(uuid, 0)))
	}
	e := newEngine(t)
	e.Opened(projectA, entries("tea from an entry"))
	for name, tc := range map[string]struct {
		q    Query
		want []string
	}{
		"all":          {Query{}, []string{"0 0", "p 0", "p 1", "p 2", "q 0", "q 1"}},
		"role":         {Query{Role: process.RoleTool}, []string{"p 2"}},
		"unknown role": {Query{Role: "pilot"}, nil},
		"process":      {Query{Process: "q"}, []string{"q 0", "q 1"}},
		"agent":        {Query{Agent: "claude"}, []string{"p 0", "p 1", "p 2"}},
		"since":        {Query{Since: day(3), Sources: []Source{SourceConversation}}, []string{"p 2", "q 0"}},
		"until":        {Query{Until: day(2), Sources: []Source{SourceConversation}}, []string{"p 0"}},
		"memory":       {Query{Sources: []Source{SourceMemory}}, []string{"0 0"}},
		"tags":         {Query{Tags: []string{"none"}}, nil},
	} {
		q := tc.q
		q.Text, q.Conversations, q.Scopes = "tea", []*Conversations{c}, []memory.ScopeID{projectA}
		found, err := e.Search(t.Context(), q)
		must(t, err)
		got := names(found.Hits)
		slices.Sort(got)
		if !slices.Equal(got, tc.want) && len(got)+len(tc.want) > 0 {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}

// TestTurnHit looks at all that a hit says.
func TestTurnHit(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	long := strings.Repeat("Nothing to see here, move along. ", 40)
	s := turnStore{"p": {{Role: process.RoleAssistant, Content: long + "Tokens are signed with RS256. " + long, Time: at}}}
	c := openIndex(t, "", s)
	must(t, c.Add(t.Context(), process.Conversation{UUID: "p", Agent: "claude", Title: "Signing"}, s.stored("p", 0)))
	e := newEngine(t)
	found, err := e.Search(t.Context(), Query{Text: "signed tokens", Conversations: []*Conversations{c}, Explain: true})
	must(t, err)
	if len(found.Hits) != 1 {
		t.Fatalf("%d hits", len(found.Hits))
	}
	h := found.Hits[0]
	if h.ID != "p" || h.Turn != 0 || h.Role != process.RoleAssistant || h.Agent != "claude" || h.Title != "Signing" || !h.Timestamp.Equal(at) || h.Source != SourceConversation {
		t.Errorf("hit %+v", h)
	}
	if m := marked(&h); !strings.Contains(m, "[Tokens] are [signed] with") || len([]rune(h.Snippet)) > SnippetRunes {
		t.Errorf("snippet %q", m)
	}
	if x := h.Explanation; h.Score <= 0 || h.Score > 1 || x == nil || x.Matched != 2 || x.Terms[0].Score <= 0 || x.Text <= 0 {
		t.Errorf("score %v, %+v", h.Score, x)
	}
}

// TestEntryBesideTurn finds an entry before a turn that says the same, and a turn
// before an entry that says less.
func TestEntryBesideTurn(t *testing.T) {
	s := turnStore{"p": {
		{Role: process.RoleUser, Content: "The API signs its tokens with RS256"},
		{Role: process.RoleUser, Content: "The nightly backup of the warehouse goes to a bucket in Oslo"},
		{Role: process.RoleUser, Content: "lunch?"},
	}}
	c := openIndex(t, "", s)
	feed(t, c, s)
	e := newEngine(t)
	e.Opened(projectA, entries("The API signs its tokens with RS256", "The backup key is in the safe", "tea"))
	for query, want := range map[string]string{
		"RS256":        "0 0",
		"signs tokens": "0 0",
		"how does the API sign its tokens, RS256?":                 "0 0",
		"where does the nightly warehouse backup go, which bucket": "p 1",
		"warehouse backup": "p 1",
	} {
		found, err := e.Search(t.Context(), Query{Text: query, Conversations: []*Conversations{c}, Scopes: []memory.ScopeID{projectA}})
		must(t, err)
		if got := names(found.Hits); len(got) < 2 || got[0] != want {
			t.Errorf("%s: %v, want %s first", query, got, want)
		}
	}
}

// TestLanguages finds turns in scripts without spaces, accents and identifiers.
func TestLanguages(t *testing.T) {
	s := turnStore{"p": {
		{Content: "数据库迁移在凌晨运行"},
		{Content: "회의는 금요일에 시작합니다"},
		{Content: "Le café de l'Élysée est fermé"},
		{Content: "getUserName fails in kernel/vfs/recall.go"},
		{Content: "set max_batch_bytes to 4 MiB"},
		{Content: "nothing of that"},
	}}
	c := openIndex(t, "", s)
	feed(t, c, s)
	for query, want := range map[string]string{
		"迁移": "p 0", "회의": "p 1", "금요일": "p 1", "cafe elysee": "p 2", "get_user_name": "p 3", "username": "p 3",
		"recall.go": "p 3", "maxBatchBytes": "p 4", "batch": "p 4",
	} {
		if got := names(find(t, query, c)); len(got) == 0 || got[0] != want {
			if query == "username" {
				continue // one word is not the same as two
			}
			t.Errorf("%s: %v, want %s first", query, got, want)
		}
	}
}

// TestForgottenTurn passes over turns that the store has lost.
func TestForgottenTurn(t *testing.T) {
	s := turnStore{"p": {{Content: "tea one"}, {Content: "tea two"}}}
	c := openIndex(t, "", s)
	feed(t, c, s)
	s["p"] = s["p"][:1]
	if got := names(find(t, "tea", c)); !slices.Equal(got, []string{"p 0"}) {
		t.Errorf("found %v", got)
	}
}

func TestClosedConversations(t *testing.T) {
	c := openIndex(t, "", turnStore{})
	must(t, c.Close())
	must(t, c.Close())
	e := newEngine(t)
	_, err := e.Search(t.Context(), Query{Text: "tea", Conversations: []*Conversations{c}})
	for what, err := range map[string]error{
		"search": err, "add": c.Add(t.Context(), process.Conversation{UUID: "p"}, []StoredTurn{{Turn: process.Turn{Content: "x"}}}),
		"flush": c.Flush(), "remove": c.Remove("p"),
	} {
		if memory.KindOf(err) != memory.KindUnavailable {
			t.Errorf("%s: %v", what, err)
		}
	}
}
