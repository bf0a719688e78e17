package rules_test

import (
	"testing"

	"github.com/rnixfs/rnixfs/kernel/writeback/rules"
)

// TestRequestsOfAnyVerb takes what a person asks to be remembered, whatever its verb.
func TestRequestsOfAnyVerb(t *testing.T) {
	for said, want := range map[string]string{
		"Please remember that the gateway listens on port 9443.":          "The gateway listens on port 9443.",
		"Remember that the staging server restarts at midnight.":          "The staging server restarts at midnight.",
		"Remember that Postgres rejects connections above two hundred.":   "Postgres rejects connections above two hundred.",
		"Don't forget that deploys freeze on the last Friday of a month.": "Deploys freeze on the last Friday of a month.",
	} {
		checkOne(t, row{said, rules.Request, want}, rules.Extract(talk("u "+said)))
	}
}
