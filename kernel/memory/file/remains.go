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
		if len(found) == 0 && len(good) > 0 {
			size = int64(max(0, bytes.Index(line, good[0].line)))
		}
		if len(found) == 0 && !whole {
			m.head += size
		}
		found = append(found, good...)
		if !whole {
			m.bad = append(m.bad, m.lines)
		}
	}
	m.arrange(found)
	return m
}

var lineStart = []byte(`{"seq":`)

// maxVain bounds how often one is looked for in vain: each costs a line's length.
const maxVain = 1000

// readLine reads a line, or what is left of several that ran into one another:
// a lost newline, a torn line that was written on, zeros in between. whole is
// false when something of it is left over.
func readLine(line []byte) (found []goodLine, whole bool) {
	if l, ok := readRecord(line); ok {
		return []goodLine{l}, true
	}
	for tries := 0; tries < maxVain; tries++ {
		from := bytes.Index(line, lineStart)
		if from < 0 {
			break
		}
		line = line[from:]
		next := int64(1)
		var value json.RawMessage
		if dec := json.NewDecoder(bytes.NewReader(line)); dec.Decode(&value) == nil {
			if l, ok := readRecord(value); ok {
				found = append(found, l)
				next, tries = dec.InputOffset(), 0
			}
		}
		line = line[next:]
	}
	return found, false
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
// where they fill a hole of it or go on where it ends.
func (m *remains) arrange(found []goodLine) {
	found, m.bad = apart(found, m.bad)
	run := longestRise(found)
	var others []goodLine
	for i, l := range found {
		if _, in := slices.BinarySearch(run, i); in {
			m.good = append(m.good, l)
		} else {
			others = append(others, l)
		}
	}
	slices.SortFunc(others, bySeq)
	var top int64 // of the good
	if len(m.good) > 0 {
		top = m.good[len(m.good)-1].seq
	}
	for _, l := range others {
		switch {
		case l.first() == top+1:
			top = l.seq
			fallthrough
		case l.seq < top:
			m.good = append(m.good, l)
		default:
			m.bad = append(m.bad, l.at)
		}
	}
	slices.SortFunc(m.good, bySeq)
	slices.Sort(m.bad)
	m.bad = slices.Compact(m.bad)
}

func bySeq(a, b goodLine) int { return cmp.Compare(a.seq, b.seq) }

// apart leaves of the lines with one number the one that stands as far from its
// number as the next lines before and behind it do from theirs.
func apart(found []goodLine, bad []int) (left []goodLine, alsoBad []int) {
	fits := func(i, step int) int {
		for j := i + step; j >= 0 && j < len(found); j += step {
			if found[j].seq != found[i].seq {
				if int64(found[j].at)-found[j].seq == int64(found[i].at)-found[i].seq {
					return 1
				}
				break
			}
		}
		return 0
	}
	type choice struct{ i, fit int }
	best := map[int64]choice{}
	for i, l := range found {
		fit := fits(i, 1) + fits(i, -1)
		if b, twice := best[l.seq]; !twice || fit > b.fit {
			best[l.seq] = choice{i, fit}
		}
	}
	for i, l := range found {
		switch b := best[l.seq]; {
		case b.i == i:
			left = append(left, l)
		case !bytes.Equal(found[b.i].line, l.line):
			bad = append(bad, l.at)
		}
	}
	return left, bad
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
