package vfs

import (
	"cmp"
	"context"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
)

// Status is what the status device shows to a caller.
type Status struct {
	OK         bool                         `json:"ok"` // false: something needs a person
	Mountpoint string                       `json:"mountpoint,omitempty"`
	Socket     string                       `json:"rpc_socket,omitempty"`
	PID        int                          `json:"pid"`
	Uptime     float64                      `json:"uptime_seconds"`
	Project    string                       `json:"project"` // of the caller; "": none, its home project
	You        You                          `json:"you"`
	Scopes     map[memory.Scope]ScopeStatus `json:"scopes"`
	Devices    map[string]Counters          `json:"devices"`
	Scanner    ScannerStatus                `json:"scanner"`
	Config     ConfigStatus                 `json:"config"`
	Mount      any                          `json:"mount,omitempty"`
	Meaning    *MeaningStatus               `json:"meaning,omitempty"` // nil: no second look is configured

	Conversations *process.Counters `json:"conversations,omitempty"` // of the caller's; not where they can't be read
	Writeback     any               `json:"writeback,omitempty"`     // of the caller's; not where they can't be read
}

// You is who the caller is, as far as that is known.
type You struct {
	PID       int    `json:"pid"` // 0: it can't be seen
	Project   string `json:"project"`
	Session   string `json:"session,omitempty"` // whose scope session is
	Container string `json:"container,omitempty"`
	Why       string `json:"why"` // a sentence: why Project is the caller's, or why it has none
}

// ScopeStatus is the state of a scope of the caller.
type ScopeStatus struct {
	Entries    int    `json:"entries"`
	Used       int    `json:"used"`
	Limit      int    `json:"limit"`
	Remaining  int    `json:"remaining"`
	EntryLimit int    `json:"entry_limit,omitempty"`
	SetAside   int    `json:"set_aside,omitempty"` // texts in .rejected; rnixfs check lists them
	ReadOnly   string `json:"read_only,omitempty"` // why it takes no writes
	Error      string `json:"error,omitempty"`
}

// ScannerStatus is whether texts can be judged.
type ScannerStatus struct {
	State    string `json:"state"` // loading, ready, failed
	Counters any    `json:"counters,omitempty"`
}

// MeaningStatus says how much of what was searched since the mount has a vector.
type MeaningStatus struct {
	Embedded int    `json:"embedded"`
	Total    int    `json:"total"`
	Error    string `json:"error,omitempty"` // the code of the last failure, unless it went well since
}

// ConfigStatus is which configuration is in force.
type ConfigStatus struct {
	Files    []string `json:"files"`
	Path     string   `json:"path,omitempty"`     // the PATH in which writeback.command is looked for
	Refused  string   `json:"refused,omitempty"`  // why the newest one, or a project's file, is not in force
	Problems any      `json:"problems,omitempty"` // the same by file, line, column and key
	Allowed  *int     `json:"allowed,omitempty"`  // how many exceptions of scanner.allow are in force
}

// statusDevice shows health, counters and limits. It takes no requests.
type statusDevice struct {
	readOnly
	StatusOptions
}

// NewStatus returns the status device.
func NewStatus(opts StatusOptions) Device {
	return &statusDevice{readOnly{"status"}, opts}
}

// Read makes the state for a caller: the numbers of its own scopes, and the
// daemon's.
func (d *statusDevice) Read(ctx context.Context, caller memory.Caller) []byte {
	return encode(d.state(ctx, caller))
}

func (d *statusDevice) state(ctx context.Context, caller memory.Caller) Status {
	s := Status{OK: true, Project: caller.Project, Devices: d.Counters()}
	s.You = You{caller.PID, caller.Project, cmp.Or(caller.Session, caller.Leader), caller.Container, caller.Why}
	d.Daemon(caller, &s)
	d.stored(ctx, caller, &s)
	s.OK = s.OK && s.Scanner.State != "failed" && s.Config.Refused == ""
	for _, scope := range s.Scopes {
		s.OK = s.OK && scope.Error == ""
	}
	return s
}
