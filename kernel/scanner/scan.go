package scanner

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"
)

// Scan judges the fields of one request. Its error is a *[Failure]: the fields
// were not judged, and the report is empty.
func (s *Scanner) Scan(ctx context.Context, fields []Field) (Report, error) {
	return s.scan(ctx, fields, s.opts.MaxFindings)
}

func (s *Scanner) scan(ctx context.Context, fields []Field, limit int) (rep Report, err error) {
	began := time.Now()
	defer func() {
		if v := recover(); v != nil {
			// The value of a panic may quote the text: only its type leaves.
			err = &Failure{Reason: ReasonPanic, Err: fmt.Errorf("%T", v)}
		}
		if err != nil {
			rep = Report{}
		}
		s.stats.note(fields, time.Since(began), rep, err)
	}()
	if err := s.check(fields); err != nil {
		return Report{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.opts.Timeout)
	defer cancel()
	c := &collector{fields: fields, limit: limit, known: s.known, policy: s.policy, allow: s.allow, prints: map[int]string{}, opts: &s.opts}
	for i, f := range fields {
		if err := s.scanField(ctx, c, i, f); err != nil {
			return Report{}, failure(f.Name, err)
		}
	}
	// A context that ended during the last rule may have cost findings.
	if err := ctx.Err(); err != nil {
		return Report{}, failure("", err)
	}
	return c.report(), nil
}

// check refuses what can't be scanned.
func (s *Scanner) check(fields []Field) error {
	total := 0
	for _, f := range fields {
		total += len(f.Name) + len(f.Text)
		switch {
		case len(f.Text) > s.opts.MaxText || len(f.Name) > s.opts.MaxText:
			return &Failure{Reason: ReasonTooLarge, Err: fmt.Errorf("a text of %d bytes, limit %d", len(f.Text), s.opts.MaxText)}
		case !utf8.ValidString(f.Name):
			return &Failure{Reason: ReasonEncoding, Err: errors.New("a field's name is not UTF-8")}
		case !utf8.ValidString(f.Text):
			return &Failure{Reason: ReasonEncoding, Field: f.Name, Err: errors.New("not UTF-8")}
		}
	}
	if total > s.opts.MaxRequest {
		return &Failure{Reason: ReasonTooLarge, Err: fmt.Errorf("%d bytes in all, limit %d", total, s.opts.MaxRequest)}
	}
	return nil
}

func failure(field string, err error) error {
	var f *Failure
	switch {
	case errors.As(err, &f):
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return &Failure{Reason: ReasonTimeout, Field: field, Err: err}
	default:
		return &Failure{Reason: ReasonCanceled, Field: field, Err: err}
	}
}

// scanField looks at a field in all views.
func (s *Scanner) scanField(ctx context.Context, c *collector, field int, f Field) error {
	for _, h := range findHidden(f.Text) {
		c.hidden(field, h)
	}
	if !isASCII(f.Text) {
		for _, h := range findMixed(f.Text) {
			c.hidden(field, h)
		}
	}
	w := s.windows.Get().(*windows)
	defer s.windows.Put(w)
	return s.engine.scan(ctx, f, w, func(m *match) bool {
		c.match(field, m)
		return !c.full()
	})
}
