package rules

import (
	"testing"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// TestRequestsOfAnyVerb takes what a person asks to be remembered, whatever its verb.
func TestRequestsOfAnyVerb(t *testing.T) {
	for said, want := range map[string]string{
		"Please remember that the gateway listens on port 9443.":          "The gateway listens on port 9443.",
		"Remember that the staging server restarts at midnight.":          "The staging server restarts at midnight.",
		"Remember that Postgres rejects connections above two hundred.":   "Postgres rejects connections above two hundred.",
		"Don't forget that deploys freeze on the last Friday of a month.": "Deploys freeze on the last Friday of a month.",
	} {
		c := process.Transcript{Turns: []process.Turn{{ID: "1", Role: process.RoleUser, Content: said}}}
		list := Extract(c, Options{})
		if len(list) != 1 || list[0].Content != want || list[0].Category != Request {
			t.Errorf("%q gives %+v, want %q", said, list, want)
		}
	}
}

// TestIntroductions takes who somebody is, with a name before it, too.
func TestIntroductions(t *testing.T) {
	for said, want := range map[string]string{
		"I'm Ruben, a data engineer in Gent.": "The user is Ruben, a data engineer in Gent.",
		"I'm a data engineer in Gent.":        "The user is a data engineer in Gent.",
		"I'm colour blind.":                   "The user is colour blind.",
		"I'm Happy, a bit at least.":          "",
	} {
		c := process.Transcript{Turns: []process.Turn{{ID: "1", Role: process.RoleUser, Content: "Hello."}, {ID: "2", Role: process.RoleUser, Content: said}}}
		got := ""
		for _, x := range Extract(c, Options{}) {
			got += x.Content
		}
		if got != want {
			t.Errorf("%q gives %q, want %q", said, got, want)
		}
	}
}
