package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// use calls do with the provider of a scope, which stays open meanwhile.
func (s *Store) use(ctx context.Context, id memory.ScopeID, do func(memory.Provider) error) error {
	id, h, err := s.acquire(id)
	if err != nil {
		return err
	}
	defer s.release(id, h)
	p, err := s.provider(ctx, id, h)
	if err != nil {
		return err
	}
	return do(p)
}

// Hold opens a scope and keeps it open until release is called.
func (s *Store) Hold(ctx context.Context, id memory.ScopeID) (release func(), err error) {
	id, h, err := s.acquire(id)
	if err != nil {
		return nil, err
	}
	if _, err := s.provider(ctx, id, h); err != nil {
		s.release(id, h)
		return nil, err
	}
	return func() { s.release(id, h) }, nil
}

// acquire returns the handle of a scope, and the scope with the folder that is known.
func (s *Store) acquire(id memory.ScopeID) (memory.ScopeID, *handle, error) {
	if s.opts.Known != nil && id.Folder == (memory.Folder{}) {
		var err error
		if id.Folder, err = s.opts.Known(id); err != nil {
			return id, nil, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return id, nil, memory.Errorf(memory.KindUnavailable, "open", "the memory is shutting down")
	}
	h := s.scopes[id]
	if h == nil {
		h = &handle{}
		s.scopes[id] = h
	}
	h.users++
	return id, h, nil
}

// release ends a use, and closes the scopes that are too many.
func (s *Store) release(id memory.ScopeID, h *handle) {
	s.mu.Lock()
	h.users--
	h.last = s.opts.Now()
	switch {
	case h.users > 0:
	case h.provider == nil:
		s.forget(id, h)
	case h.dropped:
		h.users++
		s.mu.Unlock()
		_ = s.shut(id, h)
		s.mu.Lock()
	}
	victim, oldest := s.idlest(id.UID)
	for ; oldest != nil; victim, oldest = s.idlest(id.UID) {
		oldest.users++
		s.mu.Unlock()
		_ = s.shut(victim, oldest)
		s.mu.Lock()
	}
	s.mu.Unlock()
}

// maxHeld bounds all scopes of one user that nobody uses, as a multiple of MaxOpen.
const maxHeld = 16

// idlest returns the scope to be closed of a user who has too many, nil for none: the
// one that was not used for longest, of those that nobody uses, and that lose nothing
// by it unless there are far too many. Others' scopes are not touched. Store.mu is held.
func (s *Store) idlest(uid uint32) (id memory.ScopeID, idlest *handle) {
	open := 0
	for i := range s.scopes {
		if i.UID == uid {
			open++
		}
	}
	if open <= s.opts.MaxOpen {
		return id, nil
	}
	for i, h := range s.scopes {
		may := h.closable() || h.users == 0 && open > maxHeld*s.opts.MaxOpen
		if i.UID == uid && may && (idlest == nil || h.last.Before(idlest.last)) {
			id, idlest = i, h
		}
	}
	return id, idlest
}

// closable reports whether nobody uses the scope, nor would lose anything.
// Store.mu is held.
func (h *handle) closable() bool {
	if h.users > 0 {
		return false
	}
	v, ok := h.provider.(volatile)
	return !ok || !v.Volatile()
}

// shut closes the provider of a scope that the caller has acquired, and releases it.
// Requests that come meanwhile wait, and open it again. One that came before has it in
// use: it stays open then, and who drops it is its last user.
func (s *Store) shut(id memory.ScopeID, h *handle) error {
	h.mu.Lock()
	s.mu.Lock()
	alone := h.users == 1
	s.mu.Unlock()
	var err error
	expires := alone && h.expires(s.limit(h.policy).Lifetimes)
	if alone && h.provider != nil {
		err = h.close(id, s.opts.Observers)
	}
	h.mu.Unlock()
	s.mu.Lock()
	if expires {
		s.expiring[id] = true
	}
	h.dropped = h.dropped && !alone
	h.last = s.opts.Now()
	again := h.users == 1 && h.dropped // the other went meanwhile
	if !again {
		h.users--
	}
	if h.users == 0 && h.provider == nil { // nobody has opened it again meanwhile
		s.forget(id, h)
	}
	s.mu.Unlock()
	if again {
		return errors.Join(err, s.shut(id, h))
	}
	return err
}

// expires reports whether the scope is kept and has entries that expire. handle.mu is
// held.
func (h *handle) expires(l memory.Lifetimes) bool {
	if h.provider == nil || h.policy.Keep == memory.KeepRAM {
		return false
	}
	v, err := h.provider.Load(context.Background())
	return err == nil && slices.ContainsFunc(v.Entries, func(e *memory.Entry) bool { return !l.End(e).IsZero() })
}

// close closes the provider and tells the observers. What it acknowledged is in its
// folder, wherever that went. handle.mu is held.
func (h *handle) close(id memory.ScopeID, observers []memory.Observer) error {
	err := h.provider.Close()
	h.provider = nil
	for _, o := range observers {
		o.Closed(id)
	}
	return err
}

// forget drops a handle, unless another has taken its place. Store.mu is held.
func (s *Store) forget(id memory.ScopeID, h *handle) {
	if s.scopes[id] == h {
		delete(s.scopes, id)
	}
}

// Drop closes a scope, once nobody uses it; one that is kept in RAM is gone. It is
// for the scopes of a session that has ended.
func (s *Store) Drop(id memory.ScopeID) error {
	s.mu.Lock()
	h := s.scopes[id]
	if h == nil || h.users > 0 {
		if h != nil {
			h.dropped = true
		}
		s.mu.Unlock()
		return nil
	}
	h.users++
	s.mu.Unlock()
	return s.shut(id, h)
}

// CloseIdle closes the scopes that nobody has used since a time.
func (s *Store) CloseIdle(since time.Time) {
	s.mu.Lock()
	idle := map[memory.ScopeID]*handle{}
	for id, h := range s.scopes {
		if h.closable() && h.last.Before(since) {
			h.users++
			idle[id] = h
		}
	}
	s.mu.Unlock()
	for id, h := range idle {
		_ = s.shut(id, h)
	}
}

// Close closes every provider. Requests after it are KindUnavailable.
func (s *Store) Close() error {
	s.mu.Lock()
	s.closed = true
	handles := s.scopes
	s.scopes = map[memory.ScopeID]*handle{}
	s.mu.Unlock()
	var errs []error
	for _, h := range handles {
		h.mu.Lock()
		if h.provider != nil {
			errs = append(errs, h.provider.Close())
			h.provider = nil
		}
		h.mu.Unlock()
	}
	return errors.Join(errs...)
}

// Open lists the scopes that are open now.
func (s *Store) Open() []memory.ScopeID {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := make([]memory.ScopeID, 0, len(s.scopes))
	for id := range s.scopes {
		ids = append(ids, id)
	}
	return ids
}

// Exists reports whether a scope can have entries: that of a project or a user, or
// one that is open or kept.
func (s *Store) Exists(id memory.ScopeID, policy memory.Policy) bool {
	if policy.Owner == memory.OwnerProject || policy.Owner == memory.OwnerUser {
		return true
	}
	s.mu.Lock()
	_, open := s.scopes[id]
	s.mu.Unlock()
	return open || s.opts.Kept != nil && s.opts.Kept(id, policy)
}

// provider returns the provider of a handle that the caller has acquired, opened; it
// is opened anew where its folder was moved, or memory.yaml says otherwise of how the
// scope is kept and found.
func (s *Store) provider(ctx context.Context, id memory.ScopeID, h *handle) (memory.Provider, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	policy, err := s.policyOf(ctx, id)
	if h.provider != nil {
		m, ok := h.provider.(mover)
		if moved := ok && m.Moved(); !moved && (err != nil || h.policy.KeptAs(policy)) {
			return h.provider, nil
		}
		_ = h.close(id, s.opts.Observers)
	}
	if err != nil {
		return nil, err
	}
	p, err := s.opts.Open(ctx, id, policy, s.hooks(id, policy))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", id.Scope, err)
	}
	h.provider, h.policy = p, policy
	if s.opts.SweepOpened {
		_ = s.expire(ctx, id, p) // what has expired is shown to nobody; the next sweep tries again
	}
	return p, nil
}

func (s *Store) hooks(id memory.ScopeID, policy memory.Policy) memory.Hooks {
	h := memory.Hooks{
		Admit:  s.admit,
		Redact: s.opts.RedactValues,
		SetAside: func(found []memory.Finding, path string) {
			caller := memory.Caller{UID: id.UID}
			if policy.Owner == memory.OwnerProject {
				caller.Project = id.Owner
			}
			if s.opts.Folder != nil {
				path = filepath.Join(s.opts.Folder(id, policy), path)
			}
			s.opts.Refused(context.Background(), caller, memory.Source{Trust: memory.TrustEdit, Road: "edit"}, found, path)
		},
		Limit: func() memory.Limit {
			p, err := s.policyOf(context.Background(), id)
			if err != nil {
				p = policy // the row is gone: what it said last holds
			}
			return s.limit(p)
		},
	}
	if policy.Recall {
		h.Opened = func(entries []*memory.Entry) {
			for _, o := range s.opts.Observers {
				o.Opened(id, entries)
			}
		}
	}
	h.Changed = func(steps []memory.Step) {
		if s.opts.Changed != nil {
			s.opts.Changed(id, steps)
		}
		for _, o := range s.opts.Observers {
			if policy.Recall {
				o.Changed(id, steps)
			}
		}
	}
	return h
}

// Sweep removes what has expired from the scopes that are open, from those that were
// closed with entries that expire, and from those named. The error joins those of the scopes that could not be swept.
func (s *Store) Sweep(ctx context.Context, also ...memory.ScopeID) error {
	ids := append(s.Open(), also...)
	s.mu.Lock()
	ids = slices.AppendSeq(ids, maps.Keys(s.expiring)) // those that still expire come back when they are closed
	clear(s.expiring)
	s.mu.Unlock()
	var errs []error
	for _, id := range ids {
		errs = append(errs, s.use(ctx, id, func(p memory.Provider) error { return s.expire(ctx, id, p) }))
	}
	return errors.Join(errs...)
}

// roadSweep is the road of what comes with time.
const roadSweep = "sweep"

// expire applies a change without operations, which removes what has expired.
func (s *Store) expire(ctx context.Context, id memory.ScopeID, p memory.Provider) error {
	policy, err := s.policyOf(ctx, id)
	if err != nil {
		return err
	}
	_, err = p.Apply(ctx, memory.Change{Limit: s.limit(policy), Actor: memory.Source{Road: roadSweep}, At: s.opts.Now().UTC()})
	if kind := memory.KindOf(err); kind == memory.KindReadOnly || kind == memory.KindDenied {
		return nil // whoever can write it sweeps it
	}
	return err
}
