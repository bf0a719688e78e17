package analysis

import "strings"

const (
	maxWholePieces = 12 // a compound of more is no name that anyone asks for
	minPartRunes   = 2  // shorter parts of a compound say nothing alone
)

// compound emits the tokens of the compound that begins at i and returns its
// end. A plain word is the compound of one piece.
func (s *scanner) compound(i int) int {
	ps, end := s.pieces(i)
	if len(ps) == 1 {
		if to := s.symbolEnd(ps[0]); to > 0 {
			return to
		}
	}
	first := s.pos
	for from := 0; from < len(ps); {
		to := from + 1
		for to < len(ps) && !ps[to].boundary {
			to++
		}
		s.component(ps[from:to])
		if to-from < len(ps) && to == len(ps) && len(ps) <= maxWholePieces && s.pos > first {
			s.whole(Whole, ps, first)
		}
		from = to
	}
	return end
}

// symbolEnd emits a language's name that ends in symbols (C++, C#, F#) and
// returns its end, or 0 when p is no such name.
func (s *scanner) symbolEnd(p piece) int {
	if p.to-p.from != 1 || isDigit(s.at(p.from)) {
		return 0
	}
	name := fold(s.glyphs[p.from:p.to])
	var end int
	switch {
	case s.at(p.to) == '#':
		name, end = name+"#", p.to+1
	case s.at(p.to) == '+' && s.at(p.to+1) == '+':
		name, end = name+"++", p.to+2
	default:
		return 0
	}
	s.emit(Word, name, p.from, end, s.pos, 1, false)
	s.pos++
	return end
}

// component emits a name: its parts, and the whole when it has several.
func (s *scanner) component(ps []piece) {
	if n := s.version(ps); n > 0 {
		if n < len(ps) {
			s.component(ps[n:])
		}
		return
	}
	parts := make([]piece, 0, len(ps))
	for _, p := range ps {
		parts = s.split(parts, p)
	}
	if len(parts) == 1 {
		w := lookup(s.glyphs[parts[0].from:parts[0].to])
		s.emit(Word, w.term, parts[0].from, parts[0].to, s.pos, 1, w.stop)
		s.pos++
		return
	}
	first := s.pos
	for _, p := range parts {
		if p.to-p.from < minPartRunes {
			continue
		}
		s.emit(Word, lookup(s.glyphs[p.from:p.to]).term, p.from, p.to, s.pos, 1, false)
		s.pos++
	}
	switch {
	case s.pos == first:
		s.whole(Word, ps, first)
		s.pos++
	case len(ps) <= maxWholePieces:
		s.whole(Whole, ps, first)
	}
}

// whole emits the pieces as one term, whose words are those from first on.
func (s *scanner) whole(kind Kind, ps []piece, first int) {
	from, to := ps[0].from, ps[len(ps)-1].to
	s.emit(kind, lookup(s.glyphs[from:to]).term, from, to, first, max(1, s.pos-first), false)
}

// version emits a dotted number at the beginning of a component, with or
// without a v before it, as one word, and the shorter versions it belongs to as
// extras. It returns how many pieces it took.
func (s *scanner) version(ps []piece) int {
	n := 0
	for n < len(ps) && s.isNumber(ps[n], n == 0) && (n == 0 || s.at(ps[n].from-1) == '.') {
		n++
	}
	if n < 2 {
		return 0
	}
	from, v := ps[0].from, ""
	if !isDigit(s.at(from)) {
		v, from = "v", from+1
	}
	var b strings.Builder
	for i, p := range ps[:n] {
		if i == 0 {
			p.from = from
		} else {
			b.WriteByte('.')
		}
		b.WriteString(fold(s.glyphs[p.from:p.to]))
		switch {
		case b.Len() > MaxTermBytes/2:
			return 0
		case i == 0 && v != "":
			s.emit(Extra, v+b.String(), ps[0].from, p.to, s.pos, 1, false)
		case i > 0 && i < n-1:
			s.emit(Extra, b.String(), ps[0].from, p.to, s.pos, 1, false)
		}
	}
	s.emit(Word, b.String(), ps[0].from, ps[n-1].to, s.pos, 1, false)
	s.pos++
	return n
}

// isNumber reports whether a piece is of ASCII digits; the first of a version
// may begin with a v.
func (s *scanner) isNumber(p piece, first bool) bool {
	from := p.from
	if first && p.to-from > 1 && (s.at(from) == 'v' || s.at(from) == 'V') {
		from++
	}
	for i := from; i < p.to; i++ {
		if !isDigit(s.at(i)) {
			return false
		}
	}
	return true
}

// split appends the parts of p where its case or its digits change: getHTTPUrl2
// is get, HTTP, Url, 2.
func (s *scanner) split(parts []piece, p piece) []piece {
	from := p.from
	if !s.isPluralAcronym(p) {
		for i := p.from + 1; i < p.to; i++ {
			if s.breaks(i, p.to) {
				parts = append(parts, piece{from: from, to: i})
				from = i
			}
		}
	}
	return append(parts, piece{from: from, to: p.to})
}

// breaks reports whether a part begins at i.
func (s *scanner) breaks(i, end int) bool {
	before, r := s.at(i-1), s.at(i)
	switch {
	case digit(before) != digit(r):
		return classOf(r) != classMark && classOf(before) != classMark
	case lower(before) && upper(r):
		return true
	case upper(before) && upper(r):
		return i+1 < end && lower(s.at(i+1))
	}
	return false
}

// isPluralAcronym recognises APIs, IDs: the s is no part of its own.
func (s *scanner) isPluralAcronym(p piece) bool {
	if p.to-p.from < 3 || s.at(p.to-1) != 's' {
		return false
	}
	for i := p.from; i < p.to-1; i++ {
		if !upper(s.at(i)) {
			return false
		}
	}
	return true
}
