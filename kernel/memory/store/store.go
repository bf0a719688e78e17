package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Settings is what of the configuration the store obeys. It may change while the
// store is in use.
type Settings struct {
	Enabled        bool // false: every device refuses writes
	ProfileEnabled bool
	MemoryRunes    int // limit of ScopeProject and of ScopeGlobal
	UserRunes      int // limit of ScopeUser
	Overflow       memory.Overflow
}

// DefaultSettings are the documented defaults of memory.yaml.
func DefaultSettings() Settings {
	return Settings{Enabled: true, ProfileEnabled: true, MemoryRunes: 50000, UserRunes: 10000, Overflow: memory.OverflowError}
}

// Limit is the bound of a scope.
func (s Settings) Limit(scope memory.Scope) memory.Limit {
	n := s.MemoryRunes
	if scope == memory.ScopeUser {
		n = s.UserRunes
	}
	return memory.Limit{Runes: n, Overflow: s.Overflow}
}

// Options are what a store is made of. Open and Scanner are required.
type Options struct {
	// Open opens the provider of a scope. An error is not remembered: the next
	// request tries again.
	Open      func(ctx context.Context, id memory.ScopeID, h memory.Hooks) (memory.Provider, error)
	Scanner   memory.Scanner
	Settings  func() Settings   // nil: DefaultSettings
	Observers []memory.Observer // told of every scope but the profile's, which recall never shows
	Now       func() time.Time  // nil: time.Now
	NewID     func() string     // unique for ever; required
}

// Store is the only road to memory: it scans, limits, provides and announces.
// All methods are safe for concurrent use.
type Store struct {
	opts Options

	mu     sync.Mutex
	scopes map[memory.ScopeID]*scopeHandle
	closed bool
}

// scopeHandle opens a scope's provider once, without holding up other scopes.
type scopeHandle struct {
	mu       sync.Mutex
	provider memory.Provider
}

// mover is a provider whose place can come to hold another scope: a folder that
// is moved or removed while it is open.
type mover interface{ Moved() bool }

// New returns a store that has nothing open yet.
func New(opts Options) *Store {
	if opts.Settings == nil {
		opts.Settings = DefaultSettings
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &Store{opts: opts, scopes: map[memory.ScopeID]*scopeHandle{}}
}

// Close closes every provider. Requests after it are KindUnavailable.
func (s *Store) Close() error {
	s.mu.Lock()
	s.closed = true
	handles := s.scopes
	s.scopes = map[memory.ScopeID]*scopeHandle{}
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

// Provider returns the provider of a scope, opened. Reading through it is free
// to anyone who holds it; changing memory is the store's alone.
func (s *Store) Provider(ctx context.Context, id memory.ScopeID) (memory.Provider, error) {
	if !id.Scope.Valid() {
		return nil, memory.Errorf(memory.KindInvalid, "open", "unknown target: %s", memory.QuoteName(string(id.Scope)))
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, memory.Errorf(memory.KindUnavailable, "open", "the memory is shutting down")
	}
	h := s.scopes[id]
	if h == nil {
		h = &scopeHandle{}
		s.scopes[id] = h
	}
	s.mu.Unlock()

	h.mu.Lock()
	defer h.mu.Unlock()
	if h.provider != nil {
		m, ok := h.provider.(mover)
		if !ok || !m.Moved() {
			return h.provider, nil
		}
		_ = h.provider.Close() // what it acknowledged is in its folder, wherever that went
		h.provider = nil
	}
	p, err := s.opts.Open(ctx, id, s.hooks(id))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", id.Scope, err)
	}
	h.provider = p
	return p, nil
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

// Limit is the bound of a scope now.
func (s *Store) Limit(scope memory.Scope) memory.Limit { return s.opts.Settings().Limit(scope) }

func (s *Store) hooks(id memory.ScopeID) memory.Hooks {
	h := memory.Hooks{
		Admit:  s.admit,
		Redact: s.opts.Scanner.Redact,
		Limit:  func() memory.Limit { return s.Limit(id.Scope) },
	}
	if id.Scope != memory.ScopeUser {
		h.Opened = func(entries []*memory.Entry) {
			for _, o := range s.opts.Observers {
				o.Opened(id, entries)
			}
		}
		h.Changed = func(steps []memory.Step) {
			for _, o := range s.opts.Observers {
				o.Changed(id, steps)
			}
		}
	}
	return h
}

// admit is the gate for entries that come by another road than Do. What would have
// to be masked is refused, too: the text is a person's file.
func (s *Store) admit(ctx context.Context, e *memory.Entry) error {
	if err := checkContent("edit", e.Content); err != nil {
		return err
	}
	v, err := s.scan(ctx, "edit", entryFields("", e))
	if err == nil && len(v.Mask) > 0 {
		err = rejection("edit", v.Mask)
	}
	return err
}

// scan passes fields through the scanner and turns what rejects into an error.
func (s *Store) scan(ctx context.Context, op string, fields []memory.Field) (memory.Verdict, error) {
	return judged(op)(s.opts.Scanner.Scan(ctx, fields))
}

// judged makes a rejection of a verdict that is one, and one error of all failures.
func judged(op string) func(memory.Verdict, error) (memory.Verdict, error) {
	return func(v memory.Verdict, err error) (memory.Verdict, error) {
		var e *memory.Error
		switch {
		case err == nil && len(v.Reject) > 0:
			return v, rejection(op, v.Reject)
		case err == nil || errors.As(err, &e):
			return v, err
		}
		return v, &memory.Error{Op: op, Kind: memory.KindInternal, Err: errors.New("the scanner failed, so nothing was stored")}
	}
}

func rejection(op string, found []memory.Finding) error {
	f := found[0]
	return &memory.Error{
		Op: op, Kind: memory.KindRejected, Findings: found,
		Err: fmt.Errorf("security scan rejected: %s (%s) in %s: %s", f.Description, f.Rule, f.Field, f.Preview),
	}
}
