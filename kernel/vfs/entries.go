package vfs

import (
	"cmp"
	"context"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
)

// entries is what the commit and profile devices share: a device whose requests
// go to a scope's entries.
type entries struct {
	writable
	own     memory.Scope // the target of a request that names none
	fixed   bool         // whatever target the request names, it is its own
	store   *store.Store
	project ProjectFunc
}

// NewEntries returns the device of a scope's entries: commit for the project's, which
// takes other targets, too; profile for the user's; else one of the scope's name.
func NewEntries(s *store.Store, find ProjectFunc, scope memory.Scope) Device {
	name := cmp.Or(map[memory.Scope]string{memory.ScopeProject: "commit", memory.ScopeUser: "profile"}[scope], string(scope))
	return &entries{writable: entriesHelp(name), store: s, project: find, own: scope, fixed: scope != memory.ScopeProject}
}

// ProjectFunc finds the root of the project that a directory lies in, and which
// directory the caller sees there.
type ProjectFunc func(caller memory.Caller, dir string) (root string, f memory.Folder, ok bool)

func (d *entries) Exec(ctx context.Context, caller memory.Caller, request []byte) Result {
	var req store.Request
	if err := memory.DecodeStrict(request, &req); err != nil {
		return d.refuse(ctx, caller, err)
	}
	id, err := d.resolve(ctx, &caller, &req)
	if err != nil {
		return d.refuse(ctx, caller, err)
	}
	reply, err := d.store.Do(ctx, caller, id, req)
	if err != nil {
		return Failure(err, encode(reply))
	}
	return Result{Body: encode(reply), OK: true}
}

// resolve returns the scope that a request means, and narrows the caller to what it
// names.
func (d *entries) resolve(ctx context.Context, caller *memory.Caller, req *store.Request) (id memory.ScopeID, err error) {
	if err = narrow(caller, req.Project, d.project); err != nil {
		return id, err
	}
	*caller = req.By(*caller, d.Name())
	name := memory.Scope(req.Target)
	if name == "" && !d.fixed {
		if name, err = req.Scope(d.store.Categories()); err != nil {
			return id, err
		}
	}
	target, err := d.target(d.store.Policies(ctx, *caller), name)
	if err != nil {
		return id, err
	}
	return d.store.Resolve(ctx, *caller, target)
}

// refuse answers a request that never got as far as a scope; the numbers are
// those of the device's own scope.
func (d *entries) refuse(ctx context.Context, caller memory.Caller, err error) Result {
	return Failure(err, encode(struct {
		failure
		store.Room
	}{failureOf(err), d.room(ctx, caller)}))
}

func (d *entries) room(ctx context.Context, caller memory.Caller) store.Room {
	id, err := d.store.Resolve(ctx, caller, d.own)
	if err != nil {
		return store.Room{}
	}
	return d.store.Room(ctx, caller, id)
}

func (d *entries) Space(ctx context.Context, caller memory.Caller) (total, free int, ok bool) {
	r := d.room(ctx, caller)
	return r.Limit, r.Remaining, true
}

// target is the scope that a request of the device goes to. Any but the profile can
// be named; the profile's device has no other.
func (d *entries) target(table memory.Policies, name memory.Scope) (memory.Scope, error) {
	name = table.Named(cmp.Or(scopeWords[string(name)], name))
	_, known := table[name]
	switch {
	case name == "" || known && d.fixed:
		return d.own, nil
	case known && name != memory.ScopeUser:
		return name, nil
	}
	var names []string
	for _, s := range table.Scopes() {
		if s != memory.ScopeUser || d.fixed {
			names = append(names, strconv.Quote(string(s)))
		}
	}
	last := len(names) - 1
	return "", memory.Errorf(memory.KindInvalid, "decode request", "unknown target: %s; it is %s or %s",
		memory.QuoteName(string(name)), strings.Join(names[:last], ", "), names[last])
}

// narrow applies a request's project field: the caller's own project, or one
// that lies inside it. It never widens what the caller was attested.
func narrow(caller *memory.Caller, asked string, find ProjectFunc) error {
	if asked == "" || asked == caller.Project {
		return nil
	}
	own, err := caller.In()
	if err != nil {
		return err
	}
	target, err := filepath.EvalSymlinks(asked) // a link inside leads outside
	if err != nil {
		target = asked // in a container, perhaps
	}
	if root, f, ok := find(*caller, target); ok && own != "" && strings.HasPrefix(root, own+"/") {
		caller.Project, caller.Folder = root, f
		return nil
	}
	return memory.Errorf(memory.KindDenied, "decode request", "project: a request reaches the project of the caller's working directory, or one inside it, and no other")
}
