package daemon

import (
	"errors"
	"os"
	"time"

	"github.com/rnixfs/rnixfs/kernel/config"
	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/vfs"
)

// pid is this process's: the system is not asked each time.
var pid = os.Getpid()

// status fills in what status tells every caller, and where the configuration lies,
// which is for this process's user alone.
func (k *Kernel) status(caller memory.Caller, s *vfs.Status) {
	s.PID, s.Uptime = pid, time.Since(k.started).Round(time.Millisecond).Seconds()
	if m := k.mounted.Load(); m != nil {
		s.Mountpoint, s.Mount = m.mountpoint, m.server.Stats()
	}
	own := int(caller.UID) == os.Getuid()
	if own {
		s.Config.Files = k.Config().Files
	}
	if why := k.bad.Load(); own && why != nil {
		s.Config.Refused = (*why).Error()
		if bad, ok := errors.AsType[*config.Error](*why); ok {
			s.Config.Refused, s.Config.Problems = bad.Error(), bad.Problems
		}
	}
	g := k.Gate.Status()
	s.Scanner.State = g.State
	if g.Stats != nil {
		s.Scanner.Counters = g.Stats
	}
}

// jobs are the numbers of a user's jobs, as status shows them.
func (k *Kernel) jobs(uid uint32) any {
	if u, err := k.user(uid); err == nil {
		if s := u.Stats(); s != nil {
			return s
		}
	}
	return nil
}
