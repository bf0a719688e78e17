package rules_test

import (
	"reflect"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/memory"
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
		"Scratch that, never squash the commits.":                {"Never squash the commits."},
		"No, scratch that: always rebase onto main.":             {"Always rebase onto main."},
		"Forget that - always use the merge button.":             {"Always use the merge button."},
		"Forget that, never mind.":                               nil,
		"Never mind, forget that.":                               nil,
		"Forget that, please.":                                   nil,
		"Oh, scratch that.":                                      nil,
		"Actually forget that.":                                  nil,
		"no wait, ignore what I just said":                       nil,
		"Hmm, on second thought, forget it.":                     nil,
		"ok never mind":                                          nil,
		"Please disregard my last message, sorry.":               nil,
		"You know what? Forget about that.":                      nil,
		"Could you forget that?":                                 nil,
		"Oops, scratch that, I meant: never squash the commits.": {"Never squash the commits."},
		"Scratch the part about the tests.":                      stays,
		"Forget it, it's fine.":                                  stays,
		"Ignore this: it's only a log.":                          stays,
		"Undo that - the build fails now.":                       stays,
		"Cancel that, and run the tests.":                        stays,
		"I take that back, sorry.":                               nil,
		"Scratch that last one.":                                 nil,
		"Never mind the failing test in the parser.":             stays,
		"Ignore that file.":                                      stays,
		"Forget that the tests failed, that was my fault.":       stays,
		"Never mind, I found it.":                                stays,
		"Did I say scratch that?":                                stays,
		"Undo that commit.":                                      stays,
		"He said to forget that.":                                stays,
	} {
		if got := contents(talk(session(first, said)...)); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %q, want %q", said, got, want)
		}
	}
}

func TestForNow(t *testing.T) {
	check(t, []row{
		{"For now, always skip the slow tests.", "", ""},
		{"For now, never touch the database.", "", ""},
		{"For today, always use the staging key.", "", ""},
		{"For this task, always use tabs.", "", ""},
		{"Always skip the slow tests for now.", "", ""},
		{"Always skip the slow tests, just this once.", "", ""},
		{"Never deploy to staging until Friday.", "", ""},
		{"Always use the short names in this PR.", "", ""},
		{"This time, never touch the lock file.", "", ""},
		{"Never touch the lock file this time.", "", ""},
		{"Always print the elapsed time in this script's output.", "", ""},
		{"Always skip the slow tests. Just for now.", "", ""},
		{"Never commit for the time being.", "", ""},
		{"While we debug this, always print the headers.", "", ""},
		{"Always use the mock server for the rest of this session.", "", ""},
		{"Until the release, never merge to main.", "", ""},

		{"From now on, always skip the slow tests.", rules.Instruction, "Always skip the slow tests."},
		{"In this repo, always use tabs.", rules.Instruction, "In this repo, always use tabs."},
		{"Always put today's date into the changelog.", rules.Instruction, "Always put today's date into the changelog."},
		{"Never push to main until the tests pass.", rules.Instruction, "Never push to main until the tests pass."},
		{"Always run the linter every time, not just this time.", rules.Instruction, "Always run the linter every time, not just this time."},
		{"Always run this script before a release.", "", ""},
	})
}

func TestGlobal(t *testing.T) {
	for _, r := range []struct {
		said   string
		target memory.Scope
		want   string // "" when nothing is worth it
	}{
		{"Record this as a global rule: never push on a Friday.", memory.ScopeGlobal, "Never push on a Friday."},
		{"Save this as a global preference: commit messages are in English.", memory.ScopeGlobal, "Commit messages are in English."},
		{"In all my projects, commit messages are written in Dutch.", memory.ScopeGlobal, "Commit messages are written in Dutch."},
		{"Please remember in all my projects that commit messages are written in Dutch.", memory.ScopeGlobal, "Commit messages are written in Dutch."},
		{"Remember for all my projects: never push on a Friday.", memory.ScopeGlobal, "Never push on a Friday."},
		{"Remember that in all my projects commits are signed.", memory.ScopeGlobal, "Commits are signed."},
		{"Remember for all projects that my timezone is CET.", memory.ScopeUser, "My timezone is CET."},
		{"In all my projects I use tabs.", memory.ScopeGlobal, "I use tabs."},
		{"This globally: the VPN must be on for deploys.", memory.ScopeGlobal, "The VPN must be on for deploys."},
		{"Remember this globally: the VPN must be on for deploys.", memory.ScopeGlobal, "The VPN must be on for deploys."},
		{"Across all my repositories, always run gofmt.", memory.ScopeGlobal, "Always run gofmt."},
		{"Global rule: always sign the commits.", memory.ScopeGlobal, "Always sign the commits."},
		{"For every project of mine: don't use panic in library code.", memory.ScopeGlobal, "Don't use panic in library code."},
		{"Remember globally that releases are cut on Thursdays.", memory.ScopeGlobal, "Releases are cut on Thursdays."},
		{"Make this a global rule: never commit secrets.", memory.ScopeGlobal, "Never commit secrets."},
		{"Apply this everywhere: use conventional commits.", memory.ScopeGlobal, "Use conventional commits."},
		{"I use tabs in all my projects.", memory.ScopeGlobal, "I use tabs in all my projects."},

		{"In all my projects, do I use tabs?", "", ""},
		{"In all my projects I have seen this bug.", "", ""},
		{"In all my projects the tests are slow.", "", ""},
		{"The global variable is set in init.", "", ""},
		{"This global thing: what is it?", "", ""},
		{"Record this as a global rule?", "", ""},
		{"Record this as a global rule: not just for this one.", "", ""},
	} {
		got := rules.Extract(worked(r.said))
		switch {
		case r.want == "" && len(got) > 0:
			t.Errorf("%q: got %q, want nothing", r.said, got[0].Content)
		case r.want != "" && (len(got) != 1 || got[0].Content != r.want || got[0].Target != r.target):
			t.Errorf("%q: got %v, want %s %q", r.said, got, r.target, r.want)
		}
	}
	got := rules.Extract(worked("Always sign your commits. Record this as a global rule: never push on a Friday."))
	if len(got) != 2 || got[0].Target != memory.ScopeProject || got[1].Target != memory.ScopeGlobal {
		t.Errorf("a global rule beside another: %v", got)
	}
}
