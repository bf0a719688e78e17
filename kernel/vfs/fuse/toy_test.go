package fuse

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/vfs"
)

// toy is a device whose requests say what is to happen to them.
type toy struct {
	name     string
	readOnly bool
	runs     *atomic.Int64 // requests run, by all devices
	ends     *atomic.Int64
	stall    *atomic.Int64 // milliseconds that showing the read-only one takes
}

// order is a request of the toy.
type order struct {
	Q     string `json:"q"`     // is echoed
	Fail  string `json:"fail"`  // code of the failure
	Sleep int    `json:"sleep"` // milliseconds
	Panic bool   `json:"panic"`
	Long  int    `json:"long"` // pads the reply
	Fill  string `json:"fill"`
	Stall int    `json:"stall"` // milliseconds that showing the read-only device takes from now on
}

var nopReply = []byte(`{"ok":true}` + "\n")

type answer struct {
	OK      bool   `json:"ok"`
	Q       string `json:"q,omitempty"`
	Run     int64  `json:"run"`
	Len     int    `json:"len"`
	Sum     string `json:"sum"`
	UID     uint32 `json:"uid"`
	PID     int    `json:"pid"`
	Project string `json:"project,omitempty"`
	Session string `json:"session,omitempty"`
	Trust   string `json:"trust"`
	Pad     string `json:"pad,omitempty"`
}

func newToys() *vfs.Table {
	var runs, ends, stall atomic.Int64
	table := vfs.NewTable(slog.New(slog.NewJSONHandler(io.Discard, nil)), //nolint:sloglint // there are ids where there is a log
		&toy{name: "commit", runs: &runs, ends: &ends, stall: &stall},
		&toy{name: "recall", runs: &runs, ends: &ends, stall: &stall},
		&toy{name: "profile", runs: &runs, ends: &ends, stall: &stall},
		&toy{name: "status", readOnly: true, runs: &runs, ends: &ends, stall: &stall},
	)
	table.AddFolder(toyFolder{toy{readOnly: true, runs: &runs, ends: &ends, stall: &stall}})
	return table
}

// toyFolder has a file for any name.
type toyFolder struct{ toy }

func (f toyFolder) Name() string { return "search" }

func (f toyFolder) File(name string) vfs.Device {
	file := f.toy
	file.name = name
	return &file
}

func (t *toy) Name() string   { return t.name }
func (t *toy) Writable() bool { return !t.readOnly }

func (t *toy) Exec(ctx context.Context, c memory.Caller, request []byte) vfs.Result {
	if bytes.HasPrefix(request, []byte(`{"nop"`)) { // for measurements
		return vfs.Result{OK: true, Body: nopReply}
	}
	run := t.runs.Add(1)
	defer t.ends.Add(1)
	var o order
	if err := json.Unmarshal(request, &o); err != nil {
		return vfs.Failure(memory.Errorf(memory.KindInvalid, t.name, "%v", err), nil)
	}
	if o.Panic {
		panic("toy")
	}
	if o.Stall > 0 {
		t.stall.Store(int64(o.Stall))
	}
	time.Sleep(time.Duration(o.Sleep) * time.Millisecond)
	if o.Fail != "" {
		for _, k := range memory.Kinds() {
			if k.Code() == o.Fail {
				return vfs.Failure(memory.Errorf(k, t.name, "as asked: %s", o.Fail), nil)
			}
		}
	}
	sum := sha256.Sum256(request)
	a := answer{
		OK: true, Q: o.Q, Run: run, Len: len(request), Sum: hex.EncodeToString(sum[:4]), UID: c.UID, PID: c.PID,
		Project: c.Project, Session: c.Session, Trust: string(c.Trust),
	}
	for len(a.Pad) < o.Long {
		a.Pad += "0123456789abcdef"
	}
	b, _ := json.Marshal(a)
	return vfs.Result{OK: true, Body: append(b, '\n')}
}

func (t *toy) Read(_ context.Context, c memory.Caller) []byte {
	if t.readOnly {
		time.Sleep(time.Duration(t.stall.Load()) * time.Millisecond)
		return fmt.Appendf(nil, `{"runs":%d,"ends":%d,"pid":%d}`+"\n", t.runs.Load(), t.ends.Load(), c.PID)
	}
	return fmt.Appendf(nil, `{"help":%q,"example":{"q":"..."}}`+"\n", t.name)
}

func (t *toy) Space(context.Context, memory.Caller) (total, free int, ok bool) {
	return 5000, 1234, t.name == "profile"
}
