package fuse

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// TestCrossTalk has many shells ask at once, all children of this process, and
// counts the answers that were somebody else's. RNIXFS_ROUNDS scales it.
func TestCrossTalk(t *testing.T) {
	shells, rounds := 64, 20
	if testing.Short() {
		shells, rounds = 16, 10
	}
	if n, err := strconv.Atoi(os.Getenv("RNIXFS_ROUNDS")); err == nil {
		rounds = n
	}
	m := mount(t, serving{})
	for name, tt := range map[string]struct {
		share int // of the rounds
		round string
	}{
		"builtin writer, child reader": {1, `echo "{\"q\":\"$Q\"}" > $M/recall; A=$(cat $M/recall)`},
		"builtin both":                 {1, `echo "{\"q\":\"$Q\"}" > $M/recall; read -r A < $M/recall`},
		"children both":                {5, `sh -c "echo '{\"q\":\"$Q\"}' > $M/recall"; A=$(sh -c "cat $M/recall | cat")`},
		"status between":               {5, `echo "{\"q\":\"$Q\"}" > $M/recall; cat $M/status > /dev/null; ls -l $M > /dev/null; A=$(cat $M/recall)`},
	} {
		t.Run(name, func(t *testing.T) {
			n := max(rounds/tt.share, 1)
			var wg sync.WaitGroup
			bad := make([]string, shells)
			for i := range shells {
				wg.Go(func() {
					script := fmt.Sprintf(`for r in $(seq %d); do Q=agent%d-$r; %s; case $A in *"\"$Q\""*) ;; *) echo "$Q: $A";; esac; done`, n, i, tt.round)
					out, errs, _ := m.sh(t, "bash", script)
					bad[i] = out + errs
				})
			}
			wg.Wait()
			if all := strings.Join(bad, ""); all != "" {
				t.Errorf("%d of %d answers are wrong:\n%.600s", strings.Count(all, "\n"), shells*n, all)
			}
		})
	}
}

// TestNotMine: what a sibling asked is not shown while the sibling lives, nor to
// another user.
func TestNotMine(t *testing.T) {
	m := mount(t, serving{Options: settings{AllowOther: true}})
	out, _, _ := m.sh(t, "bash", `bash -c "echo '{\"q\":\"theirs\"}' > $M/recall; sleep 1" & sleep 0.3; cat $M/recall; wait; cat $M/recall`)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], `"help"`) || !strings.Contains(lines[1], "theirs") {
		t.Errorf("a living sibling's reply, then a dead child's: %q", out)
	}
	if os.Geteuid() != 0 {
		t.Skip("needs root to be another user")
	}
	need(t, "setpriv")
	other := "setpriv --reuid 4242 --regid 4242 --clear-groups"
	out, errs, _ := m.sh(t, "bash", `chmod 755 $M/../.. ; echo '{"q":"roots"}' > $M/recall; `+other+` cat $M/recall; `+
		other+` sh -c 'echo "{\"q\":\"mine\"}" > $M/recall; cat $M/recall'; cat $M/recall; `+other+` sh -c 'echo x > $M/status'`)
	lines = strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 3 || !strings.Contains(lines[0], `"help"`) || !strings.Contains(lines[1], `"uid":4242`) || !strings.Contains(lines[2], "roots") {
		t.Errorf("%q %q", out, errs)
	}
	if !strings.Contains(errs, "Permission denied") {
		t.Errorf("writing to a file without write permission: %q", errs)
	}
}
