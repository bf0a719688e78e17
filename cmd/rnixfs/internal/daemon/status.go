package daemon

import (
	"context"
	"os"
	"time"

	"github.com/rnixfs/rnixfs/kernel/config"
	"github.com/rnixfs/rnixfs/kernel/gate"
	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/vfs"
	"github.com/rnixfs/rnixfs/kernel/writeback/spool"
)

// Status is what the status device shows.
type Status struct {
	OK         bool                         `json:"ok"` // false: something needs a person
	Mountpoint string                       `json:"mountpoint,omitempty"`
	PID        int                          `json:"pid"`
	Uptime     float64                      `json:"uptime_seconds"`
	Project    string                       `json:"project"` // of the caller; "": none, its home project
	Scopes     map[memory.Scope]ScopeStatus `json:"scopes"`
	Devices    map[string]vfs.Counters      `json:"devices"`
	Scanner    gate.Status                  `json:"scanner"`
	Config     ConfigStatus                 `json:"config"`
	Mount      any                          `json:"mount,omitempty"`

	Conversations *process.Counters `json:"conversations,omitempty"` // of the caller's; not where they can't be read
	Writeback     *spool.Stats      `json:"writeback,omitempty"`     // of the caller's; not where they can't be read
}

// ScopeStatus is the state of a scope of the caller.
type ScopeStatus struct {
	Entries   int    `json:"entries"`
	Used      int    `json:"used"`
	Limit     int    `json:"limit"`
	Remaining int    `json:"remaining"`
	SetAside  int    `json:"set_aside,omitempty"` // texts in .rejected; rnixfs check lists them
	ReadOnly  string `json:"read_only,omitempty"` // why it takes no writes
	Error     string `json:"error,omitempty"`
}

// ConfigStatus is which configuration is in force.
type ConfigStatus struct {
	Files   []string `json:"files"`
	Refused string   `json:"refused,omitempty"` // why the newest one, or a project's file, is not in force

	Problems []config.Problem `json:"problems,omitempty"` // the same by file, line, column and key
}

// pid is this process's: the system is not asked each time.
var pid = os.Getpid()

// status makes the state for a caller: the numbers of its own scopes, and the
// daemon's.
func (k *Kernel) status(ctx context.Context, caller memory.Caller) any {
	devices, requests := k.Table.Counters(), int64(0)
	for _, d := range devices {
		requests += d.OK
		for _, n := range d.Failed {
			requests += n
		}
	}
	disk := k.stored(ctx, caller, requests)
	r := Status{
		OK: true, PID: pid, Uptime: time.Since(k.started).Round(time.Millisecond).Seconds(),
		Project: caller.Project, Scopes: disk.scopes, Devices: devices,
		Config:        ConfigStatus{Files: k.Config().Files},
		Conversations: disk.conversations, Writeback: disk.writeback,
	}
	if m := k.mounted.Load(); m != nil {
		r.Mountpoint, r.Mount = m.mountpoint, m.server.Stats()
	}
	if why := k.bad.Load(); why != nil {
		r.OK, r.Config.Refused, r.Config.Problems = false, why.text, why.problems
	}
	r.Scanner = k.Gate.Status()
	r.OK = r.OK && r.Scanner.State != "failed"
	for _, s := range r.Scopes {
		r.OK = r.OK && s.Error == ""
	}
	return r
}
