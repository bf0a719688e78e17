package daemon

import (
	"context"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/paths"
	"github.com/rnixfs/rnixfs/kernel/config"
	"github.com/rnixfs/rnixfs/kernel/writeback"
)

// WritebackEnabled reports whether conversations in a directory are to be learned
// from, and how what is handed in is judged. It reads the configuration and nothing
// else, in about a millisecond. One that can't be read loses no conversation: whoever
// works on the jobs says what is wrong with it.
func WritebackEnabled(ctx context.Context, p paths.Paths, file, dir string) (bool, config.Scanner) {
	project, _ := paths.Project(dir)
	loaded, err := config.Working(ctx, config.Sources{Explicit: file, WorkDir: dir, Project: project, UserDir: p.Config})
	if err != nil {
		return true, config.Default().Scanner
	}
	return loaded.Config.Writeback.Enabled, loaded.Config.Scanner
}

// settingsOf returns what the writeback of a user asks about a conversation.
func (k *Kernel) settingsOf(uid uint32) func(ctx context.Context, project, dir string) writeback.Settings {
	return func(ctx context.Context, project, dir string) writeback.Settings {
		l := k.configOf(ctx, uid, project, dir)
		c := l.Config
		return writeback.Settings{
			Enabled:          l.Own.Enabled && c.Enabled && c.Writeback.Enabled,
			TriggerThreshold: c.Writeback.TriggerThreshold, RequireSuccess: c.Writeback.RequireSuccess, MaxEntries: c.Writeback.MaxEntries,
			Summaries: c.Writeback.Summaries, Model: k.modelOf(uid),
		}
	}
}
