package scanner

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// collector gathers the findings of one request, each once however many views
// show it.
type collector struct {
	fields []Field
	known  map[string]bool // rule ids, as they stand in masks
	policy policy
	allow  []exception
	opts   *Options
	limit  int
	rep    Report

	prints  map[int]string // fingerprints of whole texts, by field
	allowed []Finding      // by their fingerprints
}

func (c *collector) full() bool {
	for _, list := range c.rep.lists() {
		c.rep.Truncated = c.rep.Truncated || len(*list) >= c.limit
	}
	return c.rep.Truncated
}

func (c *collector) hidden(field int, h hidden) {
	text := c.fields[field].Text
	c.add(Finding{
		Action: c.policy.of(CategoryUnicode, Reject),
		Rule:   h.rule, Category: CategoryUnicode, Description: unicodeRules[h.rule], View: viewRaw.String(),
		Offset: h.at.start, Length: h.at.end - h.at.start, field: field, span: h.at,
	}, text[h.at.start:h.at.end])
}

func (c *collector) match(field int, m *match) {
	text := c.fields[field].Text
	at := snap(text, m.view.source(m.at))
	if inMask(text, at, c.known) {
		return
	}
	c.add(Finding{
		Action: m.rule.action,
		Rule:   m.rule.id, Category: m.rule.category, Description: m.rule.description, View: m.view.kind.String(),
		Offset: at.start, Length: at.end - at.start, field: field, span: m.maskSpan(text),
		Keyword: c.keyword(m),
	}, m.value)
}

// add keeps a finding unless an exception lets it pass, or the same rule has one
// there already, seen in an earlier view, which is nearer to the text as it
// stands.
func (c *collector) add(f Finding, words string) {
	value := c.fields[f.field].Text[f.Offset : f.Offset+f.Length]
	if f.Action == Off {
		return
	}
	f.Fingerprint = c.fingerprint(&f, value)
	at := span{f.Offset, f.Offset + f.Length}
	same := func(o Finding) bool {
		return o.field == f.field && o.Rule == f.Rule && at.overlaps(span{o.Offset, o.Offset + o.Length})
	}
	for _, x := range c.allow {
		if x.allows(&f, value) {
			if x.Fingerprint != "" && len(c.allowed) < c.limit {
				c.allowed = append(c.allowed, f)
			}
			return
		}
	}
	if slices.ContainsFunc(c.allowed, same) {
		return
	}
	list := c.rep.lists()[slices.Index(actions, f.Action)]
	f.Field, f.Hint = c.fields[f.field].Name, hints[f.Category]
	if c.opts.Explain && !isValue(f.Category) {
		f.Words = strings.TrimSpace(words)
	}
	if i := slices.IndexFunc(*list, same); i >= 0 {
		o := &(*list)[i]
		if f.View == viewToken.String() && o.View != f.View {
			return // found whole; what follows it may be no part of it
		}
		o.span = span{min(o.span.start, f.span.start), max(o.span.end, f.span.end)}
		return
	}
	if c.full() {
		return
	}
	*list = append(*list, f)
}

// fingerprint returns eight hexadecimal digits of a keyed hash: enough to see that two
// findings are of one secret, too few to guess it. An act has that of the whole text:
// the same words in another sentence are another act.
func (c *collector) fingerprint(f *Finding, value string) string {
	if c.opts.Key == nil {
		return ""
	}
	if isValue(f.Category) {
		return c.hash(value)
	}
	if c.prints[f.field] == "" {
		c.prints[f.field] = c.hash(c.fields[f.field].Text)
	}
	return c.prints[f.field]
}

func (c *collector) hash(text string) string {
	key := c.opts.Key()
	if len(key) == 0 {
		return ""
	}
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return hex.EncodeToString(h.Sum(nil)[:4])
}

// isValue reports whether what a category finds is a value, and no act.
func isValue(category string) bool {
	return category == CategorySecret || category == CategoryCredential || category == CategoryPII
}

// report finishes the findings: the most telling first where rules agree, in
// order, with line, column and a masked preview.
func (c *collector) report() Report {
	c.rep.Findings = dropGeneric(c.rep.Findings, c.allowed)
	for _, list := range c.rep.lists() {
		sortFindings(*list)
		for i := range *list {
			f := &(*list)[i]
			text := c.fields[f.field].Text
			f.Line = 1 + strings.Count(text[:f.Offset], "\n")
			f.Column = f.Offset - strings.LastIndexByte(text[:f.Offset], '\n')
			f.Preview = c.preview(f)
			f.Words = c.words(f)
		}
	}
	return c.rep
}

func sortFindings(list []Finding) {
	slices.SortFunc(list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.field, b.field), cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.Rule, b.Rule))
	})
}

// dropGeneric drops what only says "looks like a secret" where another rule
// says what it is, or that it is allowed; its span for the mask is kept by the other.
func dropGeneric(list, allowed []Finding) []Finding {
	known := slices.Concat(list, allowed)
	return slices.DeleteFunc(list, func(f Finding) bool {
		if !strings.Contains(f.Rule, "generic") {
			return false
		}
		return slices.ContainsFunc(known, func(o Finding) bool {
			return o.field == f.field && !strings.Contains(o.Rule, "generic") &&
				o.span.start <= f.span.start && f.span.end <= o.span.end
		})
	})
}
