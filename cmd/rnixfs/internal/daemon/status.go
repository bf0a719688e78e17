package daemon

import (
	"errors"
	"os"
	"slices"
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
		s.Mountpoint, s.Mount = k.Gate.Name("", m.mountpoint), m.server.Stats()
		s.Socket = k.Gate.Name("", m.socket)
	}
	for _, text := range []*string{&s.Project, &s.You.Project, &s.You.Session, &s.You.Container, &s.You.Why} {
		*text = k.Gate.Name("", *text)
	}
	own := int(caller.UID) == os.Getuid()
	if look := k.Recall.Look(); own && look.On() {
		s.Meaning = &vfs.MeaningStatus{}
		s.Meaning.Embedded, s.Meaning.Total, s.Meaning.Error = look.State()
	}
	if own {
		s.Config.Path = k.Gate.Name("", os.Getenv("PATH"))
		allowed := len(k.config.Current().Config.Scanner.Allow)
		s.Config.Allowed = &allowed
		for _, f := range k.Config().Files {
			s.Config.Files = append(s.Config.Files, k.Gate.Name("", f))
		}
	}
	if why := k.bad.Load(); own && why != nil {
		s.Config.Refused = k.Gate.Name("", (*why).Error())
		if bad, ok := errors.AsType[*config.Error](*why); ok {
			s.Config.Refused, s.Config.Problems = k.Gate.Name("", bad.Error()), k.named(bad.Problems)
		}
	}
	g := k.Gate.Status()
	s.Scanner.State = g.State
	if g.Stats != nil {
		s.Scanner.Counters = g.Stats
	}
}

// named are problems as they are shown.
func (k *Kernel) named(problems []config.Problem) []config.Problem {
	out := slices.Clone(problems)
	for i := range out {
		out[i].File, out[i].Reason = k.Gate.Name("", out[i].File), k.Gate.Name("", out[i].Reason)
	}
	return out
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
