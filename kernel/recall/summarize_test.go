package recall

import (
	"context"
	"errors"
	"slices"
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
	if got := extract(hits, 1000).Text; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for budget := range 60 {
		if got := extract(hits, budget).Text; utf8.RuneCountInString(got) > budget {
			t.Errorf("budget %d: %q", budget, got)
		}
	}
	if got := extract(nil, 100).Text; got != "" {
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
	got, err := Summarize(t.Context(), nil, "tokens", hits, 500)
	if err != nil {
		t.Fatal(err)
	}
	want := []Sentence{
		{"The API signs tokens.", SourceMemory, "e1", 0, "signing"},
		{"We sign tokens with RS256!", SourceConversation, "p1", 7, "Fix the login, 2026-05-04, turn 8"},
	}
	if !slices.Equal(got.Sentences, want) {
		t.Errorf("got %+v", got.Sentences)
	}
	if got.Text != "- The API signs tokens. (signing)\n- We sign tokens with RS256! (Fix the login, 2026-05-04, turn 8)" {
		t.Errorf("text %q", got.Text)
	}
}

type fixedSummary struct {
	text string
	err  error
}

func (f fixedSummary) Summarize(context.Context, string, []Hit, int) (Summary, error) {
	return Summary{Text: f.text}, f.err
}

func TestSummaryFallback(t *testing.T) {
	hits := []Hit{{ID: "e1", Key: "k", Source: SourceMemory, Snippet: "tea"}}
	for _, c := range []struct {
		first Summarizer
		want  string
	}{
		{nil, "- tea (k)"},
		{fixedSummary{text: "All about tea."}, "All about tea."},
		{fixedSummary{err: errors.New("down")}, "- tea (k)"},
		{fixedSummary{}, "- tea (k)"},
		{fixedSummary{text: strings.Repeat("x", 101)}, "- tea (k)"},
	} {
		if got, err := Summarize(t.Context(), c.first, "tea", hits, 100); err != nil || got.Text != c.want {
			t.Errorf("%+v: %q, %v; want %q", c.first, got.Text, err, c.want)
		}
	}
}
