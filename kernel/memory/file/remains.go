package file

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"sort"
	"unicode/utf8"
)

// remains is what can be read of a journal, damaged or not.
type remains struct {
	good  []goodLine // by sequence number, none twice
	bad   []int      // numbers of the lines that are damaged, from 1
	lines int
	head  int64 // bytes of the damaged lines before the first good one
}

// goodLine is a line that can be read, compact and without its newline.
type goodLine struct {
	liteRecord
	line []byte
	at   int // its number in the journal
}

// whole reports whether no line is damaged, missing or out of place.
func (m *remains) whole() bool {
	for i := 1; i < len(m.good); i++ {
		if m.good[i].first() != m.good[i-1].seq+1 || m.good[i].at < m.good[i-1].at {
			return false
		}
	}
	return len(m.bad) == 0
}

// tail counts the damaged lines after the last good one.
func (m *remains) tail() int64 {
	last := 0
	for _, l := range m.good {
		last = max(last, l.at)
	}
	n := int64(0)
	for _, at := range m.bad {
		if at > last {
			n++
		}
	}
	return n
}

// readRemains reads every line through, whatever stands between them.
func readRemains(data []byte) *remains {
	m := &remains{}
	var found []goodLine
	for line := range bytes.Lines(data) {
		m.lines++
		size := int64(len(line))
		line = bytes.TrimSuffix(line, []byte("\n"))
		if len(line) == 0 {
			continue
		}
		good, whole := readLine(line)
		for i := range good {
			good[i].at = m.lines
		}
		found = append(found, good...)
		if !whole {
			m.bad = append(m.bad, m.lines)
			if len(found) == 0 {
				m.head += size
			}
		}
	}
	m.arrange(found)
	return m
}

var lineStart = []byte(`{"seq":`)

// readLine reads a line, or what is left of several that ran into one another:
// a lost newline, a torn line that was written on, zeros in between. whole is
// false when something of it is left over.
func readLine(line []byte) (found []goodLine, whole bool) {
	if l, ok := readRecord(line); ok {
		return []goodLine{l}, true
	}
	rest := line
	for {
		from := bytes.Index(rest, lineStart)
		if from < 0 {
			return found, false
		}
		rest = rest[from:]
		piece := rest
		if next := bytes.Index(rest[1:], lineStart); next >= 0 {
			piece = rest[:next+1]
		}
		rest = rest[len(piece):]
		if l, ok := readRecord(piece[:bytes.LastIndexByte(piece, '}')+1]); ok {
			found = append(found, l)
		}
	}
}

// readRecord reads one line strictly: the index and history must both be able to.
func readRecord(line []byte) (goodLine, bool) {
	lite, err := scanLine(line)
	if err != nil { // not compact, or none
		var b bytes.Buffer
		if json.Compact(&b, line) != nil {
			return goodLine{}, false
		}
		line = b.Bytes()
		lite, err = scanLine(line)
	}
	if err != nil || !utf8.Valid(line) {
		return goodLine{}, false
	}
	rec, err := parseRecord(line)
	if err != nil || rec.Seq != lite.seq || rec.Lost != lite.lost || rec.Lost > rec.Seq || rec.Time.IsZero() ||
		len(rec.Steps) != len(lite.steps) || (len(rec.Steps) == 0) != (rec.Lost > 0) {
		return goodLine{}, false
	}
	return goodLine{liteRecord: lite, line: line}, true
}

// arrange puts lines in the order of their numbers. A number may itself be
// damaged: the longest run of rising numbers is right, and others are taken only
// where they fill a hole of it.
func (m *remains) arrange(found []goodLine) {
	run := longestRise(found)
	taken := map[int64][]byte{}
	for _, i := range run {
		m.good = append(m.good, found[i])
		taken[found[i].seq] = found[i].line
	}
	for i, l := range found {
		if _, in := slices.BinarySearch(run, i); in || bytes.Equal(taken[l.seq], l.line) {
			continue
		}
		if taken[l.seq] == nil && l.seq < found[run[len(run)-1]].seq {
			m.good = append(m.good, l)
			taken[l.seq] = l.line
			continue
		}
		m.bad = append(m.bad, l.at)
	}
	slices.SortFunc(m.good, func(a, b goodLine) int { return cmp.Compare(a.seq, b.seq) })
	slices.Sort(m.bad)
	m.bad = slices.Compact(m.bad)
}

// longestRise returns the places of a longest run of lines, not all next to one
// another, whose numbers rise.
func longestRise(lines []goodLine) []int {
	var ends []int // ends[n]: the last line of the run of n+1 that ends lowest
	before := make([]int, len(lines))
	for i, l := range lines {
		n := sort.Search(len(ends), func(n int) bool { return lines[ends[n]].seq >= l.seq })
		before[i] = -1
		if n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
	}
	run := make([]int, len(ends))
	if len(ends) == 0 {
		return run
	}
	for at, n := ends[len(ends)-1], len(ends)-1; n >= 0; at, n = before[at], n-1 {
		run[n] = at
	}
	return run
}
