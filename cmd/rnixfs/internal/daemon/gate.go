package daemon

import (
	"context"
	"errors"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/scanner"
)

// gate is the scanner as memory needs it. Its rules take tens of milliseconds to
// compile, so they are loaded beside the mount; until they are there, every scan
// waits, and if they can't be loaded, every scan fails.
type gate struct {
	ready   chan struct{}
	scanner *scanner.Scanner
	err     error
}

func newGate(opts scanner.Options) *gate {
	g := &gate{ready: make(chan struct{})}
	go func() {
		defer close(g.ready)
		g.scanner, g.err = scanner.New(opts)
	}()
	return g
}

// wait returns the loaded scanner.
func (g *gate) wait(ctx context.Context) (*scanner.Scanner, error) {
	select {
	case <-g.ready:
	case <-ctx.Done():
		return nil, memory.Errorf(memory.KindTimeout, "scan", "the scanner is still loading")
	}
	if g.err != nil {
		return nil, memory.Errorf(memory.KindUnavailable, "scan", "the scanner did not load, so nothing is stored; run rnixfs doctor")
	}
	return g.scanner, nil
}

// Scan implements memory.Scanner.
func (g *gate) Scan(ctx context.Context, fields []memory.Field) ([]memory.Finding, error) {
	s, err := g.wait(ctx)
	if err != nil {
		return nil, err
	}
	in := make([]scanner.Field, len(fields))
	for i, f := range fields {
		in[i] = scanner.Field{Name: f.Name, Text: f.Text}
	}
	report, err := s.Scan(ctx, in)
	if err != nil {
		return nil, scanFailure(err)
	}
	var out []memory.Finding
	for _, f := range report.Findings {
		out = append(out, memory.Finding{
			Rule: f.Rule, Category: f.Category, Description: f.Description, Field: f.Field,
			Line: f.Line, Column: f.Column, Preview: f.Preview,
		})
	}
	return out, nil
}

// Redact implements memory.Scanner.
func (g *gate) Redact(ctx context.Context, text string) (string, error) {
	s, err := g.wait(ctx)
	if err != nil {
		return "", err
	}
	out, err := s.Redact(ctx, text)
	if err != nil {
		return "", scanFailure(err)
	}
	return out, nil
}

// scanFailure keeps the scanner's reason, which never quotes the text.
func scanFailure(err error) error {
	var f *scanner.Failure
	if errors.As(err, &f) {
		return memory.Errorf(memory.KindInternal, "scan", "the scanner could not judge the text, so nothing was stored: %s", f.Error())
	}
	return memory.Errorf(memory.KindInternal, "scan", "the scanner failed, so nothing was stored")
}
