package rules_test

import (
	"slices"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/writeback/rules"
)

// TestAgain holds that what is told of the same, in one breath or later in the
// conversation, is one entry, and that other things are entries of their own.
func TestAgain(t *testing.T) {
	for name, c := range map[string]struct {
		said []string
		want []string
	}{
		"in one breath": {
			[]string{"u I adopted a greyhound from the shelter. My kids love long walks with the dog."},
			[]string{"The user adopted a greyhound from the shelter. The user's kids love long walks with the dog."},
		},
		"later": {
			[]string{"u I used to play drums when I was younger, but I stopped at college.", "a Nice!", "u Playing drums when I was younger was a great outlet."},
			[]string{"The user used to play drums when they were younger, but they stopped at college. Playing drums when the user was younger was a great outlet."},
		},
		"nothing new": {
			[]string{"u My family motivates me to strive for change.", "a Sweet.", "u My family motivates me."},
			[]string{"The user's family motivates them to strive for change."},
		},
		"other things": {
			[]string{"u I adopted a greyhound from the shelter.", "a Nice!", "u I joined a choir in Leeds last month."},
			[]string{"The user adopted a greyhound from the shelter.", "The user joined a choir in Leeds last month."},
		},
		"what is sure stands alone": {
			[]string{"u I adopted a greyhound from the shelter. I'm allergic to shellfish."},
			[]string{"The user adopted a greyhound from the shelter.", "The user is allergic to shellfish."},
		},
	} {
		got := contents(talk(append([]string{"a How are you?"}, c.said...)...), rules.Options{})
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// TestOpened holds that what leads over to a tale is left out.
func TestOpened(t *testing.T) {
	for said, want := range map[string]string{
		"Speaking of trips, I drove to Oslo last week.":                   "The user drove to Oslo last week.",
		"On another note, I adopted a greyhound from the shelter.":        "The user adopted a greyhound from the shelter.",
		"Best of all, my daughter won a scholarship.":                     "The user's daughter won a scholarship.",
		"Wanted to let you know that I'm running for the council.":        "The user is running for the council.",
		"I have some great news - I joined a choir in Leeds!":             "The user joined a choir in Leeds.",
		"Great idea, except I don't like dark beer.":                      "The user doesn't like dark beer.",
		"Maria, last week I drove to Oslo with my sister.":                "Last week the user drove to Oslo with their sister.",
		"I drove to Oslo with my sister while you were working.":          "The user drove to Oslo with their sister.",
		`I'm really into this book called "Momo".`:                        `The user is really into a book called "Momo".`,
		"Here's a picture I took on vacation last summer in the Pyrenees": "The user took a photo on vacation last summer in the Pyrenees.",
		"It has been great seeing us sing at my sister's wedding.":        "",
		"Remember that epic save in the cup final?":                       "",
	} {
		got := contents(talk("a How are you?", "u "+said), rules.Options{})
		if want == "" && len(got) != 0 || want != "" && !slices.Equal(got, []string{want}) {
			t.Errorf("%q: got %q, want %q", said, got, want)
		}
	}
}
