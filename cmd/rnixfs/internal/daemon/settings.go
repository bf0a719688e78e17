package daemon

import (
	"context"
	"sync"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/paths"
	"github.com/rnixfs/rnixfs/kernel/config"
	"github.com/rnixfs/rnixfs/kernel/process/importer"
	"github.com/rnixfs/rnixfs/kernel/writeback"
)

// WritebackEnabled reports whether conversations in a directory are to be learned
// from. It reads the configuration and nothing else, in about a millisecond. One
// that can't be read loses no conversation: whoever works on the jobs says what is
// wrong with it.
func WritebackEnabled(ctx context.Context, p paths.Paths, file, dir string) bool {
	project, _ := paths.Project(dir)
	loaded, err := config.Working(ctx, config.Sources{Explicit: file, WorkDir: dir, Project: project, UserDir: p.Config})
	return err != nil || loaded.Config.Writeback.Enabled
}

// elsewhere is what memory.yaml said last in other places than the one that this
// process was started in.
type elsewhere struct {
	mu   sync.Mutex
	last map[config.Sources]*config.Loaded
}

// maxElsewhere bounds how many of those are held; what is dropped is read again.
const maxElsewhere = 256

// configOf is the configuration that holds for what is learned in a project from an
// agent that ran in dir, wherever this process was started: the user's own, and over
// it the project's. The files are read each time: few conversations end a second.
func (k *Kernel) configOf(ctx context.Context, uid uint32, project, dir string) config.Config {
	from := k.Sources()
	from.UID = uid
	if dir == "" && project == "" { // of no directory at all
		if from.Project != "" {
			from.Project, from.WorkDir = "", ""
		}
	} else {
		from.Project, from.WorkDir = project, dir
		if (&importer.Importer{FindProject: paths.Project}).ProjectOf(dir) != project {
			from.WorkDir = project
		}
	}
	base := k.Config()
	k.elsewhere.mu.Lock()
	last := k.elsewhere.last[from]
	k.elsewhere.mu.Unlock()
	loaded, err := base.For(ctx, from, last)
	if err != nil { // the context's: nothing is done any more
		return base.Config
	}
	if loaded.Refused != nil {
		// Not what is wrong: that may quote the file.
		p := loaded.Refused.Problems[0]
		k.log.Warn("writeback: a configuration has mistakes", "file", p.File, "line", p.Line, "problems", len(loaded.Refused.Problems))
	}
	k.elsewhere.mu.Lock()
	defer k.elsewhere.mu.Unlock()
	if k.elsewhere.last == nil || len(k.elsewhere.last) >= maxElsewhere {
		k.elsewhere.last = map[config.Sources]*config.Loaded{}
	}
	k.elsewhere.last[from] = loaded
	return loaded.Config
}

// settingsOf returns what the writeback of a user asks about a conversation.
func (k *Kernel) settingsOf(uid uint32) func(ctx context.Context, project, dir string) writeback.Settings {
	return func(ctx context.Context, project, dir string) writeback.Settings {
		c := k.configOf(ctx, uid, project, dir)
		return writeback.Settings{
			// Where this process may write no memory at all, neither may the writeback.
			Enabled:          k.Config().Config.Enabled && c.Enabled && c.Writeback.Enabled,
			TriggerThreshold: c.Writeback.TriggerThreshold, RequireSuccess: c.Writeback.RequireSuccess, MaxEntries: c.Writeback.MaxEntries,
		}
	}
}
