package vfs

import (
	"context"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
)

// eventsDevice tells what changed in the caller's scopes.
type eventsDevice struct {
	writable
	store   *store.Store
	changes *Changes
	project ProjectFunc
}

// NewEvents returns the events device, which shows the changes that a ring was told of.
func NewEvents(s *store.Store, c *Changes, find ProjectFunc) Device {
	return &eventsDevice{
		store: s, changes: c, project: find,
		writable: helpOf("events"),
	}
}

// eventsRequest is the contract of the events device.
type eventsRequest struct {
	After      *int64 `json:"after,omitempty"`
	MaxResults int    `json:"max_results,omitempty"`
	Scope      string `json:"scope,omitempty"`
	Category   string `json:"category,omitempty"`
	By         string `json:"by,omitempty"`
	Project    string `json:"project,omitempty"`
	Agent      string `json:"agent,omitempty"`
}

// eventsReply answers an [eventsRequest].
type eventsReply struct {
	OK       bool    `json:"ok"`
	Events   []event `json:"events"`
	Count    int     `json:"count"`
	Sequence int64   `json:"sequence"`      // to go on after
	Gap      bool    `json:"gap,omitempty"` // some are not kept any more
}

// How many changes a request is answered with that does not say, and at most.
const (
	usualEvents = 100
	mostEvents  = 1000
)

func (d *eventsDevice) Exec(ctx context.Context, caller memory.Caller, request []byte) Result {
	var req eventsRequest
	err := memory.DecodeStrict(request, &req)
	if err == nil {
		err = narrow(&caller, req.Project, d.project)
	}
	if err == nil && req.MaxResults < 0 {
		err = memory.Errorf(memory.KindInvalid, "events", "max_results must not be negative")
	}
	table := d.store.Policies(ctx, caller)
	req.Scope = string(table.Named(memory.Scope(req.Scope)))
	if _, known := table[memory.Scope(req.Scope)]; err == nil && req.Scope != "" && !known {
		err = memory.Errorf(memory.KindInvalid, "events", "unknown scope: %s", memory.QuoteName(req.Scope))
	}
	if err != nil {
		return Failure(err, nil)
	}
	caller.Agent = req.Agent
	return Result{Body: encode(d.find(ctx, caller, table, req)), OK: true}
}

// Read gives the newest changes, a line each.
func (d *eventsDevice) Read(ctx context.Context, caller memory.Caller) (body []byte) {
	for _, e := range d.find(ctx, caller, d.store.Policies(ctx, caller), eventsRequest{}).Events {
		body = append(body, encode(e)...)
	}
	return body
}

func (d *eventsDevice) find(ctx context.Context, caller memory.Caller, table memory.Policies, req eventsRequest) eventsReply {
	own := map[memory.Scope]memory.ScopeID{}
	for _, scope := range table.Scopes() {
		policy := table[scope]
		if req.Scope != "" && req.Scope != string(scope) {
			continue
		}
		id, err := d.store.Resolve(ctx, caller, scope)
		if err != nil || !d.store.Exists(id, policy) {
			continue // it has no changes, for this caller
		}
		own[scope] = id
		// An open scope hears of what other processes change; a fault is status's to show.
		_, _ = d.store.Reader(id).Load(ctx)
	}
	most, after := req.MaxResults, int64(0)
	if most = min(most, mostEvents); most == 0 {
		most = usualEvents
	}
	if req.After != nil {
		after = *req.After
	}
	list, last, gap := d.changes.after(caller.UID, after, most, req.After == nil, func(e *event) bool {
		return (req.Category == "" || req.Category == e.Category) && (req.By == "" || req.By == e.By) && same(own[e.Scope], e.of)
	})
	return eventsReply{OK: true, Events: list, Count: len(list), Sequence: last, Gap: gap && after > 0}
}

// same reports whether a caller's scope is the one that changed. Where a mount has one
// project for all, the caller's does not say which directory that is.
func same(own, of memory.ScopeID) bool {
	if own.Folder == (memory.Folder{}) {
		of.Folder = own.Folder
	}
	return own == of
}
