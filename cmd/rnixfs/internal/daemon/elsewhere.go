package daemon

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/rnixfs/rnixfs/kernel/config"
	"github.com/rnixfs/rnixfs/kernel/vfs"
)

// elsewhere caches the configurations of other directories than the one that this
// process was started in.
type elsewhere struct {
	mu   sync.Mutex
	last map[config.Sources]read
}

// read is a cached configuration.
type read struct {
	base   *config.Loaded // that was in force here
	stamps string         // of its files
	loaded *config.Loaded
}

// maxElsewhere bounds the cache; dropped configurations are read again.
const maxElsewhere = 256

// configOf is the configuration that holds for a user in a project, for a caller or
// an agent in dir, wherever this process was started: the user's own, and over it the
// project's. It is read again when a file has changed.
func (k *Kernel) configOf(ctx context.Context, uid uint32, project, dir string) *config.Loaded {
	from := k.sourcesOf(uid, project, dir)
	base, stamps := k.Config(), stampsOf(from)
	k.elsewhere.mu.Lock()
	last := k.elsewhere.last[from]
	k.elsewhere.mu.Unlock()
	if last.base == base && last.stamps == stamps {
		return last.loaded
	}
	loaded, err := base.For(ctx, from, last.loaded)
	if err != nil { // the context's: nothing is done any more
		return base
	}
	if loaded.Refused != nil && !slices.Contains(k.Sources().Paths(), loaded.Refused.Problems[0].File) { // those are told of: see refused
		// Not what is wrong: that may quote the file.
		p := loaded.Refused.Problems[0]
		k.log.Warn("a configuration has mistakes", "request", vfs.Logged(ctx), "file", p.File, "line", p.Line, "problems", len(loaded.Refused.Problems))
	}
	k.elsewhere.mu.Lock()
	defer k.elsewhere.mu.Unlock()
	if k.elsewhere.last == nil || len(k.elsewhere.last) >= maxElsewhere {
		k.elsewhere.last = map[config.Sources]read{}
	}
	k.elsewhere.last[from] = read{base, stamps, loaded}
	return loaded
}

// sourcesOf are the places where the configuration of a project is looked for.
func (k *Kernel) sourcesOf(uid uint32, project, dir string) config.Sources {
	from := k.Sources()
	from.UID = uid
	switch {
	case dir != "" || project != "":
		from.Project, from.WorkDir = project, dir
		if dir != project && projectOf(dir) != project {
			from.WorkDir = project
		}
	case from.Project != "": // of no directory at all
		from.Project, from.WorkDir = "", ""
	}
	return from
}

// stampsOf changes when one of the files does.
func stampsOf(from config.Sources) string {
	var b strings.Builder
	for _, path := range from.Paths() {
		info, err := os.Stat(path)
		if err != nil {
			b.WriteByte('-')
			continue
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok {
			fmt.Fprint(&b, st.Ino, st.Ctim, st.Size)
		}
		b.WriteByte(';')
	}
	return b.String()
}
