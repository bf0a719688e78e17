package store

import (
	"context"
	"sync"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Options are what a store is made of. Open, Scanner and NewID are required.
type Options struct {
	// Open opens the provider of a scope. An error is not remembered: the next
	// request tries again.
	Open    func(ctx context.Context, id memory.ScopeID, p memory.Policy, h memory.Hooks) (memory.Provider, error)
	Scanner memory.Scanner
	// Policies is the table of scopes that holds for a user in a project, asked at
	// each request; "" is no project. Nil stands for memory.DefaultPolicies.
	Policies func(ctx context.Context, uid uint32, project string) memory.Policies
	// Categories is the table of categories, asked at each request. Nil stands for
	// memory.DefaultCategories.
	Categories func() memory.Categories
	Folder     func(id memory.ScopeID, p memory.Policy) string // where a scope's files lie, for replies; may be nil
	Known      func(id memory.ScopeID) (memory.Folder, error)  // which directory a project's root is, of a scope that does not say; may be nil
	Kept       func(id memory.ScopeID, p memory.Policy) bool   // whether anything is kept of a scope that is not open; may be nil
	// Name is a text that is kept beside an entry (an executable's path, a session's id),
	// or a hash of what the scanner would not have stored of it; nil: the text.
	Name func(label, text string) string
	// RedactValues masks what of a refused file must not be kept; nil: Scanner.Redact.
	RedactValues func(ctx context.Context, text string) (string, error)
	Observers    []memory.Observer // told of the scopes that recall finds
	// Changed is told what changes in any scope while that is open, with the provider's
	// lock held: it must not block; may be nil.
	Changed func(id memory.ScopeID, steps []memory.Step)
	// Refused is told what the scanner refused, and where a file that it refused is kept,
	// or ""; may be nil.
	Refused func(ctx context.Context, c memory.Caller, by memory.Source, found []memory.Finding, file string)
	Now     func() time.Time // nil: time.Now
	NewID   func() string    // unique for ever
	// MaxOpen bounds the scopes of a user that are open and not in use; 0 stands for 64.
	MaxOpen int
	// Unserved says that no mount serves the store: what it keeps in RAM would be gone with
	// this process, and changes of it are refused.
	Unserved bool
	// SweepOpened removes what has expired when a scope is opened.
	SweepOpened bool
}

// Store is the only road to memory: it scans, limits, provides and announces.
// All methods are safe for concurrent use.
type Store struct {
	opts Options
	gate gate

	mu     sync.Mutex
	scopes map[memory.ScopeID]*handle
	closed bool
	// expiring are the scopes that were closed with entries that expire.
	expiring map[memory.ScopeID]bool
}

// handle is a scope that is open, or about to be.
type handle struct {
	// Guarded by Store.mu.
	users   int
	last    time.Time // of use
	dropped bool      // to be closed by the last user

	mu       sync.Mutex // held while the provider is opened or closed
	provider memory.Provider
	policy   memory.Policy // with which it was opened
}

// mover is a provider whose place can come to hold another scope: a folder that
// is moved or removed while it is open.
type mover interface{ Moved() bool }

// volatile is a provider that forgets something when it is closed.
type volatile interface{ Volatile() bool }

// New returns a store that has nothing open yet.
func New(opts Options) *Store {
	if opts.Policies == nil {
		opts.Policies = func(context.Context, uint32, string) memory.Policies { return memory.DefaultPolicies() }
	}
	if opts.Categories == nil {
		opts.Categories = memory.DefaultCategories
	}
	if opts.Name == nil {
		opts.Name = func(_, text string) string { return text }
	}
	if opts.RedactValues == nil {
		opts.RedactValues = opts.Scanner.Redact
	}
	if opts.Refused == nil {
		opts.Refused = func(context.Context, memory.Caller, memory.Source, []memory.Finding, string) {}
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.MaxOpen == 0 {
		opts.MaxOpen = 64
	}
	return &Store{opts: opts, gate: gate{opts.Scanner, opts.Name}, scopes: map[memory.ScopeID]*handle{}, expiring: map[memory.ScopeID]bool{}}
}

// Policies is the table of scopes that holds for a caller.
func (s *Store) Policies(ctx context.Context, caller memory.Caller) memory.Policies {
	return s.opts.Policies(ctx, caller.UID, caller.Project)
}

// Categories is the table of categories that holds.
func (s *Store) Categories() memory.Categories { return s.opts.Categories() }

// Resolve returns the caller's scope with a name.
func (s *Store) Resolve(ctx context.Context, caller memory.Caller, scope memory.Scope) (memory.ScopeID, error) {
	table := s.Policies(ctx, caller)
	scope = table.Named(scope)
	p, err := row(table, scope)
	if err != nil {
		return memory.ScopeID{}, err
	}
	id, err := memory.Resolve(caller, scope, p)
	names := []string{caller.Session}
	if p.Owner == memory.OwnerSession || p.Owner == memory.OwnerAgent { // it names a folder
		names = append(names, id.Owner)
	}
	for _, name := range names {
		if err == nil && s.opts.Name("", name) != name {
			err = memory.Errorf(memory.KindRejected, "resolve", "the id of the session, or the name of the agent, is what the scanner does not let be stored; take another")
		}
	}
	return id, err
}

// limit is what bounds a scope, in room and in time.
func (s *Store) limit(p memory.Policy) memory.Limit {
	l := p.Limit()
	l.Categories = s.opts.Categories()
	return l
}

// Lifetimes says when the entries of a scope end.
func (s *Store) Lifetimes(ctx context.Context, id memory.ScopeID) memory.Lifetimes {
	p, _ := s.policyOf(ctx, id) // no row: they end as they say themselves
	return s.limit(p).Lifetimes
}

// named is a source as it is kept.
func named(source memory.Source, name func(label, text string) string) memory.Source {
	for _, text := range []*string{&source.Exe, &source.Session, &source.Container, &source.Client, &source.Process, &source.Job} {
		*text = name("", *text)
	}
	return source
}

// policyOf is the policy of a scope by itself, whoever asks.
func (s *Store) policyOf(ctx context.Context, id memory.ScopeID) (memory.Policy, error) {
	p, err := row(s.opts.Policies(ctx, id.UID, ""), id.Scope)
	if err == nil && p.Owner == memory.OwnerProject && id.Owner != "" {
		p, err = row(s.opts.Policies(ctx, id.UID, id.Owner), id.Scope)
	}
	return p, err
}

func row(table memory.Policies, scope memory.Scope) (memory.Policy, error) {
	p, ok := table[scope]
	if !ok {
		return p, memory.Errorf(memory.KindInvalid, "open", "unknown target: %s", memory.QuoteName(string(scope)))
	}
	return p, nil
}
