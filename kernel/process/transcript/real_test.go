package transcript

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// TestRealHistories reads the real files of RNIXFS_EVAL_DATA, which are not ours
// to keep here.
func TestRealHistories(t *testing.T) {
	root := os.Getenv("RNIXFS_EVAL_DATA")
	if root == "" {
		t.Skip("RNIXFS_EVAL_DATA is not set")
	}
	for _, kind := range []struct{ format, ext string }{{"specstory", "*.md"}, {"sweagent", "*.traj"}} {
		t.Run(kind.format, func(t *testing.T) {
			paths, err := filepath.Glob(filepath.Join(root, "histories", kind.format, kind.ext))
			if err != nil || len(paths) == 0 {
				t.Skipf("no histories: %v", err)
			}
			conversations, roles, failed := 0, map[process.Role]int{}, 0
			skipped := map[string]int{}
			for _, path := range paths {
				f, err := Detect(path)
				if err != nil {
					t.Logf("%s: %v", filepath.Base(path), err) // a file of another kind in the folder
					continue
				}
				if f.Name() != kind.format {
					t.Errorf("%s is taken for %s", filepath.Base(path), f.Name())
				}
				h := take(t, f, path)
				if h.err != nil || len(h.conversations) == 0 {
					t.Errorf("%s: %d conversations, %v", filepath.Base(path), len(h.conversations), h.err)
				}
				sane(t, h)
				conversations += len(h.conversations)
				for kind, n := range h.skips {
					skipped[kind] += n
				}
				for _, c := range h.conversations {
					for _, turn := range c.Turns {
						roles[turn.Role]++
						if turn.Failed {
							failed++
						}
					}
				}
			}
			t.Logf("%d files, %d conversations, turns %v, %d failed, skipped %v", len(paths), conversations, roles, failed, skipped)
			if conversations == 0 || roles[process.RoleUser] == 0 || roles[process.RoleAssistant] == 0 || roles[process.RoleTool] == 0 {
				t.Error("a role never speaks")
			}
		})
	}
}
