package recall

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rnixfs/rnixfs/kernel/recall/analysis"
)

const (
	// SnippetRunes bounds a snippet, ellipses included.
	SnippetRunes = 300
	ellipsis     = "…"
	// snapRunes is how far a cut moves to fall between two words.
	snapRunes = 30
	// contextBytes is how much of the text on either side of the passage may
	// get into the snippet. A rune is at most 4 bytes.
	contextBytes = SnippetRunes * utf8.UTFMax
)

// snippet returns the whole of a short text, and of a long one whole sentences around the
// words of the query in the passage, with the marks in it.
func snippet(text string, passage Span, q *terms) (string, []Span) {
	region, whole := Span{0, len(text)}, utf8.RuneCountInString(text) <= SnippetRunes
	if !whole {
		region = around(text, passage)
	}
	tokens := analysis.Analyze(text[region.Start:region.End])
	for i := range tokens {
		tokens[i].Start, tokens[i].End = tokens[i].Start+region.Start, tokens[i].End+region.Start
	}
	occ, list := q.occurrences(tokens), analysis.Sentences(text)
	cut, first, last := region, true, true
	if !whole {
		cut, first, last = excerpt(text, list, q.densest(occ, passage))
	}
	out := text[cut.Start:cut.End]
	found := marks(text, list, tokens, occ, cut)
	if !first {
		out = ellipsis + out
		for i := range found {
			found[i] = Span{found[i].Start + len(ellipsis), found[i].End + len(ellipsis)}
		}
	}
	if !last {
		out += ellipsis
	}
	return out, found
}

// around is the part of a text that a snippet of the passage can be of.
func around(text string, passage Span) Span {
	return Span{
		alignBack(text, max(0, passage.Start-contextBytes)),
		alignBack(text, min(len(text), passage.End+contextBytes)),
	}
}

// marks returns the occurrences in cut as spans of it, joined where they touch: none of a
// part of a word, or in code, where a mark would spoil what is copied.
func marks(text string, list []analysis.Sentence, tokens []analysis.Token, occ []occurrence, cut Span) []Span {
	var out []Span
	slices.SortFunc(occ, func(a, b occurrence) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})
	for _, o := range occ {
		if o.start < cut.Start || o.end > cut.End || o.start == o.end {
			continue
		}
		if n := len(out); n > 0 && o.start <= out[n-1].End {
			out[n-1].End = max(out[n-1].End, o.end)
			continue
		}
		out = append(out, Span{o.start, o.end})
	}
	const signs = "_/\\=<>@#$-" // of code
	out = slices.DeleteFunc(out, func(m Span) bool {
		i := slices.IndexFunc(list, func(s analysis.Sentence) bool { return s.End >= m.End })
		return list[i].Code || strings.Count(text[list[i].Start:m.Start], "`")%2 == 1 ||
			m.Start > 0 && strings.Contains(signs, text[m.Start-1:m.Start]) || m.End < len(text) && strings.Contains(signs, text[m.End:m.End+1]) ||
			slices.ContainsFunc(tokens, func(t analysis.Token) bool {
				return t.Kind == analysis.Whole && t.Start <= m.Start && t.End >= m.End && t.End-t.Start > m.End-m.Start
			})
	})
	for i := range out {
		out[i] = Span{out[i].Start - cut.Start, out[i].End - cut.Start}
	}
	return out
}

// densest returns the place in the passage with the words of the query that weigh most
// within half a snippet's length: from the first to the last of them.
func (q *terms) densest(occ []occurrence, passage Span) Span {
	occ = slices.DeleteFunc(slices.Clone(occ), func(o occurrence) bool {
		return o.start < passage.Start || o.end > passage.End
	})
	slices.SortFunc(occ, func(a, b occurrence) int { return cmp.Compare(a.start, b.start) })
	best, most := Span{passage.Start, passage.Start}, 0.0
	for i, first := range occ {
		units, end := uint64(0), first.end
		for _, o := range occ[i:] {
			if o.end-first.start > SnippetRunes/2 { // bytes, never more runes
				break
			}
			units |= 1 << min(o.unit, 63)
			end = max(end, o.end)
		}
		if x := q.coverage(units); x > most {
			best, most = Span{first.start, end}, x
		}
	}
	return best
}

// excerpt widens core to whole sentences as far as a snippet's length goes, first with what
// follows, which says more than what precedes. Of a sentence that is too long it is a part;
// first and last report whether the ends are those of sentences.
func excerpt(text string, list []analysis.Sentence, core Span) (cut Span, first, last bool) {
	const room = SnippetRunes - 2
	fits := func(from, to int) bool { return utf8.RuneCountInString(text[from:to]) <= room }
	if n := len(list); n == 0 || list[n-1].End <= core.Start { // there is only space
		return Span{core.Start, core.Start}, true, true
	}
	i := slices.IndexFunc(list, func(s analysis.Sentence) bool { return s.End > core.Start })
	core.Start = max(core.Start, list[i].Start)
	core.End = max(core.End, core.Start)
	j := slices.IndexFunc(list, func(s analysis.Sentence) bool { return s.End >= core.End })
	cut = Span{list[i].Start, list[j].End}
	last = fits(core.Start, cut.End)
	first = last && fits(cut.Start, cut.End) || !last && utf8.RuneCountInString(text[cut.Start:core.End]) <= room*2/3
	if !first {
		from := back(text, core.Start, room/3)
		if last {
			from = back(text, cut.End, room)
		}
		cut.Start = snapStart(text, max(from, cut.Start), core.Start)
	}
	if !last {
		cut.End = snapEnd(text, forward(text, cut.Start, room), core.End)
		return cut, first, last
	}
	lead := leads(text[list[j].Start:list[j].End])
	for j++; j < len(list) && fits(cut.Start, list[j].End); j++ {
		if !leads(text[list[j].Start:list[j].End]) { // what only announces something is no end
			cut.End, lead = list[j].End, false
		}
	}
	if lead && j < len(list) {
		cut.End = snapEnd(text, forward(text, cut.Start, room), cut.End)
		return cut, first, cut.End == list[j-1].End
	}
	for i--; first && i >= 0 && fits(list[i].Start, cut.End); i-- {
		cut.Start = list[i].Start
	}
	return cut, first, last
}

// back and forward return the offset n runes away.
func back(text string, at, n int) int {
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	return at
}

func forward(text string, at, n int) int {
	for ; n > 0 && at < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}

// snapStart moves a beginning forward to the next word, not past limit.
func snapStart(text string, at, limit int) int {
	if at == 0 {
		return at
	}
	if before, _ := utf8.DecodeLastRuneInString(text[:at]); !unicode.IsSpace(before) {
		if i := strings.IndexFunc(text[at:forward(text, at, snapRunes)], unicode.IsSpace); i >= 0 {
			at += i
		}
	}
	for at < limit {
		r, size := utf8.DecodeRuneInString(text[at:])
		if !unicode.IsSpace(r) && !unicode.IsMark(r) {
			break
		}
		at += size
	}
	return min(at, limit)
}

// snapEnd moves an end back to the end of a word, not before limit.
func snapEnd(text string, at, limit int) int {
	if at == len(text) {
		return at
	}
	if r, _ := utf8.DecodeRuneInString(text[at:]); !unicode.IsSpace(r) {
		from := back(text, at, snapRunes)
		if i := strings.LastIndexFunc(text[from:at], unicode.IsSpace); i >= 0 {
			at = from + i
		} else {
			for unicode.IsMark(r) && at > limit {
				at = back(text, at, 1)
				r, _ = utf8.DecodeRuneInString(text[at:])
			}
		}
	}
	return max(limit, len(strings.TrimRightFunc(text[:at], unicode.IsSpace)))
}
