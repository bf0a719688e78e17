package vfs

import (
	"context"
	"testing"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/recall"
)

// TestElsewhere: a person hears of other projects, an agent does not.
func TestElsewhere(t *testing.T) {
	d := &recallDevice{RecallOptions: RecallOptions{Elsewhere: func(context.Context, memory.Caller) []Elsewhere {
		return []Elsewhere{{"/b", "cd '/b' && rnixfs recall WORDS"}}
	}}}
	const here, there = "searched: entries 0, conversations 0\n", "there are conversations in /b: cd '/b' && rnixfs recall WORDS\n"
	for _, tt := range []struct {
		caller memory.Caller
		want   string
	}{
		{memory.Caller{Trust: memory.TrustHuman}, here + there},
		{memory.Caller{Trust: memory.TrustAgent}, here},
		{memory.Caller{}, here},
		{memory.Caller{Trust: memory.TrustHuman, Alone: true}, here},
	} {
		var reply RecallReply
		d.nothing(t.Context(), tt.caller, &recall.Query{}, &reply)
		if got := reply.Nothing(); got != tt.want {
			t.Errorf("%+v: %q", tt.caller, got)
		}
	}
}

// A text is in a result once: an entry's long one whole, beside the part with the words.
func TestResultOnce(t *testing.T) {
	for _, tt := range []struct {
		hit              recall.Hit
		summary, snippet string
	}{
		{recall.Hit{Source: recall.SourceMemory, Entry: &memory.Entry{Content: "short"}, Snippet: "short"}, "short", ""},
		{recall.Hit{Source: recall.SourceMemory, Entry: &memory.Entry{Content: "One. Two. Three."}, Snippet: "Two."}, "One. Two. Three.", "Two."},
		{recall.Hit{Source: recall.SourceConversation, ID: "u", Turn: 1, Snippet: "Two."}, "Two.", ""},
		{recall.Hit{Source: recall.SourceKnowledge, ID: "/a.md", Snippet: "Two."}, "Two.", ""},
	} {
		if r := resultOf(tt.hit); r.Summary != tt.summary || r.Snippet != tt.snippet || r.Found() != tt.hit.Snippet {
			t.Errorf("summary %q, snippet %q, found %q", r.Summary, r.Snippet, r.Found())
		}
	}
}

func TestCitation(t *testing.T) {
	said := time.Date(2027, 1, 31, 23, 0, 0, 0, time.UTC)
	for want, h := range map[string]recall.Hit{
		"u#3, 2027-01-31":     {Source: recall.SourceConversation, ID: "u", Turn: 2, Timestamp: said},
		"u#1":                 {Source: recall.SourceConversation, ID: "u"},
		"port":                {Source: recall.SourceMemory, ID: "u", Key: "port"},
		"file:/a.md#Rollback": {Source: recall.SourceKnowledge, ID: "/a.md", Key: "Rollback"},
	} {
		if got := citation(&h); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
