package daemon

import (
	"context"

	"github.com/rnixfs/rnixfs/kernel/memory/config"
)

// WritebackEnabled reports whether conversations in a directory are to be learned
// from. It reads the configuration and nothing else, in about a millisecond. One
// that can't be read loses no conversation: whoever works on the jobs says what is
// wrong with it.
func WritebackEnabled(ctx context.Context, p Paths, file, dir string) bool {
	project, _ := Project(dir)
	loaded, err := config.Working(ctx, config.Sources{Explicit: file, WorkDir: dir, Project: project, UserDir: p.Config})
	return err != nil || loaded.Config.Writeback.Enabled
}
