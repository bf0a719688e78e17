package recall

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// TestTurnFeatures holds each part of the ranking to an example in which it alone
// puts the right turn first: without its weight another one is.
func TestTurnFeatures(t *testing.T) {
	say := func(content string) process.Turn { return process.Turn{Role: process.RoleUser, Content: content} }
	answer := func(content string) process.Turn { return process.Turn{Role: process.RoleAssistant, Content: content} }
	on := func(month time.Month, content string) process.Turn {
		return process.Turn{Role: process.RoleUser, Content: content, Time: time.Date(2025, month, 9, 0, 0, 0, 0, time.UTC)}
	}
	other := []process.Turn{say("the garden has a wall"), say("rain is likely, bring a coat"), say("a parcel came by post")}
	for name, tc := range map[string]struct {
		turnStore turnStore
		query     string
		want      string
		without   func(*tuning)
	}{
		"the reply to a question comes before the question": {
			turnStore{"p": {say("Ada: Hello there, good morning"), say("Ada: Which breed of dog did you adopt?"), say("Ben: A beagle from the shelter in town")}, "q": other},
			"which breed of dog was adopted", "p 2",
			func(w *tuning) { w.asking, w.answering = 0, 0 },
		},
		"a turn is found by the words beside it": {
			turnStore{"a": {say("the staging cluster is on the move"), say("the car is parked"), say("the sun is out"), say("it went to Frankfurt after all, with nobody there")}, "p": {say("the car is parked"), say("the sun is out"), say("the staging cluster is on the move"), say("it went to Frankfurt after all, with nobody there")}, "q": {say("staging is down again, says the monitor"), say("all of it"), say("so is the staging of the opera, I hear")}},
			"Frankfurt, staging", "p 3",
			func(w *tuning) { w.neighbours = 0 },
		},
		"a month is the month of the turn": {
			turnStore{"a": {on(time.March, "we went hiking in the hills near home")}, "b": {on(time.June, "we went hiking in the hills near home")}, "c": {on(time.August, "we went hiking in the hills near home")}, "d": append(other, say("June is my aunt"))},
			"hiking in June", "b 0",
			func(w *tuning) { w.dates = 0 },
		},
		"who speaks counts more than who is spoken of": {
			turnStore{"a": {say("Ben: Ada, the concert was wonderful for everyone")}, "b": {say("Ada: Ben, the concert was wonderful for everyone")}, "c": other},
			"what did Ben say of the concert", "a 0",
			func(w *tuning) { w.speaker = 0 },
		},
		"a person's words count more than an assistant's": {
			turnStore{"b": {say("the printer is on the second floor of the building")}, "a": {answer("the printer is on the second floor of the building")}, "c": other},
			"printer floor", "b 0",
			func(w *tuning) { w.roles[1] = 1 },
		},
		"a conversation about it": {
			turnStore{
				"a": {say("the heating broke, said the landlord"), say("so we went out"), say("nothing else"), say("more of nothing at all to see")},
				"b": {say("the heating broke, said the landlord"), say("so we went out"), say("nothing else"), say("the repair costs a fortune each time")},
				"c": other, "d": {say("a repair of the roof"), say("another repair of the car")},
			},
			"heating landlord repair", "b 0",
			func(w *tuning) { w.session = 0 },
		},
		"a greeting says little": {
			turnStore{"b": append([]process.Turn{say("Our thanks to Quentin, who carried the piano up to the fifth floor all alone")}, append(other, say("Quentin!"))...), "c": other},
			"Quentin", "b 0",
			func(w *tuning) { w.short = 0 },
		},
	} {
		if got := first1(t, tc.turnStore, tc.query); got != tc.want {
			t.Errorf("%s: %s came first, not %s", name, got, tc.want)
		}
		WithTuning(tc.without, func() {
			if got := first1(t, tc.turnStore, tc.query); got == tc.want {
				t.Errorf("%s: the example does not need it", name)
			}
		})
	}
}

func first1(t *testing.T, s turnStore, query string) string {
	c := openIndex(t, "", s)
	feed(t, c, s)
	got := names(find(t, query, c))
	if len(got) == 0 {
		return "nothing"
	}
	return got[0]
}

// TestTurnTies orders what is equal by time, then by name, in any order of adding.
func TestTurnTies(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	turn := func(d time.Duration) []process.Turn {
		return []process.Turn{{Role: process.RoleUser, Content: "tea in the morning", Time: at.Add(d)}}
	}
	s := turnStore{"a": turn(0), "b": turn(time.Hour), "c": turn(0)}
	for range 5 {
		c := openIndex(t, "", s)
		feed(t, c, s) // in the order of a map
		if got := names(find(t, "tea", c)); !slices.Equal(got, []string{"b 0", "a 0", "c 0"}) {
			t.Errorf("order %v", got)
		}
	}
}

// TestNameAlone finds a turn that says nothing but the name that is asked for, before
// longer ones that have its parts.
func TestNameAlone(t *testing.T) {
	s := turnStore{}
	for i := range 400 {
		content := fmt.Sprintf("w73x%dx%dz", i/20, i%20)
		if i != 42 {
			content += strings.Repeat(" and more of it", 20)
		}
		s["a"] = append(s["a"], process.Turn{Role: process.RoleUser, Content: content})
	}
	if got := first1(t, s, "w73x2x2z"); got != "a 42" {
		t.Errorf("%s came first", got)
	}
}
