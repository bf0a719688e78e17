package analysis

import "unicode"

// scanner walks over the glyphs of one text.
type scanner struct {
	glyphs []glyph
	tokens []Token
	pos    int // number of the next word
}

func (s *scanner) run() {
	for i := 0; i < len(s.glyphs); {
		switch c := classOf(s.glyphs[i].r); c {
		case classNone, classMark:
			i++
		case classWord:
			i = s.compound(i)
		default:
			i = s.grams(i, c)
		}
	}
}

// at returns the rune at i, or 0 past the end.
func (s *scanner) at(i int) rune {
	if i < len(s.glyphs) {
		return s.glyphs[i].r
	}
	return 0
}

// wordEnd returns the end of the run of word runes that begins at i.
func (s *scanner) wordEnd(i int) int {
	for i < len(s.glyphs) {
		c := classOf(s.glyphs[i].r)
		if c != classWord && c != classMark {
			break
		}
		i++
	}
	return i
}

// piece is a run of word runes in a compound: glyphs[from:to].
type piece struct {
	from, to int
	boundary bool // a component begins here
}

// pieces returns the runs of the compound that begins at i, and where it ends.
func (s *scanner) pieces(i int) ([]piece, int) {
	var ps []piece
	boundary := true
	for {
		p := piece{from: i, to: s.wordEnd(i), boundary: boundary}
		i = s.apostrophe(&p)
		ps = append(ps, p)
		next := s.connectors(i)
		if next == i {
			return ps, i
		}
		boundary = false
		for ; i < next; i++ {
			boundary = boundary || isBoundary(s.glyphs[i].r)
		}
	}
}

// connectors returns where the next piece begins after the connectors at i, or
// i when the compound ends there. Several in a row join only as ::, //, -- and
// ://, the way they stand in names and addresses: "wait...what" is two words.
func (s *scanner) connectors(i int) int {
	j := i
	for isConnector(s.at(j)) && j-i < 4 {
		j++
	}
	if j == i || classOf(s.at(j)) != classWord {
		return i
	}
	run := make([]rune, 0, 4)
	for k := i; k < j; k++ {
		run = append(run, s.glyphs[k].r)
	}
	switch {
	case len(run) == 1:
	case len(run) == 2 && run[0] == run[1] && run[0] != '.' && !isApostrophe(run[0]):
	case string(run) == "://":
	default:
		return i
	}
	return j
}

// apostrophe deals with what English writes behind an apostrophe: a possessive
// or a shortened verb is no part of the word (Alice's, we'll), a shortened "not"
// is (don't, as dont). It returns where the scan goes on.
func (s *scanner) apostrophe(p *piece) int {
	if !isApostrophe(s.at(p.to)) || classOf(s.at(p.to+1)) != classWord {
		return p.to
	}
	end := s.wordEnd(p.to + 1)
	switch fold(s.glyphs[p.to+1 : end]) {
	case "s", "re", "ve", "ll", "d", "m":
		return end
	case "t":
		p.to = end
		return end
	}
	return p.to
}

// emit appends a token of the glyphs [from, to).
func (s *scanner) emit(kind Kind, term string, from, to, pos, span int, stop bool) {
	if term == "" || to <= from {
		return
	}
	s.tokens = append(s.tokens, Token{
		Term: term, Kind: kind, Stop: stop, Pos: pos, Span: span,
		Start: int(s.glyphs[from].start), End: int(s.glyphs[to-1].end),
	})
}

// upper and lower look at case in any script.
func upper(r rune) bool { return isUpper(r) || r >= 0x80 && unicode.IsUpper(r) }
func lower(r rune) bool { return isLower(r) || r >= 0x80 && unicode.IsLower(r) }
func digit(r rune) bool { return isDigit(r) || r >= 0x80 && unicode.IsDigit(r) }
