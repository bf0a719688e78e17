package config_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/config"
)

// TestForAnotherProject: the files of the other project are laid over the user's, and
// those of the own one do not count.
func TestForAnotherProject(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	here := config.Sources{UserDir: filepath.Join(dir, "user"), Project: filepath.Join(dir, "p"), WorkDir: filepath.Join(dir, "p")}
	there := config.Sources{UserDir: here.UserDir, Project: filepath.Join(dir, "q"), WorkDir: filepath.Join(dir, "q")}
	user := put(t, filepath.Join(here.UserDir, "memory.yaml"), "writeback: {max_entries: 2, trigger_threshold: 2}\n")
	put(t, filepath.Join(here.Project, ".rnix", "memory.yaml"), "writeback: {enabled: false, trigger_threshold: 3}\n")
	q := put(t, filepath.Join(there.Project, ".rnix", "memory.yaml"), "writeback: {max_entries: 4}\n")
	base, err := config.Working(ctx, here)
	must(t, err)
	check := func(last *config.Loaded, enabled bool, threshold, most int, refused string) *config.Loaded {
		t.Helper()
		l, err := base.For(ctx, there, last)
		must(t, err)
		if w := l.Config.Writeback; w.Enabled != enabled || w.TriggerThreshold != threshold || w.MaxEntries != most {
			t.Errorf("got %+v", w)
		}
		if got := ""; l.Refused != nil {
			if got = l.Refused.Problems[0].File; got != refused {
				t.Errorf("refused %q, want %q", got, refused)
			}
		} else if refused != "" {
			t.Errorf("nothing was refused of %s", refused)
		}
		return l
	}
	check(nil, true, 2, 4, "")
	put(t, q, "writeback: {enabled: false}\n")
	last := check(nil, false, 2, 2, "")
	// With a mistake in it, what it said before stays, where that is known.
	put(t, q, "writeback: {enabled: no, x: 1}\n")
	last = check(last, false, 2, 2, q)
	check(nil, true, 2, 2, q)
	// So it is with the user's own, which must not switch on what it had switched off.
	put(t, user, "writeback: {trigger_threshold: -1}\n")
	last = check(last, false, 2, 2, user)
	put(t, user, "writeback: {enabled: false, trigger_threshold: 7}\n")
	put(t, q, "writeback: {enabled: true}\n")
	check(last, true, 7, 20, "")
	// The file of --config alone counts.
	there.Explicit = put(t, filepath.Join(dir, "x.yaml"), "writeback: {max_entries: 9}\n")
	check(nil, true, 5, 9, "")
}
