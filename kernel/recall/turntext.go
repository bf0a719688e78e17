package recall

import (
	"context"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rnixfs/rnixfs/kernel/recall/analysis"
)

// reading is what only the text of a passage tells.
type reading struct {
	proximity float64
	asked     float64 // share of the query's weight found in sentences that ask
	stated    float64 // in others
	times     bool    // it says when
	numbers   bool    // it says how many
	names     bool
}

// read looks at a passage.
func (r *ranking) read(text string, window int) reading {
	var out reading
	out.proximity = r.proximityWithin(text, window)
	tokens := analysis.Analyze(text)
	units := make(map[string]uint64, len(r.terms.list))
	for _, t := range r.terms.list {
		if t.unit >= 0 {
			units[t.text] = t.units
		}
	}
	name := speakerEnd(text)
	seenA, seenS := uint64(0), uint64(0)
	for _, t := range tokens {
		m, ok := units[t.Term]
		if ok && t.End > name {
			if asks(text, t.End) {
				seenA |= m
			} else {
				seenS |= m
			}
		}
	}
	out.asked = r.coverage(seenA &^ seenS)
	out.stated = r.coverage(seenS)
	low := strings.ToLower(text)
	for _, w := range strings.FieldsFunc(low, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if timeWords[w] {
			out.times = true
		}
		if w[0] >= '0' && w[0] <= '9' || numberWords[w] {
			out.numbers = true
		}
	}
	return out
}

// asks reports whether the sentence around the offset ends in a question mark.
func asks(text string, at int) bool {
	for i := at; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch r {
		case '?', '？':
			return true
		case '!', '。', '！', '\n':
			return false
		case '.':
			if i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\n' {
				return false
			}
		}
		i += n
	}
	return false
}

func wordBools(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}

var timeWords = wordBools(`yesterday today tonight tomorrow ago last next week weeks weekend month months year years day days
	monday tuesday wednesday thursday friday saturday sunday january february march april june july august september
	october november december morning evening recently since`)

var numberWords = wordBools(`one two three four five six seven eight nine ten eleven twelve twenty thirty hundred once twice`)

// reread reads the best candidates again and adds what only their text tells.
func (s *turnSearch) reread(ctx context.Context, list []turnCandidate) ([]turnPlace, error) {
	n := min(len(list), s.tuning.read)
	places := make([]turnPlace, len(list))
	rank := s.ranking()
	readings := make([]reading, len(list))
	at := map[uint32]int{}
	for i := range list {
		places[i].candidate = list[i]
		places[i].process = s.table.processes[list[i].row.process]
		at[list[i].slot] = i
	}
	parallel(n, func(i int) {
		p := &places[i]
		c := &p.candidate
		turn, err := s.c.turns.Turn(ctx, p.process.uuid, c.row.offset)
		if err != nil {
			return
		}
		p.turn, p.read = turn, true
		text := turn.Content
		from, to := min(int(c.row.start), len(text)), min(int(c.row.start+c.row.length), len(text))
		readings[i] = rank.read(strings.ToValidUTF8(text[from:to], " "), s.tuning.window)
	})
	for i := range n {
		c := &places[i].candidate
		rd := &readings[i]
		c.proximity = s.tuning.proximity * rd.proximity
		c.score += c.proximity * s.tuning.roles[c.row.role]
		if s.wantsTime && rd.times {
			c.score += s.tuning.timeHint * rank.sum
		}
		if s.wantsNumber && rd.numbers {
			c.score += s.tuning.x3 * rank.sum
		}
		if c.nextSlot == noSlot {
			continue
		}
		j, ok := at[c.nextSlot]
		if !ok || places[j].candidate.row.role != 0 || places[j].candidate.row.turn == c.row.turn || rd.asked == 0 {
			continue
		}
		c.score -= s.tuning.x1 * rd.asked * rank.sum
		places[j].candidate.score += s.tuning.x2 * rd.asked * rank.sum
	}
	sortPlaces(s, places)
	return places, nil
}

var _ = math.Abs
