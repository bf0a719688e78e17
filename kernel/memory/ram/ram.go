package ram

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// maxHistory bounds the records kept; the oldest are forgotten first.
const maxHistory = 16384

// Options of a Provider. The zero value works.
type Options struct {
	Hooks memory.Hooks     // Opened and Changed are called
	Clock func() time.Time // nil: time.Now
}

// Provider is a memory.Provider in RAM.
type Provider struct {
	opts Options

	mu      sync.RWMutex
	state   *memory.State
	history []memory.Record
	closed  bool
}

var _ memory.Provider = (*Provider)(nil)

// Open returns an empty provider. Hooks.Opened is called before it returns.
func Open(opts Options) *Provider {
	if opts.Clock == nil {
		opts.Clock = time.Now
	}
	if opts.Hooks.Opened != nil {
		opts.Hooks.Opened(nil)
	}
	return &Provider{opts: opts, state: memory.NewState(nil, 0)}
}

var errClosed = &memory.Error{Kind: memory.KindUnavailable, Err: errors.New("the provider was closed")}

// Load implements memory.Provider.
func (p *Provider) Load(ctx context.Context) (memory.View, error) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if err := p.usable(ctx); err != nil {
		return memory.View{}, err
	}
	return p.state.View(), nil
}

// Apply implements memory.Provider.
func (p *Provider) Apply(ctx context.Context, ch memory.Change) (memory.Result, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.usable(ctx); err != nil {
		return memory.Result{}, err
	}
	if res, ok, err := p.state.Replay(ch); ok || err != nil {
		return res, err
	}
	ch.At = ch.At.UTC().Round(0)
	steps, err := p.state.Plan(ch)
	if err != nil || ch.Dry {
		return memory.Result{}, err
	}
	seq := p.state.Sequence()
	if len(steps) > 0 {
		seq++
	}
	res := p.state.Commit(ch, steps, seq)
	p.record(ch, res)
	if p.opts.Hooks.Changed != nil && len(steps) > 0 {
		p.opts.Hooks.Changed(steps)
	}
	return res, nil
}

func (p *Provider) record(ch memory.Change, res memory.Result) {
	for _, s := range res.Steps {
		e := s.After
		if e == nil {
			e = s.Before
		}
		p.history = append(p.history, memory.Record{
			Sequence: res.Sequence, Time: ch.At, Action: s.Action, Actor: ch.Actor, ID: e.ID, Before: s.Before, After: s.After,
		})
	}
	if len(p.history) > 2*maxHistory {
		p.history = append([]memory.Record(nil), p.history[len(p.history)-maxHistory:]...)
	}
}

// History implements memory.Provider.
func (p *Provider) History(ctx context.Context, m memory.Match) ([]memory.Record, error) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if err := p.usable(ctx); err != nil {
		return nil, err
	}
	id, err := p.find(m)
	if err != nil {
		return nil, err
	}
	var out []memory.Record
	for _, r := range p.history {
		if r.ID == id {
			out = append(out, r)
		}
	}
	if len(out) == 0 && p.state.ByID(id) == nil {
		return nil, memory.NotFound("history", m)
	}
	return out, nil
}

// Changes implements memory.Chronicler.
func (p *Provider) Changes(ctx context.Context, most int, pass func(*memory.Record) bool) (out []memory.Record, err error) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	for i := len(p.history) - 1; i >= 0 && len(out) < most; i-- {
		if r := p.history[i]; pass(&r) {
			out = append(out, r)
		}
	}
	slices.Reverse(out)
	return out, p.usable(ctx)
}

// find returns the id of the entry that has, or last had, a key or content.
func (p *Provider) find(m memory.Match) (string, error) {
	if m.ID != "" {
		return m.ID, nil
	}
	matches := func(e *memory.Entry) bool {
		return e != nil && (m.Key != "" && e.Key == m.Key || m.Key == "" && e.Content == m.Content)
	}
	id := ""
	for _, e := range p.state.View().Entries {
		if matches(e) {
			if id != "" {
				return "", memory.Errorf(memory.KindInvalid, "history", "several entries have this content; name one by its id")
			}
			id = e.ID
		}
	}
	for i := len(p.history) - 1; i >= 0 && id == ""; i-- {
		if matches(p.history[i].After) || matches(p.history[i].Before) {
			id = p.history[i].ID
		}
	}
	if id == "" {
		return "", memory.NotFound("history", m)
	}
	return id, nil
}

// Volatile reports whether closing would forget something: an entry, or what
// happened lately.
func (p *Provider) Volatile() bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	n := len(p.history)
	return p.state.Len() > 0 || n > 0 && p.opts.Clock().Sub(p.history[n-1].Time) < time.Hour
}

// Close implements memory.Provider. It forgets everything.
func (p *Provider) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed, p.state, p.history = true, memory.NewState(nil, 0), nil
	return nil
}

func (p *Provider) usable(ctx context.Context) error {
	if p.closed {
		return errClosed
	}
	if err := ctx.Err(); err != nil {
		return &memory.Error{Kind: memory.KindTimeout, Err: err}
	}
	return nil
}
