package main_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// person runs a script as a person at a terminal does.
func (m *mount) person(script string) {
	m.t.Helper()
	cmd := exec.Command("sh", "-c", script+" && echo do''ne")
	cmd.Dir, cmd.Env = m.work, m.env
	tt := newTerminal(m.t, cmd)
	tt.until("done")
	_ = cmd.Wait()
}

// TestPersonsRemoval: what a person removed stays away from agents' requests and from
// git, until a person brings it back; what an agent removed is its own affair.
func TestPersonsRemoval(t *testing.T) {
	m := newMount(t, "")
	const add = `echo '{"action":"add","content":"Friday is release  day."}' > $MNT/commit 2>/dev/null || jq -r '.code, .error' $MNT/commit; `
	code := func(script string) string {
		t.Helper()
		return strings.SplitN(m.must(script), "\n", 2)[0]
	}
	m.must(`git init -q . && rnixfs commit add --key friday "Friday is release day"
		git add .rnix/memory && git -c user.name=a -c user.email=a@b commit -qm memory`)
	m.must(`rnixfs commit remove key:friday; ` + add + `rnixfs commit remove key:friday-is-release-day; git checkout -q .`)
	m.waitFor("rnixfs commit snapshot", "Friday is release day\n") // an agent's removals are no verdict

	m.person(`rnixfs commit remove key:friday`)
	if got := m.must(add); !strings.HasPrefix(got, "removed\nthis text was removed; a person brings it back") {
		t.Errorf("an agent's add: %s", got)
	}
	if got := code(`rnixfs commit add "friday is release day" >/dev/null 2>&1; echo $?`); got != "22" {
		t.Errorf("an agent's command exits with %s", got)
	}
	m.must(`git worktree add -q ../worktree && cd ../worktree && test -e .rnix/memory/friday.md && test -z "$(rnixfs commit snapshot)"`)
	m.must(`git checkout -q . && test -e .rnix/memory/friday.md`)
	m.waitFor(`ls .rnix/memory | grep -c friday`, "0\n")
	m.must(`! rnixfs check | grep friday >/dev/null || rnixfs check | grep -q 'friday.*a person brings it back'; test -z "$(rnixfs commit snapshot)"`)

	m.person(`rnixfs commit restore friday`)
	m.must(`rnixfs commit remove key:friday; ` + add)
	if got := m.snapshot(); got != "Friday is release  day.\n" {
		t.Errorf("after a person brought it back: %q", got)
	}
	// Somebody without a terminal says so in a word.
	m.must(`rnixfs commit reject 'Friday is release  day.'`)
	if got := m.must(add); !strings.Contains(got, "removed\n") {
		t.Errorf("after reject: %s", got)
	}
	if out, _ := m.sh("grep -ra 'release' " + filepath.Join(m.work, ".rnix/memory/.removed")); out != "" {
		t.Errorf("a tombstone has the text: %s", out)
	}
}
