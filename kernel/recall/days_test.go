package recall

import (
	"slices"
	"testing"
	"time"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// TestDays reads the time that a question names by the asker's clock, a Sunday evening
// in Berlin.
func TestDays(t *testing.T) {
	zone := time.FixedZone("CEST", 2*60*60)
	now := time.Date(2025, 5, 4, 23, 30, 0, 0, zone)
	for question, want := range map[string][2]string{
		"What did I work on on 29 April 2025?": {"2025-04-29", "2025-04-30"},
		"what did I do on 2025-04-29":          {"2025-04-29", "2025-04-30"},
		"June 23rd 2024 work":                  {"2024-06-23", "2024-06-24"},
		"what did I do in June":                {"2024-06-01", "2024-07-01"},
		"what did I work on yesterday":         {"2025-05-03", "2025-05-04"},
		"what did I do on Monday":              {"2025-04-28", "2025-04-29"},
		"what was I doing last week":           {"2025-04-21", "2025-04-28"},
		"what did I do 26th to 31st January":   {"2025-01-26", "2025-02-01"},
	} {
		q := Query{Text: question}
		q.days(now)
		if got := [2]string{q.Since.Format(time.DateOnly), q.Until.Format(time.DateOnly)}; got != want || !q.lists || q.Since.Location() != zone {
			t.Errorf("%s: %v, lists %t", question, got, q.lists)
		}
	}
	for _, question := range []string{"why did the parser fail on Monday", "what did I do about the parser on Monday", "what did I do about tea", "what did I do"} {
		q := Query{Text: question}
		if q.days(now); q.lists || !q.Since.IsZero() {
			t.Errorf("%s: since %v, lists %t", question, q.Since, q.lists)
		}
	}
}

// TestLast puts the newest of the good matches first.
func TestLast(t *testing.T) {
	on := func(day int, content string) []process.Turn {
		return []process.Turn{{Role: process.RoleUser, Content: content, Time: time.Date(2025, 4, day, 0, 0, 0, 0, time.UTC)}}
	}
	s := turnStore{"a": on(1, "the release of the tool went out"), "b": on(9, "then the release of the tool went out well"), "c": on(20, "the tool is rusty, oil it")}
	if got := first1(t, s, "release of the tool went out"); got != "a 0" {
		t.Errorf("by words %s", got)
	}
	if got := first1(t, s, "when did I last release the tool, it went out"); got != "b 0" {
		t.Errorf("the last is %s", got)
	}
}

// TestDayList lists the conversations of a day, one result each, in order.
func TestDayList(t *testing.T) {
	at := time.Date(2025, 4, 29, 8, 0, 0, 0, time.UTC)
	turn := func(d time.Duration, r process.Role, content string) process.Turn {
		return process.Turn{Role: r, Content: content, Time: at.Add(d)}
	}
	s := turnStore{
		"late":  {turn(9*time.Hour, process.RoleUser, "tests are red"), turn(10*time.Hour, process.RoleUser, "still red")},
		"early": {turn(-24*time.Hour, process.RoleUser, "the day before"), turn(0, process.RoleAssistant, "good morning"), turn(time.Minute, process.RoleUser, "which build is broken? mend it")},
		"other": {turn(48*time.Hour, process.RoleUser, "what did I work on on 29 April 2025?")},
	}
	c := openIndex(t, "", s)
	feed(t, c, s)
	if got := names(find(t, "What did I work on on 29 April 2025?", c)); !slices.Equal(got, []string{"early 2", "late 0"}) {
		t.Errorf("that day: %v", got)
	}
	e := newEngine(t)
	found, err := e.Search(t.Context(), Query{Text: "What did I work on on 29 April 2025?", Conversations: []*Conversations{c}})
	must(t, err)
	want := []Sentence{{Text: "which build is broken?", Hit: 0}, {Text: "tests are red", Hit: 1}}
	if got := found.Digest(1000); !slices.Equal(got, want) {
		t.Errorf("the digest of that day: %v", got)
	}
	if got := names(find(t, "What did I work on on 3 June 2024?", c)); len(got) > 0 {
		t.Errorf("a day without conversations: %v", got)
	}
}
