package fuse

import (
	"log/slog"
	"time"
)

// Options of a mount; the zero value works.
type Options struct {
	// AllowOther lets other users reach the mount. Anyone but root needs
	// user_allow_other in /etc/fuse.conf for it.
	AllowOther bool
	// Logger takes the mount's own messages and go-fuse's; nil discards.
	Logger *slog.Logger
	// Deadline bounds a write(2); zero is 5 seconds. The request goes on after it.
	Deadline time.Duration
	// Pinned is the project of every caller; "" is that of their working directory.
	Pinned string
	// Own returns the directory of a container's own memory; see [attest.Attester].
	Own func(uid uint32, container string) (dir string)
	// SessionRoot refuses the devices outside of s/ to callers whose pid can't be seen:
	// they are in containers, each of which has a tree s/<id>/ of its own.
	SessionRoot bool
	// Limits of each user; zero fields are the defaults.
	Limits Limits
	// Probe is a command that looks up the path given as its last argument, run
	// once as a child of this process to learn whether the pids that the kernel
	// reports are those of this pid namespace; nil takes what PATH has.
	Probe []string
}

const defaultDeadline = 5 * time.Second

func (o Options) orDefault() Options {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Deadline <= 0 {
		o.Deadline = defaultDeadline
	}
	o.Limits = o.Limits.orDefault()
	return o
}
