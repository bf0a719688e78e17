package recall

import (
	"testing"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// TestKinds puts the turn first that has what the question asks for, of turns that have
// the same words; without the kind of the question another one is first.
func TestKinds(t *testing.T) {
	for kind := range kinds {
		if k := kinds[kind]; len(k.phrases) == 0 || signs[k.sign] == nil && k.sign != "closing" && k.sign != "end" && k.sign != "newest" {
			t.Errorf("kind %s has no phrases, or the unknown sign %s", kind, k.sign)
		}
	}
	turn := func(r process.Role, content string) process.Turn { return process.Turn{Role: r, Content: content} }
	gap := []process.Turn{turn(process.RoleUser, "tea"), turn(process.RoleUser, "rain"), turn(process.RoleUser, "snow"), turn(process.RoleUser, "wind")}
	said := func(list ...process.Turn) turnStore {
		var turns []process.Turn
		for _, one := range list {
			turns = append(append(turns, one), gap...)
		}
		return turnStore{"p": turns}
	}
	user, assistant, tool := process.RoleUser, process.RoleAssistant, process.RoleTool
	for question, tc := range map[string]struct {
		store turnStore
		want  string
	}{
		"how did we fix the parser bug": {
			said(turn(user, "a parser bug appears in this and that"), turn(assistant, "the parser bug is gone in this and that")), "p 5",
		},
		"which command runs the linter": {
			said(turn(user, "the linter runs in the whole folder"), turn(assistant, "the linter runs by `make lint` in it")), "p 5",
		},
		"what was the error of the upload": {
			said(turn(user, "the upload of the files at noon today"), turn(tool, "upload of the files failed: not found")), "p 5",
		},
	} {
		if got := first1(t, tc.store, question); got != tc.want {
			t.Errorf("%s: %s came first", question, got)
		}
		was := kindNames
		kindNames = nil
		if got := first1(t, tc.store, question); got == tc.want {
			t.Errorf("%s: the example does not need its kind", question)
		}
		kindNames = was
	}
	if kindOf("wie haben wir den Parser repariert") != nil {
		t.Error("a question in German has a kind")
	}
}
