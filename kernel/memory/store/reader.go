package store

import (
	"context"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Reader reads one scope, which is opened when it is read.
type Reader struct {
	s  *Store
	id memory.ScopeID
}

// Reader returns a reader of a scope.
func (s *Store) Reader(id memory.ScopeID) Reader { return Reader{s, id} }

// Load returns the scope as it is now, with what is shown of it.
func (r Reader) Load(ctx context.Context) (memory.View, error) {
	v, l, now, err := r.whole(ctx)
	return v.Live(&l, now, false), err
}

// Whole returns all that is kept of the scope, shown or not.
func (r Reader) Whole(ctx context.Context) (memory.View, error) {
	v, _, _, err := r.whole(ctx)
	return v, err
}

// whole returns all that is kept of the scope, and by what it ends.
func (r Reader) whole(ctx context.Context) (v memory.View, l memory.Lifetimes, now time.Time, err error) {
	err = r.s.use(ctx, r.id, func(p memory.Provider) error {
		v, err = p.Load(ctx)
		return err
	})
	return v, r.s.Lifetimes(ctx, r.id), r.s.opts.Now().UTC(), err
}

// History returns what happened to an entry; see [memory.Provider].
func (r Reader) History(ctx context.Context, m memory.Match) (recs []memory.Record, err error) {
	err = r.s.use(ctx, r.id, func(p memory.Provider) error {
		recs, err = p.History(ctx, m)
		return err
	})
	return recs, err
}

// Changes returns what happened last; nothing where the provider does not know. See
// [memory.Chronicler].
func (r Reader) Changes(ctx context.Context, most int, pass func(*memory.Record) bool) (list []memory.Record, err error) {
	err = r.s.use(ctx, r.id, func(p memory.Provider) error {
		if past, ok := p.(memory.Chronicler); ok {
			list, err = past.Changes(ctx, most, pass)
		}
		return err
	})
	return list, err
}

// Condition is how a scope is kept.
type Condition struct {
	SetAside int    // texts that were set aside
	ReadOnly string // why nothing can be written, or ""
}

// Condition says how the scope is kept.
func (r Reader) Condition(ctx context.Context) (c Condition, err error) {
	err = r.s.use(ctx, r.id, func(p memory.Provider) error {
		if f, ok := p.(interface{ SetAside() int }); ok {
			c.SetAside = f.SetAside()
		}
		if f, ok := p.(interface{ Cause() string }); ok {
			c.ReadOnly = f.Cause()
		}
		return nil
	})
	return c, err
}

// Check reports what is wrong with the scope's storage; see [memory.Checker].
func (r Reader) Check(ctx context.Context) (memory.Health, error) {
	return r.examine(ctx, memory.Checker.Check)
}

// Repair mends what can be mended without loss; see [memory.Checker].
func (r Reader) Repair(ctx context.Context) (memory.Health, error) {
	return r.examine(ctx, memory.Checker.Repair)
}

func (r Reader) examine(ctx context.Context, do func(memory.Checker, context.Context) (memory.Health, error)) (health memory.Health, err error) {
	err = r.s.use(ctx, r.id, func(p memory.Provider) error {
		if c, ok := p.(memory.Checker); ok {
			health, err = do(c, ctx)
			for i := range health.Problems {
				p := &health.Problems[i]
				p.Path, p.Reason = r.s.opts.Name("", p.Path), r.s.opts.Name("", p.Reason)
			}
			return err
		}
		v, err := p.Load(ctx)
		health.Entries = len(v.Entries)
		return err
	})
	return health, err
}
