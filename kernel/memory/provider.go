package memory

import "context"

// Provider keeps the entries of one [ScopeID]. All methods are safe for
// concurrent use, by this process and by every other that opened the same
// scope.
type Provider interface {
	// Load returns the scope as it is now, with every change that was
	// acknowledged before the call, by whichever process. What has ended and was
	// not swept yet, and what is archived, is there: see [View.Live].
	Load(ctx context.Context) (View, error)
	// Apply makes the change durable, all of it or nothing, and returns after
	// that. What it does is decided by [State.Plan] on the newest state; its
	// errors are returned unchanged. Once it has begun to write, ctx no longer
	// stops it.
	Apply(ctx context.Context, ch Change) (Result, error)
	// History returns what happened to the entry that m names, oldest first,
	// also when it is gone. An unknown entry is KindNotFound.
	History(ctx context.Context, m Match) ([]Record, error)
	// Close releases the provider. Nothing acknowledged depends on it.
	Close() error
}

// Hooks is what a provider asks of the store that opened it. Zero fields are
// not called.
type Hooks struct {
	// Admit judges an entry that reached the provider by another road than
	// Apply: a file changed by hand. An error keeps it out.
	Admit func(ctx context.Context, e *Entry) error
	// Redact masks the values (secrets, credentials, personal data) of a text that has
	// to be set aside.
	Redact func(ctx context.Context, text string) (string, error)
	// SetAside is told what Admit found in a text that was set aside, and the path below
	// the scope's folder at which it is kept.
	SetAside func(found []Finding, path string)
	// Limit is the scope's limit now, for what Admit lets in.
	Limit func() Limit
	// Opened is called once with the first state, and again when the provider
	// had to read everything anew.
	Opened func(entries []*Entry)
	// Changed is called with the steps of each change, this process's own, other
	// processes' and edits by hand, in order, before the change is acknowledged.
	Changed func(steps []Step)
}

// Health is a provider's report on itself.
type Health struct {
	Entries  int       `json:"entries"`
	Problems []Problem `json:"problems,omitempty"`
}

// Problem is one thing wrong with a scope, and how to mend it.
type Problem struct {
	Path   string `json:"path"`   // the file, relative to the scope's folder
	Code   string `json:"code"`   // stable: unreadable, rejected, torn_journal, ...
	Reason string `json:"reason"` // for a person; holds no secret
	Mend   string `json:"mend,omitempty"`
}

// Checker is implemented by providers that can look after their own storage.
type Checker interface {
	// Check reports problems and changes nothing.
	Check(ctx context.Context) (Health, error)
	// Repair mends what can be mended without loss and reports what is left.
	Repair(ctx context.Context) (Health, error)
}

// Chronicler is implemented by providers that know what happened to all entries.
type Chronicler interface {
	// Changes returns the changes that pass, oldest first, at most so many of the
	// latest.
	Changes(ctx context.Context, most int, pass func(*Record) bool) ([]Record, error)
}

// Observer is told what changed. Opened and Changed are called with the provider's
// lock held: they must not block and must not call back.
type Observer interface {
	Opened(id ScopeID, entries []*Entry)
	Changed(id ScopeID, steps []Step)
	Closed(id ScopeID) // until it is opened again
}
