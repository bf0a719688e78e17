package scanner

import (
	"cmp"
	"slices"
	"strings"
)

// collector gathers the findings of one request, each once however many views
// show it.
type collector struct {
	fields   []Field
	known    map[string]bool // rule ids, as they stand in masks
	limit    int
	findings []Finding
	warnings []Finding
	cut      bool
}

func (c *collector) full() bool {
	if len(c.findings) >= c.limit {
		c.cut = true
	}
	return c.cut
}

func (c *collector) hidden(field int, h hidden) {
	c.add(reject, Finding{
		Rule: h.rule, Category: "unicode", Description: unicodeRules[h.rule], View: viewRaw.String(),
		Offset: h.at.start, Length: h.at.end - h.at.start, field: field, span: h.at,
	})
}

func (c *collector) match(field int, m *match) {
	text := c.fields[field].Text
	at := snap(text, m.view.source(m.at))
	if inMask(text, at, c.known) {
		return
	}
	c.add(m.rule.action, Finding{
		Rule: m.rule.id, Category: m.rule.category, Description: m.rule.description, View: m.view.kind.String(),
		Offset: at.start, Length: at.end - at.start, field: field, span: m.maskSpan(text),
	})
}

// add keeps a finding unless the same rule has one there already, seen in an
// earlier view, which is nearer to the text as it stands.
func (c *collector) add(a action, f Finding) {
	list := &c.findings
	if a == warn {
		list = &c.warnings
	}
	f.Field = c.fields[f.field].Name
	at := span{f.Offset, f.Offset + f.Length}
	for i := range *list {
		o := &(*list)[i]
		if o.field == f.field && o.Rule == f.Rule && at.overlaps(span{o.Offset, o.Offset + o.Length}) {
			o.span = span{min(o.span.start, f.span.start), max(o.span.end, f.span.end)}
			return
		}
	}
	if c.full() {
		return
	}
	*list = append(*list, f)
}

// report finishes the findings: the most telling first where rules agree, in
// order, with line, column and a masked preview.
func (c *collector) report() Report {
	c.findings = dropGeneric(c.findings)
	for _, list := range [][]Finding{c.findings, c.warnings} {
		slices.SortFunc(list, func(a, b Finding) int {
			return cmp.Or(cmp.Compare(a.field, b.field), cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.Rule, b.Rule))
		})
		for i := range list {
			c.locate(&list[i])
		}
	}
	return Report{Findings: c.findings, Warnings: c.warnings, Truncated: c.cut}
}

// dropGeneric drops what only says "looks like a secret" where another rule
// says what it is; its span for the mask is kept by the other.
func dropGeneric(list []Finding) []Finding {
	return slices.DeleteFunc(slices.Clone(list), func(f Finding) bool {
		if !strings.Contains(f.Rule, "generic") {
			return false
		}
		for i := range list {
			o := &list[i]
			if o.field == f.field && o.Rule != f.Rule && !strings.Contains(o.Rule, "generic") &&
				o.span.start <= f.span.start && f.span.end <= o.span.end {
				return true
			}
		}
		return false
	})
}

// locate fills in the place and the preview.
func (c *collector) locate(f *Finding) {
	text := c.fields[f.field].Text
	f.Line = 1 + strings.Count(text[:f.Offset], "\n")
	f.Column = f.Offset - strings.LastIndexByte(text[:f.Offset], '\n')
	f.Preview = c.preview(f)
}
