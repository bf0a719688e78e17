package recall

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestSummarize(t *testing.T) {
	hit := func(key, snippet, word string) Hit {
		h := Hit{Key: key, Snippet: snippet}
		if i := strings.Index(snippet, word); i >= 0 {
			h.Marks = []Span{{i, i + len(word)}}
		}
		return h
	}
	hits := []Hit{
		hit("a", "We use Go 1.26. The API signs tokens. Done", "tokens"),
		hit("b", "We use Go 1.26. The API signs tokens. Done", "tokens"), // says nothing new
		hit("c", "数据库迁移。令牌签名！", "令牌"),
		hit("d", "no mark here", "absent"),
	}
	want := "- The API signs tokens. (a)\n- 令牌签名！ (c)\n- no mark here (d)"
	if got := Summarize(hits, 1000); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for budget := range 60 {
		if got := Summarize(hits, budget); utf8.RuneCountInString(got) > budget {
			t.Errorf("budget %d: %q", budget, got)
		}
	}
	if got := Summarize(nil, 100); got != "" {
		t.Errorf("without hits: %q", got)
	}
}

func TestSummarySources(t *testing.T) {
	when := time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC)
	hits := []Hit{
		{ID: "e1", Key: "signing", Source: SourceMemory, Snippet: "The API signs tokens."},
		{ID: "p1", Source: SourceConversation, Turn: 7, Title: "Fix the login", Timestamp: when, Snippet: "We sign tokens with RS256!"},
		{ID: "p1", Source: SourceConversation, Turn: 9, Snippet: "the API signs tokens"}, // was said
	}
	if got := Summarize(hits, 500); got != "- The API signs tokens. (signing)\n- We sign tokens with RS256! (Fix the login, 2026-05-04, turn 8)" {
		t.Errorf("text %q", got)
	}
}
