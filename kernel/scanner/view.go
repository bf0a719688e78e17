package scanner

import (
	"fmt"
	"slices"
)

// view is one way to look at a field's text. Every byte of a view comes from a
// span of the field, so that what is found in a view can be shown and masked in
// the field.
type view struct {
	kind  viewSet
	text  string
	spans []span // by byte of text; nil means that the view has the field's bytes
	shift int    // with nil spans: offset of the view's first byte in the field
	like  *view  // the view of the same length that this one blanks; may be nil
	base  *view  // the view that this one is made from; nil if it has nothing of another
	marks []span // where it differs from the base
	lower string // text in lower case, once it is needed
	head  int    // keywords after this offset don't count; 0 means no limit
	acts  int    // how often the sentences of dangerous acts have been read
	undone
}

// undone is how often escapes and encodings were undone to make a view.
type undone struct{ escapes, decodes int }

// lowerCase returns the text with the letters of ASCII in lower case: the same
// length, so that offsets are the same.
func (v *view) lowerCase() string {
	if v.lower == "" && v.text != "" {
		b := []byte(v.text)
		for i, c := range b {
			if c >= 'A' && c <= 'Z' {
				b[i] = c + 'a' - 'A'
			}
		}
		v.lower = string(b)
	}
	return v.lower
}

// span is a range of bytes.
type span struct{ start, end int }

func (s span) overlaps(t span) bool { return s.start < t.end && t.start < s.end }

// viewSet is a set of kinds of views.
type viewSet uint8

const (
	viewRaw        viewSet = 1 << iota // the text
	viewRelaxed                        // the same length, punctuation to blanks
	viewUnescaped                      // \", \n, \uXXXX, %XX, entities undone
	viewNormalised                     // invisible characters out, look-alikes folded
	viewDecoded                        // base64, hex, base32, gzip
	viewJoined                         // what was torn apart, put together
	viewPair                           // label: text
	viewToken                          // tokens by their prefix, torn or turned
	viewAll        = viewSet(0xff)
)

type viewName struct {
	kind viewSet
	name string
}

var viewNames = []viewName{
	// The most transforming one first: a view may have several.
	{viewToken, "token"},
	{viewDecoded, "decoded"},
	{viewJoined, "joined"},
	{viewNormalised, "normalised"},
	{viewUnescaped, "unescaped"},
	{viewPair, "pair"},
	{viewRelaxed, "relaxed"},
	{viewRaw, "raw"},
}

func (s viewSet) String() string {
	for _, v := range viewNames {
		if s&v.kind != 0 {
			return v.name
		}
	}
	return "none"
}

// parseViews reads a rule's list. An empty list means all.
func parseViews(names []string) (viewSet, error) {
	if len(names) == 0 {
		return viewAll, nil
	}
	var set viewSet
	for _, n := range names {
		i := slices.IndexFunc(viewNames, func(v viewName) bool { return v.name == n })
		if i < 0 {
			return 0, fmt.Errorf("no view %q", n)
		}
		set |= viewNames[i].kind
	}
	return set, nil
}

// source returns the span of the field that the view's span comes from.
func (v *view) source(s span) span {
	if v.spans == nil {
		return span{max(0, s.start+v.shift), max(0, s.end+v.shift)}
	}
	if s.start >= s.end {
		if s.start < len(v.spans) {
			return span{v.spans[s.start].start, v.spans[s.start].start}
		}
		return span{}
	}
	a, z := v.spans[s.start], v.spans[s.end-1] // from right to left, if it is reversed
	return span{min(a.start, z.start), max(a.end, z.end)}
}

// isNew reports whether a rule has not seen a part of the view in another one.
func (v *view) isNew(r *rule, s span) bool {
	switch {
	case v.like != nil && v.text[s.start:s.end] == v.like.text[s.start:s.end]:
		return false
	case v.base == nil || r.views&v.base.kind != v.base.kind:
		return true
	}
	i, _ := slices.BinarySearchFunc(v.marks, s.start-freshMargin, func(m span, at int) int { return m.end - at })
	return i < len(v.marks) && v.marks[i].start <= s.end+freshMargin
}

// viewBuilder writes a view with the spans of its bytes.
type viewBuilder struct {
	from  *view
	text  []byte
	span  []span
	marks []span // where the text differs from the one it is made from
}

const (
	// focusFrom is the length from which a view has only what changed, with what
	// stands around it: the rest has been looked at already.
	focusFrom = 8 << 10
	// focusMargin is how much stands around a change: more than a rule reaches.
	focusMargin = 1 << 10
	// freshMargin is how far from a change a rule may judge otherwise: its words for
	// a secret may stand there.
	freshMargin = 64
)

// touch notes that the text changes here.
func (b *viewBuilder) touch() {
	n := len(b.text)
	if k := len(b.marks) - 1; k >= 0 && n-b.marks[k].end <= freshMargin {
		b.marks[k].end = n
		return
	}
	b.marks = append(b.marks, span{n, n})
}

func newViewBuilder(from *view) *viewBuilder {
	return &viewBuilder{
		from: from,
		text: make([]byte, 0, len(from.text)),
		span: make([]span, 0, len(from.text)),
	}
}

// add appends s, which stands for the bytes [start,end) of the view it is made
// from.
func (b *viewBuilder) add(s string, start, end int) {
	b.touch()
	src := b.from.source(span{start, end})
	for i := range len(s) {
		b.text = append(b.text, s[i])
		b.span = append(b.span, src)
	}
	b.marks[len(b.marks)-1].end = len(b.text)
}

// keep appends the bytes [start,end) as they are.
func (b *viewBuilder) keep(start, end int) {
	for i := start; i < end; i++ {
		b.text = append(b.text, b.from.text[i])
		b.span = append(b.span, b.from.source(span{i, i + 1}))
	}
}

// view returns the finished view. Its kinds and its count of undone disguises
// include those of the view that it is made from.
func (b *viewBuilder) view(kind viewSet) *view {
	base := b.from
	if len(b.text) >= focusFrom {
		b.focus()
		base = nil
	}
	v := &view{kind: b.from.kind&^viewRaw | kind, text: string(b.text), spans: b.span, base: base, marks: b.marks, undone: b.from.undone}
	switch kind {
	case viewUnescaped:
		v.escapes++
	case viewDecoded:
		v.decodes++
	}
	return v
}

// focus drops the text that is far from every change.
func (b *viewBuilder) focus() {
	var text []byte
	var spans []span
	for i := 0; i < len(b.marks); i++ {
		m := b.marks[i]
		for ; i+1 < len(b.marks) && b.marks[i+1].start-m.end <= 2*focusMargin; i++ {
			m.end = b.marks[i+1].end
		}
		lo, hi := max(0, m.start-focusMargin), min(len(b.text), m.end+focusMargin)
		if len(text) > 0 {
			text = append(text, "\n\n"...)
			spans = append(spans, b.span[lo], b.span[lo])
		}
		text = append(text, b.text[lo:hi]...)
		spans = append(spans, b.span[lo:hi]...)
	}
	b.text, b.span = text, spans
}
