package doctor

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/paths"
	"github.com/rnixfs/rnixfs/kernel/agents"
)

// agents tells which clients have the MCP server, here and in the user's settings.
func (r *report) agents() {
	home, _ := paths.Home()
	cwd, _ := os.Getwd()
	root, _ := paths.Project(cwd)
	missing := agents.Names(false)
	for _, s := range agents.Servers(os.Getenv, home, root) {
		missing = slices.DeleteFunc(missing, func(name string) bool { return name == s.Agent })
		if _, err := exec.LookPath(s.Command); err != nil {
			r.warn("MCP "+s.Agent, fmt.Sprintf("%s starts %q, which is no program here", s.File, s.Command), "rnixfs install "+s.Agent+" enters this one, unless you have entered that by hand")
			continue
		}
		r.ok("MCP "+s.Agent, s.File)
	}
	if len(missing) > 0 {
		r.ok("MCP", "no entry for "+strings.Join(missing, ", ")+"; rnixfs install makes one")
	}
}
