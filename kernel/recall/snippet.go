package recall

import (
	"cmp"
	"math/bits"
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

// snippet returns the whole of a short text, and of a long one the part around
// the words of the query in the passage, with the marks in it.
func snippet(text string, passage Span, q terms) (string, []Span) {
	if utf8.RuneCountInString(text) <= SnippetRunes {
		return text, marks(q.occurrences(analysis.Analyze(text)), Span{0, len(text)})
	}
	region := Span{
		alignBack(text, max(0, passage.Start-contextBytes)),
		alignBack(text, min(len(text), passage.End+contextBytes)),
	}
	occ := q.occurrences(analysis.Analyze(text[region.Start:region.End]))
	for i := range occ {
		occ[i].start += region.Start
		occ[i].end += region.Start
	}
	cut := excerpt(text, region, densest(occ, passage))
	out := text[cut.Start:cut.End]
	found := marks(occ, cut)
	if cut.Start > 0 {
		out = ellipsis + out
		for i := range found {
			found[i].Start += len(ellipsis)
			found[i].End += len(ellipsis)
		}
	}
	if cut.End < len(text) {
		out += ellipsis
	}
	return out, found
}

// marks returns the occurrences in cut as spans of it, joined where they touch.
func marks(occ []occurrence, cut Span) []Span {
	var out []Span
	occ = slices.Clone(occ)
	slices.SortFunc(occ, func(a, b occurrence) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})
	for _, o := range occ {
		if o.start < cut.Start || o.end > cut.End || o.start == o.end {
			continue
		}
		s := Span{o.start - cut.Start, o.end - cut.Start}
		if n := len(out); n > 0 && s.Start < out[n-1].End {
			out[n-1].End = max(out[n-1].End, s.End)
			continue
		}
		out = append(out, s)
	}
	return out
}

// densest returns the place in the passage with the most different words of the
// query within a snippet's length: from the first to the last of them.
func densest(occ []occurrence, passage Span) Span {
	occ = slices.DeleteFunc(slices.Clone(occ), func(o occurrence) bool {
		return o.start < passage.Start || o.end > passage.End
	})
	slices.SortFunc(occ, func(a, b occurrence) int { return cmp.Compare(a.start, b.start) })
	best, most := Span{passage.Start, passage.Start}, 0
	for i, first := range occ {
		units, end := uint64(0), first.end
		for _, o := range occ[i:] {
			if o.end-first.start > SnippetRunes/2 { // bytes, never more runes
				break
			}
			units |= 1 << min(o.unit, 63)
			end = max(end, o.end)
		}
		if n := bits.OnesCount64(units); n > most {
			best, most = Span{first.start, end}, n
		}
	}
	return best
}

// excerpt widens core, evenly as far as the region goes, to a snippet's length
// and moves the ends to where words end.
func excerpt(text string, region, core Span) Span {
	room := SnippetRunes - 2 - utf8.RuneCountInString(text[core.Start:core.End])
	before := utf8.RuneCountInString(text[region.Start:core.Start])
	after := utf8.RuneCountInString(text[core.End:region.End])
	left := min(before, max(room/3, room-after)) // what follows says more than what precedes
	right := min(after, room-left)
	cut := Span{back(text, core.Start, left), forward(text, core.End, right)}
	return Span{snapStart(text, cut.Start, core.Start), snapEnd(text, cut.End, core.End)}
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
