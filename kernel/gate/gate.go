package gate

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/rnixfs/rnixfs/kernel/config"
	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/scanner"
)

// Gate is a scanner that can be exchanged. It implements memory.Scanner.
type Gate struct {
	current atomic.Pointer[loading]
	key     func() []byte

	mu    sync.Mutex // held while other rules are loaded
	tried *loading   // the newest, in force or not
}

// loading is a scanner that is there once ready is closed, some time after begin.
type loading struct {
	from    config.Scanner
	rules   string // what of the file of rules can be seen: see contents
	key     func() []byte
	usual   bool // the built-in rules do what they do by default
	begun   atomic.Bool
	ready   chan struct{}
	scanner *scanner.Scanner
	err     error
	names   names
}

func (g *Gate) newLoading(from config.Scanner) *loading {
	return &loading{
		from: from, rules: contents(from.Rules), key: g.key, ready: make(chan struct{}),
		usual: reflect.DeepEqual(from, config.Default().Scanner),
	}
}

// begin loads beside the caller, once. Close waits for that.
func (l *loading) begin() *loading {
	if l.begun.CompareAndSwap(false, true) {
		go func() {
			defer close(l.ready)
			l.scanner, l.err = scanner.New(Options(l.from, l.key))
		}()
	}
	return l
}

// contents tells one state of a file of rules from another: a hash of what is in
// it, or why it can't be read.
func contents(file string) string {
	if file == "" {
		return ""
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	sum := sha256.Sum256(raw)
	return string(sum[:])
}

// New returns a gate whose rules load at once, or with the first scan. The key is that
// of the fingerprints; nil: there are none.
func New(from config.Scanner, key func() []byte, atOnce bool) *Gate {
	g := &Gate{key: key}
	g.tried = g.newLoading(from)
	if atOnce {
		g.tried.begin()
	}
	g.current.Store(g.tried)
	return g
}

// Reload takes over another configuration, or another content of its file of
// rules, unless it does not load. It reports whether there was anything new.
func (g *Gate) Reload(from config.Scanner) (changed bool, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !reflect.DeepEqual(from, g.tried.from) || contents(from.Rules) != g.tried.rules {
		g.tried = g.newLoading(from)
	}
	<-g.tried.begin().ready
	if g.tried.err != nil || g.tried == g.current.Load() {
		return false, g.tried.err
	}
	old := g.current.Load().begin()
	if <-old.ready; old.err == nil { // what was counted is not forgotten
		g.tried.scanner.Continue(old.scanner)
	}
	g.current.Store(g.tried)
	return true, nil
}

// Loaded waits until the scanner in force has loaded, or has not.
func (g *Gate) Loaded() error {
	l := g.current.Load().begin()
	<-l.ready
	return l.err
}

// Close waits for a load in progress.
func (g *Gate) Close() {
	if l := g.current.Load(); l.begun.Load() {
		<-l.ready
	}
}

// Options are those of a configuration, and the key of the fingerprints.
func Options(c config.Scanner, key func() []byte) scanner.Options {
	opts := scanner.Options{RulesFile: c.Rules, Key: key, Policy: map[string]scanner.Action{
		scanner.CategorySecret:       scanner.Action(c.Secret),
		scanner.CategoryCredential:   scanner.Action(c.Credential),
		scanner.CategoryInjection:    scanner.Action(c.PromptInjection),
		scanner.CategoryExfiltration: scanner.Action(c.Exfiltration),
		scanner.CategoryDangerous:    scanner.Action(c.DangerousCode),
		scanner.CategoryBackdoor:     scanner.Action(c.Backdoor),
		scanner.CategoryUnicode:      scanner.Action(c.Unicode),
		scanner.CategoryPII:          scanner.Action(c.PII),
	}}
	for _, a := range c.Allow {
		opts.Allow = append(opts.Allow, scanner.Exception(a))
	}
	return opts
}

// Check says why a scanner of this configuration does not load.
func Check(l *config.Loaded) error {
	if _, err := scanner.New(Options(l.Config.Scanner, nil)); err != nil {
		return Problem(l, err)
	}
	return nil
}

// Problem says of a scanner that does not load which line of which file is
// to blame.
func Problem(l *config.Loaded, err error) error {
	key, opts := "scanner.rules", Options(l.Config.Scanner, nil)
	opts.Allow = nil
	if _, err := scanner.New(opts); err == nil {
		key = "scanner.allow"
	}
	at := l.Origin[key]
	p := config.Problem{File: cmp.Or(at.File, "memory.yaml")}
	p.Line, p.Path, p.Reason = at.Line, key, err.Error()
	if f := new(scanner.Failure); errors.As(err, &f) && f.Err != nil {
		p.Reason = f.Err.Error()
	}
	return memory.Errorf(memory.KindInvalid, "load configuration", "%w", &config.Error{Problems: []config.Problem{p}})
}

// wait returns the loaded scanner.
func (g *Gate) wait(ctx context.Context) (*scanner.Scanner, error) {
	l := g.current.Load().begin()
	select {
	case <-l.ready:
	case <-ctx.Done():
		return nil, memory.Errorf(memory.KindTimeout, "scan", "the scanner is still loading")
	}
	if l.err != nil {
		return nil, memory.Errorf(memory.KindUnavailable, "scan", "the scanner did not load, so nothing is stored; run rnixfs doctor")
	}
	return l.scanner, nil
}

// Scan implements memory.Scanner.
func (g *Gate) Scan(ctx context.Context, fields []memory.Field) (memory.Verdict, error) {
	s, err := g.wait(ctx)
	if err != nil {
		return memory.Verdict{}, err
	}
	in := make([]scanner.Field, len(fields))
	for i, f := range fields {
		in[i] = scanner.Field{Name: f.Name, Text: f.Text}
	}
	r, err := s.Scan(ctx, in)
	if err != nil {
		return memory.Verdict{}, scanFailure(err)
	}
	return memory.Verdict{Reject: findings(r.Findings), Mask: findings(r.Redactions), Warn: findings(r.Warnings)}, nil
}

func findings(list []scanner.Finding) []memory.Finding {
	var out []memory.Finding
	for _, f := range list {
		out = append(out, memory.Finding{
			Rule: f.Rule, Category: f.Category, Description: f.Description, Field: f.Field,
			Line: f.Line, Column: f.Column, Preview: f.Preview, Action: string(f.Action), Hint: f.Hint, Fingerprint: f.Fingerprint,
		})
	}
	return out
}

// Redact implements memory.Scanner.
func (g *Gate) Redact(ctx context.Context, text string) (string, error) {
	return g.redact(ctx, text, (*scanner.Scanner).Redact)
}

// RedactValues masks secrets, credentials and personal data alone.
func (g *Gate) RedactValues(ctx context.Context, text string) (string, error) {
	return g.redact(ctx, text, (*scanner.Scanner).RedactValues)
}

func (g *Gate) redact(ctx context.Context, text string, mask func(*scanner.Scanner, context.Context, string) (string, error)) (string, error) {
	s, err := g.wait(ctx)
	if err != nil {
		return "", err
	}
	out, err := mask(s, ctx, text)
	if err != nil {
		return "", scanFailure(err)
	}
	return out, nil
}

// scanFailure keeps the scanner's reason, which never quotes the text.
func scanFailure(err error) error {
	var f *scanner.Failure
	if !errors.As(err, &f) {
		return memory.Errorf(memory.KindInternal, "scan", "the scanner failed, so nothing was stored")
	}
	kind := memory.KindInternal
	switch f.Reason {
	case scanner.ReasonTooLarge:
		kind = memory.KindTooBig
	case scanner.ReasonEncoding:
		kind = memory.KindInvalid
	case scanner.ReasonTimeout, scanner.ReasonCanceled:
		kind = memory.KindTimeout
	}
	return memory.Errorf(kind, "scan", "the text could not be judged, so nothing was stored: %s", f.Error())
}
