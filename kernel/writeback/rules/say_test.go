package rules_test

import (
	"reflect"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/writeback/rules"
)

// session is a talk about work in which the user says one thing a turn.
func session(said ...string) []string {
	lines := []string{"u go", "a Done."}
	for _, s := range said {
		lines = append(lines, "t Read(a)\nb", "u "+s, "a ok")
	}
	return lines
}

func TestTakenBack(t *testing.T) {
	const first = "From now on, always squash the commits."
	stays := []string{"Always squash the commits."}
	for said, want := range map[string][]string{
		"Scratch that, never squash the commits.":          {"Never squash the commits."},
		"No, scratch that: always rebase onto main.":       {"Always rebase onto main."},
		"Forget that - always use the merge button.":       {"Always use the merge button."},
		"Forget that, never mind.":                         nil,
		"Never mind, forget that.":                         nil,
		"Forget that, please.":                             nil,
		"Oh, scratch that.":                                nil,
		"Actually forget that.":                            nil,
		"no wait, ignore what I just said":                 nil,
		"Hmm, on second thought, forget it.":               nil,
		"ok never mind":                                    nil,
		"Please disregard my last message, sorry.":         nil,
		"You know what? Forget about that.":                nil,
		"Could you forget that?":                           nil,
		"Forget what I said about the commits.":            nil,
		"I take that back, sorry.":                         nil,
		"Scratch that last one.":                           nil,
		"Never mind the failing test in the parser.":       stays,
		"Ignore that file.":                                stays,
		"Forget that the tests failed, that was my fault.": stays,
		"Never mind, I found it.":                          stays,
		"Did I say scratch that?":                          stays,
		"Undo that commit.":                                stays,
		"He said to forget that.":                          stays,
	} {
		if got := contents(talk(session(first, said)...), rules.Options{}); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %q, want %q", said, got, want)
		}
	}
}
