package scanner

import "strings"

// words are those of an act, as its view shows them; "" where they overlap with a secret.
func (c *collector) words(f *Finding) string {
	for _, list := range c.rep.lists() {
		for _, o := range *list {
			if o.field == f.field && isValue(o.Category) && o.span.overlaps(span{f.Offset, f.Offset + f.Length}) {
				return ""
			}
		}
	}
	return f.Words
}

// keyword is the word of a rule, as the rule has it, that stands last in a match or
// before it.
func (c *collector) keyword(m *match) (found string) {
	if !c.opts.Explain {
		return ""
	}
	text := strings.ToLower(m.view.text[max(0, m.all.start-guardBytes):m.all.end])
	last := -1
	for _, k := range m.rule.keywords {
		if at := strings.LastIndex(text, k); at > last {
			found, last = k, at
		}
	}
	return found
}
