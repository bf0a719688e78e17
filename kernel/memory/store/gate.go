package store

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// mask replaces what has to be masked, which is possible in a content only: a key
// or a tag with a hole in it names something else.
func (s *Store) mask(ctx context.Context, ch *memory.Change, op string, found []memory.Finding) error {
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
		text, err := s.opts.Scanner.Redact(ctx, e.Content)
		if err != nil {
			return memory.Errorf(memory.KindRejected, op, "what was found could not be masked, so nothing was stored")
		}
		e.Content = text
	}
	return nil
}

// scanTogether judges the new texts of a change together: a secret must not come
// in by parts in one request. Parts are the first and the last words of the texts.
func (s *Store) scanTogether(ctx context.Context, ch *memory.Change, op string) error {
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
	v, err := s.scan(ctx, op, []memory.Field{{Name: "ops", Text: onward}, {Name: "ops", Text: joinEnds(texts)}})
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
