package recall

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

func numbered(n int) (words []string) {
	for i := range n {
		words = append(words, fmt.Sprint("w", i))
	}
	return words
}

// TestFold: what says the same is one hit, at the place of the first; numbers keep texts
// apart, and documents stay.
func TestFold(t *testing.T) {
	turn := func(id string, n int, text string) candidateHit {
		return candidateHit{hit: Hit{ID: id, Turn: n, Source: SourceConversation, Score: .9}, turnID: fmt.Sprint("t", n), text: text, passage: Span{0, len(text)}}
	}
	entry := func(id, text string, turns ...string) candidateHit {
		e := &memory.Entry{ID: id, Content: text, Source: memory.Source{Process: "a", Turns: turns}}
		return candidateHit{hit: Hit{ID: id, Source: SourceMemory, Score: .5, Entry: e}, text: text}
	}
	section := candidateHit{hit: Hit{ID: "d", Source: SourceKnowledge}, text: "The same."}
	const long = "the deploy of the shop failed since the migration held a lock on the table of orders for 14 minutes and more"
	for name, tt := range map[string]struct {
		found []candidateHit
		want  string
	}{
		"nothing":          {nil, ""},
		"case and spacing": {[]candidateHit{turn("a", 1, "Use RS256."), turn("b", 2, "use\n rs256"), turn("c", 3, "Use ES256.")}, "a+1[b2] c"},
		"a word more":      {[]candidateHit{turn("a", 1, long), turn("b", 2, "So, "+long+" too")}, "a+1[b2]"},
		"another number":   {[]candidateHit{turn("a", 1, long), turn("b", 2, strings.Replace(long, "14", "15", 1))}, "a b"},
		"much more":        {[]candidateHit{turn("a", 1, long), turn("b", 2, long+" and "+strings.Join(numbered(40), " "))}, "a b"},
		"short":            {[]candidateHit{turn("a", 1, "we should use it"), turn("b", 2, "we should not use it")}, "a b"},
		"entries":          {[]candidateHit{entry("e", long), entry("f", long+" now"), entry("g", strings.ToUpper(long))}, "e+1[g0] f"},
		"learned after":    {[]candidateHit{turn("b", 9, "x"), turn("a", 1, "so it is 8443 then"), entry("e", "The port is 8443", "t1")}, "b e+1[a1]"},
		"learned before":   {[]candidateHit{entry("e", "The port is 8443", "t1"), turn("a", 1, "so it is 8443 then")}, "e+1[a1]"},
		"of two turns":     {[]candidateHit{turn("a", 1, "one"), turn("b", 1, "other"), turn("a", 2, "two"), entry("e", "both", "t1", "t2"), turn("c", 3, "TWO")}, "e+3[a1 a2 c3] b"},
		"many":             {[]candidateHit{turn("a", 1, "x"), turn("a", 2, "x"), turn("a", 3, "x"), turn("a", 4, "x"), turn("a", 5, "x")}, "a+4[a2 a3 a4]"},
		"documents":        {[]candidateHit{section, section}, "d d"},
	} {
		kept, joined := fold(tt.found)
		got := []string{}
		for _, c := range kept {
			h, also := &c.hit, []string{}
			for _, p := range h.Also {
				also = append(also, fmt.Sprint(p.ID, p.Turn))
			}
			if joined -= h.Same; h.Same == 0 {
				got = append(got, h.ID)
			} else {
				got = append(got, fmt.Sprintf("%s+%d[%s]", h.ID, h.Same, strings.Join(also, " ")))
			}
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" || joined != 0 {
			t.Errorf("%s: %d not counted\n%s", name, joined, diff)
		}
	}
}
