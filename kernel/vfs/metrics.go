package vfs

import (
	"context"
	"maps"
	"slices"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// metricsDevice shows what status knows, and what the mounting user alone may see, as
// figures for Prometheus. No label names a key, a project, a process or a path.
type metricsDevice struct {
	readOnly
	status statusDevice
	more   func(memory.Caller, Status, *Exposition) (all bool)
}

// NewMetrics returns the metrics device; more adds what is the daemon's to the figures,
// and says whether the caller may see all.
func NewMetrics(opts StatusOptions, more func(memory.Caller, Status, *Exposition) (all bool)) Device {
	return &metricsDevice{readOnly{"metrics"}, statusDevice{StatusOptions: opts}, more}
}

// WithMetrics has the device of a scope called metrics show the figures where it has no
// reply: scopes are in use under that name.
func WithMetrics(scope, metrics Device) Device {
	if e, ok := scope.(*entries); ok && e.Name() == metrics.Name() {
		return &metricsScope{e, metrics}
	}
	return scope
}

type metricsScope struct {
	*entries
	metrics Device
}

func (d *metricsScope) Read(ctx context.Context, caller memory.Caller) []byte {
	return d.metrics.Read(ctx, caller)
}

// Read writes the figures for a caller.
func (d *metricsDevice) Read(ctx context.Context, caller memory.Caller) []byte {
	s, x := d.status.state(ctx, caller), &Exposition{}
	x.Family("requests_total", "counter", "Requests by device and by the code of their reply.")
	for _, name := range slices.Sorted(maps.Keys(s.Devices)) {
		x.Add(float64(s.Devices[name].OK), "device", name, "code", "ok")
		for _, code := range slices.Sorted(maps.Keys(s.Devices[name].Failed)) {
			x.Add(float64(s.Devices[name].Failed[code]), "device", name, "code", code)
		}
	}
	for _, f := range scopeFigures {
		x.Family(f.name, "gauge", f.help)
		for _, scope := range slices.Sorted(maps.Keys(s.Scopes)) {
			if n := f.of(s.Scopes[scope]); s.Scopes[scope].Error == "" && (n > 0 || !f.limit) {
				x.Add(float64(n), "scope", string(scope))
			}
		}
	}
	if d.more(caller, s, x) {
		x.Family("request_duration_seconds", "histogram", "How long devices took for requests.")
		for _, name := range slices.Sorted(maps.Keys(s.Devices)) {
			x.histogram(s.Devices[name].Seconds, "device", name)
		}
	}
	return x.text.Bytes()
}

var scopeFigures = []struct {
	name, help string
	limit      bool // 0: there is none
	of         func(ScopeStatus) int
}{
	{"scope_characters", "Characters that the caller's scope holds.", false, func(s ScopeStatus) int { return s.Used }},
	{"scope_limit_characters", "Most characters that it may hold.", true, func(s ScopeStatus) int { return s.Limit }},
	{"scope_entries", "Entries of the caller's scope.", false, func(s ScopeStatus) int { return s.Entries }},
	{"scope_limit_entries", "Most entries that it may have.", true, func(s ScopeStatus) int { return s.EntryLimit }},
	{"scope_set_aside", "Texts that were set aside in .rejected.", false, func(s ScopeStatus) int { return s.SetAside }},
}
