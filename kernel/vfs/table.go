package vfs

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Table is the devices of a mount, in the order in which they are listed.
type Table struct {
	devices  []Device
	folders  []Folder
	memories *Memories // nil: there is no memories/
	byName   map[string]Device
	log      *slog.Logger

	counters      counters
	second, lines atomic.Int64 // this second's lines about failures: see mayLog
}

// NewTable returns a table of the devices. A nil log discards.
func NewTable(log *slog.Logger, devices ...Device) *Table {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	t := &Table{devices: devices, byName: map[string]Device{}, log: log}
	t.counters.by = map[string]*Counters{}
	for _, d := range devices {
		t.byName[d.Name()] = d
	}
	return t
}

// AddFolder adds a folder. It must not be called once the table is in use.
func (t *Table) AddFolder(f Folder) { t.folders = append(t.folders, f) }

// Folders returns the folders, in the order in which they are listed.
func (t *Table) Folders() []Folder { return t.folders }

// SetMemories adds memories/. It must not be called once the table is in use.
func (t *Table) SetMemories(m *Memories) { t.memories = m }

// Memories returns the tree memories/, or nil.
func (t *Table) Memories() *Memories { return t.memories }

// Devices returns all devices.
func (t *Table) Devices() []Device { return t.devices }

// Device returns the device with the name, or nil.
func (t *Table) Device(name string) Device { return t.byName[name] }

// panicked is the result of a device that panicked with a value. That may quote the
// request: only its type is logged.
func (t *Table) panicked(ctx context.Context, d Device, v any) Result {
	t.log.Error("device panicked", "request", Logged(ctx), "device", d.Name(), "type", fmt.Sprintf("%T", v), "stack", string(debug.Stack()))
	return Failure(memory.Errorf(memory.KindInternal, d.Name(), "the device failed; the request was not completed"), nil)
}

// Exec runs one request on a device. A panic in the device is a failed request
// of KindInternal; its stack goes to the log, the request does not.
func (t *Table) Exec(ctx context.Context, d Device, caller memory.Caller, request []byte) Result {
	return t.run(ctx, d, func(ctx context.Context) []Result { return []Result{d.Exec(ctx, caller, request)} })[0]
}

// run has a device answer, and counts and logs its results.
func (t *Table) run(ctx context.Context, d Device, answer func(context.Context) []Result) (all []Result) {
	ctx, r := Begin(ctx)
	began := time.Now()
	defer func() {
		if v := recover(); v != nil {
			all = []Result{t.panicked(ctx, d, v)}
		}
		t.counters.count(r, d.Name(), time.Since(began), all...)
		for i, res := range all {
			all[i] = t.note(ctx, r, d, res)
		}
	}()
	return answer(ctx)
}

// Together reports whether a device takes requests that came together as one.
func (t *Table) Together(d Device) bool {
	_, ok := d.(Batcher)
	return ok
}

// ExecAll runs requests that came together, in order until one fails, and returns a
// result for each that ran. A device that is no [Batcher] is given the first alone.
func (t *Table) ExecAll(ctx context.Context, d Device, caller memory.Caller, requests [][]byte) []Result {
	b, ok := d.(Batcher)
	if !ok || len(requests) == 1 {
		return []Result{t.Exec(ctx, d, caller, requests[0])}
	}
	return t.run(ctx, d, func(ctx context.Context) []Result { return b.ExecAll(ctx, caller, requests) })
}

// Read returns what a reader of the device gets without a reply of its own.
func (t *Table) Read(ctx context.Context, d Device, caller memory.Caller) (body []byte) {
	defer func() {
		if v := recover(); v != nil {
			ctx, r := Begin(ctx)
			body = t.note(ctx, r, d, t.panicked(ctx, d, v)).Body
		}
	}()
	return d.Read(ctx, caller)
}

// Counters returns the counts of each device that has had a request.
func (t *Table) Counters() map[string]Counters { return t.counters.all() }

// refuser is a device whose replies have more than every failure has.
type refuser interface {
	refuse(ctx context.Context, caller memory.Caller, err error) Result
}

// Refuse is the result of what never became a request of the device: bytes that
// are no object, one that is too big or cut off. It is counted like one.
func (t *Table) Refuse(ctx context.Context, d Device, caller memory.Caller, err error) Result {
	return t.run(ctx, d, func(ctx context.Context) []Result {
		if r, ok := d.(refuser); ok {
			return []Result{r.refuse(ctx, caller, err)}
		}
		return []Result{Failure(err, nil)}
	})[0]
}
