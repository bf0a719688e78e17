package vfs

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
)

// entries is what the commit and profile devices share: a device whose requests
// go to a scope's entries.
type entries struct {
	name    string
	targets []memory.Scope // the first is the default
	fixed   bool           // whatever target the request names, it is the first
	store   *store.Store
	project ProjectFunc
	help    help
}

// ProjectFunc finds the root of the project that a directory lies in.
type ProjectFunc func(dir string) (root string, ok bool)

func (d *entries) Name() string   { return d.name }
func (d *entries) Writable() bool { return true }

func (d *entries) Exec(ctx context.Context, caller memory.Caller, request []byte) Result {
	var req store.Request
	if err := memory.DecodeStrict(request, &req); err != nil {
		return d.refuse(ctx, caller, err)
	}
	target, err := d.target(req.Target)
	if err != nil {
		return d.refuse(ctx, caller, err)
	}
	if caller.Project, err = narrow(caller.Project, req.Project, d.project); err != nil {
		return d.refuse(ctx, caller, err)
	}
	caller.Road = d.name
	reply, err := d.store.Do(ctx, caller, ScopeOf(caller, target), req)
	if err != nil {
		return Failure(err, encode(reply))
	}
	return Result{Body: encode(reply), OK: true}
}

// refuse answers a request that never got as far as a scope; the numbers are
// those of the device's own scope.
func (d *entries) refuse(ctx context.Context, caller memory.Caller, err error) Result {
	used, limit := d.numbers(ctx, caller)
	return Failure(err, encode(struct {
		failure
		Used      int `json:"used"`
		Limit     int `json:"limit"`
		Remaining int `json:"remaining"`
	}{failure{Code: memory.KindOf(err).Code(), Error: memory.ReasonOf(err)}, used, limit, max(limit-used, 0)}))
}

func (d *entries) numbers(ctx context.Context, caller memory.Caller) (used, limit int) {
	return d.store.Usage(ctx, ScopeOf(caller, d.targets[0]))
}

func (d *entries) Read(context.Context, memory.Caller) []byte {
	return d.help.encode("no operation performed yet")
}

func (d *entries) Space(ctx context.Context, caller memory.Caller) (total, free int, ok bool) {
	used, limit := d.numbers(ctx, caller)
	return limit, max(limit-used, 0), true
}

func (d *entries) target(name string) (memory.Scope, error) {
	if name == "" || d.fixed {
		if name != "" && !memory.Scope(name).Valid() {
			return "", unknownTarget(name, d.targets)
		}
		return d.targets[0], nil
	}
	if t := memory.Scope(name); slices.Contains(d.targets, t) {
		return t, nil
	}
	return "", unknownTarget(name, d.targets)
}

func unknownTarget(name string, targets []memory.Scope) error {
	names := make([]string, len(targets))
	for i, t := range targets {
		names[i] = strconv.Quote(string(t))
	}
	return memory.Errorf(memory.KindInvalid, "decode request", "unknown target: %s; it is %s", memory.QuoteName(name), strings.Join(names, " or "))
}

// ScopeOf is the scope of a kind that belongs to the caller.
func ScopeOf(caller memory.Caller, scope memory.Scope) memory.ScopeID {
	id := memory.ScopeID{Scope: scope, UID: caller.UID, Owner: fmt.Sprint(caller.UID)}
	if scope == memory.ScopeProject {
		id.Owner = caller.Project
	}
	return id
}

// narrow applies a request's project field: the caller's own project, or one
// that lies inside it. It never widens what the caller was attested.
func narrow(own, asked string, find ProjectFunc) (string, error) {
	if asked == "" || asked == own {
		return own, nil
	}
	target, err := filepath.EvalSymlinks(asked) // a link inside leads outside
	if err != nil {
		target = ""
	}
	if root, ok := find(target); ok && own != "" && strings.HasPrefix(root, own+"/") {
		return root, nil
	}
	return "", memory.Errorf(memory.KindDenied, "decode request", "project: a request reaches the project of the caller's working directory, or one inside it, and no other")
}
