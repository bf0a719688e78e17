package exchange

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// readRnix reads MEMORY.md and USER.md: a line that begins with § is an entry, and
// nothing else is.
func readRnix(_ context.Context, s *source) error {
	return s.each([]string{"MEMORY.md", "USER.md"}, func(rel, text string) error {
		var target memory.Scope
		switch dir := filepath.Dir(filepath.Join(s.path, rel)); {
		case strings.HasSuffix(rel, "USER.md"):
			target = memory.ScopeUser
		case strings.HasSuffix(dir, "/rnix/memory"), strings.HasSuffix(dir, "/global/memory"):
			target = memory.ScopeGlobal
		}
		n, others := 0, 0
		for line := range strings.Lines(text) {
			n++
			content, is := strings.CutPrefix(strings.TrimSpace(line), "§")
			switch {
			case is && content != "":
				s.add(fmt.Sprintf("%s:%d", rel, n), content, "").Target = string(target)
			case content != "":
				others++
			}
		}
		if others > 0 {
			s.skip(rel, fmt.Sprintf("%d of its lines do not begin with §", others))
		}
		return nil
	})
}
