package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// gate has texts scanned before they are stored or shown.
type gate struct {
	scanner memory.Scanner
	name    func(label, text string) string
}

// judge has the texts of a change scanned, and masks what may be stored masked. It
// returns what is stored with a warning.
func (g gate) judge(ctx context.Context, ch *memory.Change, op string) (warnings []memory.Finding, err error) {
	var fields []memory.Field
	if ch.IdempotencyKey != "" { // it is kept in the journal
		fields = append(fields, memory.Field{Name: "idempotency_key", Text: ch.IdempotencyKey})
	}
	for i := range ch.Ops {
		prefix := ""
		if op == actionBatch {
			prefix = part(i) + "."
		}
		fields = append(fields, entryFields(prefix, &ch.Ops[i].Entry)...)
	}
	v, err := g.scan(ctx, op, fields)
	if err == nil {
		err = g.mask(ctx, ch, op, v.Mask)
	}
	if err == nil {
		err = g.scanTogether(ctx, ch, op)
	}
	return slices.Concat(v.Mask, v.Warn), err
}

// mask replaces what has to be masked, which is possible in a content only: a key
// or a tag with a hole in it names something else.
func (g gate) mask(ctx context.Context, ch *memory.Change, op string, found []memory.Finding) error {
	if len(found) == 0 {
		return nil
	}
	for _, f := range found {
		if f.Field != "content" && !strings.HasSuffix(f.Field, "].content") {
			return rejection(op, found)
		}
	}
	for i := range ch.Ops {
		e := &ch.Ops[i].Entry
		if e.Content == "" {
			continue
		}
		text, err := g.scanner.Redact(ctx, e.Content)
		if err != nil {
			return memory.Errorf(memory.KindRejected, op, "what was found could not be masked, so nothing was stored")
		}
		e.Content = text
	}
	return nil
}

// scanTogether judges the new texts of a change together: a secret must not come
// in by parts in one request. Parts are the first and the last words of the texts.
func (g gate) scanTogether(ctx context.Context, ch *memory.Change, op string) error {
	var texts []string
	for i := range ch.Ops {
		if text := strings.TrimFunc(ch.Ops[i].Entry.Content, aroundPart); text != "" {
			texts = append(texts, text)
		}
	}
	if len(texts) < 2 {
		return nil
	}
	onward := joinEnds(texts)
	slices.Reverse(texts)
	v, err := g.scan(ctx, op, []memory.Field{{Name: "ops", Text: onward}, {Name: "ops", Text: joinEnds(texts)}})
	if err == nil && len(v.Mask) > 0 { // a part can't be masked alone
		err = rejection(op, v.Mask)
	}
	return err
}

// aroundPart reports what people put around a part: blanks, quotes, brackets.
func aroundPart(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("\"'`|,;()[]{}<>…«»“”„‘’", r)
}

// joinEnds puts the last word of each text before the first of the next one. A
// text of one word joins those beside it.
func joinEnds(texts []string) string {
	var b strings.Builder
	for _, text := range texts {
		end := strings.IndexFunc(text, aroundPart)
		if end < 0 {
			b.WriteString(text)
			continue
		}
		last := strings.LastIndexFunc(text, aroundPart)
		_, size := utf8.DecodeRuneInString(text[last:])
		b.WriteString(text[:end] + "\n\n" + text[last+size:])
	}
	return b.String()
}

// admit is the gate for entries that come by another road than Do. What would have
// to be masked is refused, too: the text is a person's file.
func (s *Store) admit(ctx context.Context, e *memory.Entry) error {
	if err := checkContent("edit", e.Content); err != nil {
		return err
	}
	v, err := s.gate.scan(ctx, "edit", entryFields("", e))
	if err == nil && len(v.Mask) > 0 {
		err = rejection("edit", v.Mask)
	}
	return err
}

// pass judges an entry that was there before: the rules may have grown since.
func (g gate) pass(ctx context.Context, e *memory.Entry) error {
	v, err := g.scan(ctx, "restore", entryFields("", e))
	if err == nil && len(v.Mask) > 0 {
		err = rejection("restore", v.Mask)
	}
	return err
}

// scan passes fields through the scanner and turns what rejects into an error.
func (g gate) scan(ctx context.Context, op string, fields []memory.Field) (memory.Verdict, error) {
	v, err := g.scanner.Scan(ctx, fields)
	for _, found := range [][]memory.Finding{v.Reject, v.Mask, v.Warn} {
		for i := range found {
			found[i].Field = g.name("", found[i].Field) // it may have a key of the metadata
		}
	}
	switch {
	case err == nil && len(v.Reject) > 0:
		return v, rejection(op, v.Reject)
	case err == nil || errors.As(err, new(*memory.Error)):
		return v, err
	}
	return v, &memory.Error{Op: op, Kind: memory.KindInternal, Err: errors.New("the scanner failed, so nothing was stored")}
}

func rejection(op string, found []memory.Finding) error {
	f := found[0]
	return &memory.Error{
		Op: op, Kind: memory.KindRejected, Findings: found,
		Err: fmt.Errorf("security scan rejected: %s (%s) in %s: %s", f.Description, f.Rule, f.Field, f.Preview),
	}
}

// secretMatch reports whether the text that a request looks for must not be
// quoted in an error. It need not be clean: removing a secret always works.
// A text that can't be judged counts as one.
func (g gate) secretMatch(ctx context.Context, m memory.Match) bool {
	var fields []memory.Field
	for name, text := range map[string]string{"old": m.Content, "key": m.Key, "id": m.ID} {
		if text != "" {
			fields = append(fields, memory.Field{Name: name, Text: text})
		}
	}
	return g.withhold(ctx, fields)
}

// Withhold reports whether a text that somebody asked with must not be passed on: the
// scanner would not have it stored, or can't judge it.
func (s *Store) Withhold(ctx context.Context, text string) bool {
	return s.gate.withhold(ctx, []memory.Field{{Name: "query", Text: text}})
}

func (g gate) withhold(ctx context.Context, fields []memory.Field) bool {
	v, err := g.scanner.Scan(ctx, fields)
	return len(v.Reject)+len(v.Mask) > 0 || err != nil
}
