package analysis

// grams emits the run of class c that begins at i as overlapping pairs of
// characters, and each character alone as an extra, so that a query of one
// character finds it. It returns the run's end.
func (s *scanner) grams(i int, c class) int {
	var starts []int // of the characters: a base and its marks
	end := i
	for ; end < len(s.glyphs); end++ {
		k := classOf(s.glyphs[end].r)
		if k == c {
			starts = append(starts, end)
		} else if k != classMark {
			break
		}
	}
	starts = append(starts, end)
	n := len(starts) - 1
	if n == 1 {
		s.emit(Word, s.gram(i, end), i, end, s.pos, 1, false)
		s.pos++
		return end
	}
	for k := range n {
		pos := min(s.pos, s.pos+n-2)
		s.emit(Extra, s.gram(starts[k], starts[k+1]), starts[k], starts[k+1], pos, 1, false)
		if k+2 <= n {
			s.emit(Word, s.gram(starts[k], starts[k+2]), starts[k], starts[k+2], s.pos, 1, false)
			s.pos++
		}
	}
	return end
}

// gram is the term of the glyphs [from, to), which are of a script without case.
func (s *scanner) gram(from, to int) string {
	rs := make([]rune, 0, 8)
	for _, g := range s.glyphs[from:min(to, from+8)] {
		rs = append(rs, g.r)
	}
	return string(rs)
}
