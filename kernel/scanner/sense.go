package scanner

import (
	_ "embed"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A model of words says what the rules, which know words and forms, can't: that a
// text in words of its own steers whoever reads it. It is a linear support vector machine
// over words, pairs and triples of words, stems, and pairs with up to three words between
// them. `go run ./eval train` makes its weights; docs/scanner.md has the figures.

const (
	senseWindow = 128 // words and signs that are judged together
	senseStep   = 64
	senseLeast  = 5  // words and signs, fewer of which say nothing
	steersLeast = 20 // words and signs, of which fewer leave it to a rule
	formTimes   = 10
)

//go:embed rules/poison.weights
var poisonWeights string

//go:embed rules/guard.weights
var guardWeights string

var sense, guardSense = newModel(poisonWeights), newModel(guardWeights)

// model has the weights of the features that say most, and the least score of a text that
// is refused. The file is a hash table with open addressing: the tags of the slots, 0 of
// a free one, then their weights, then the score as a float in little endian.
type model struct {
	tags, weights string
	shift         int // from a feature to its slot
	least         float32
}

func newModel(file string) model {
	n := len(file) / 2 &^ 3 // slots, a power of two
	return model{file[:n], file[n : 2*n], slotShift(n), math.Float32frombits(binary.LittleEndian.Uint32([]byte(file[2*n:])))}
}

// slotShift leaves the bits of a feature that name one of n slots, a power of two.
func slotShift(n int) int { return 33 - bits.Len(uint(n)) }

// tag tells the features of neighbouring slots apart, as well as a byte can.
func tag(feature uint32) byte { return max(1, byte(feature)) }

// weight returns that of a feature.
func (m *model) weight(feature uint32) int {
	for at := int(feature >> m.shift); ; at = (at + 1) % len(m.tags) {
		switch m.tags[at] {
		case 0:
			return 0
		case tag(feature):
			return int(int8(m.weights[at]))
		}
	}
}

// Weights are a model's file: those of the features, in the order of what they say, and
// the least score of a text that is refused. At most two slots of five are taken: in a
// fuller table a search would take longer.
func Weights(features []uint32, weights []int8, least float64) []byte {
	n := 1 << bits.Len(uint(len(features)*5/2))
	tags, values, shift := make([]byte, n), make([]byte, n), slotShift(n)
	for i, feature := range features {
		at := int(feature >> shift)
		for tags[at] != 0 && tags[at] != tag(feature) {
			at = (at + 1) % n
		}
		if tags[at] == 0 { // else one that says more looks the same
			tags[at], values[at] = tag(feature), byte(weights[i])
		}
	}
	return binary.LittleEndian.AppendUint32(slices.Concat(tags, values), math.Float32bits(float32(least)))
}

// score judges a window, and features that are not of its words: 0 or more is a refusal.
// It adds what each token speaks for one to by.
func (m *model) score(w []token, by []int, more ...uint32) float64 {
	sum := 0
	for _, k := range more {
		sum += m.weight(k)
	}
	n := len(more) + once(w, func(at int, k uint32) {
		x := m.weight(k)
		sum += x
		by[at] += x
	})
	return float64(sum)/SenseNorm(n) - float64(m.least)
}

// token is a word, a character of Chinese or Japanese, or a sign.
type token struct {
	span
	hash, stem uint32 // stem is 0 where the word is short
	word       bool
	away       int // from the act that is judged: negative before it; 0 where there is none
}

func fnv(h uint32, b uint32) uint32 { return (h ^ b) * 16777619 }

// tokens cuts a text. Digits are left out: they are other ones each time.
func tokens(text string) []token {
	out := make([]token, 0, len(text)/4)
	for i := 0; i < len(text); {
		c, n := utf8.DecodeRuneInString(text[i:])
		t := token{span: span{i, i + n}, hash: fnv(2166136261, uint32(unicode.ToLower(c))), word: unicode.IsLetter(c)}
		i += n
		if t.word && !isIdeograph(c) {
			for letters := 1; i < len(text); i += n {
				c, n = utf8.DecodeRuneInString(text[i:])
				if c == '’' {
					c = '\''
				}
				if !unicode.IsLetter(c) && !unicode.IsMark(c) && (c != '\'' || i+n >= len(text) || !isLetter(text[i+n])) || isIdeograph(c) {
					break
				}
				if letters++; letters == 6 {
					t.stem = t.hash
				}
				t.hash = fnv(t.hash, uint32(unicode.ToLower(c)))
				t.end = i + n
			}
		}
		if t.word || !unicode.IsSpace(c) && !unicode.IsDigit(c) && c != '_' {
			out = append(out, t)
		}
	}
	return out
}

func isIdeograph(c rune) bool { return c >= 0x3040 && c <= 0x30ff || c >= 0x4e00 && c <= 0x9fff }

// spread spreads what differs in a hash over all its bits (Appleby's MurmurHash3).
func spread(h uint32) uint32 {
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}

// features calls f with each feature of a window, and with the token it ends at.
func features(w []token, f func(at int, feature uint32)) {
	add := func(at int, kind, a, b, c uint32) {
		f(at, spread(fnv(fnv(fnv(fnv(2166136261, kind), a), b), c)))
	}
	for i, t := range w {
		side := uint32(0)
		if t.away != 0 {
			side = uint32(16 + 16*(t.away>>63&1))
			add(i, 1|side, t.hash, 0, 0)
			if t.away >= -12 && t.away <= 12 {
				add(i, 6|side, t.hash, 0, 0)
			}
			if t.away >= -4 && t.away <= 5 {
				add(i, 7, t.hash, uint32(t.away), 0)
			}
		}
		add(i, 1, t.hash, 0, 0)
		if t.stem != 0 {
			add(i, 2|side, t.stem, 0, 0)
		}
		if i > 0 {
			add(i, 3|side, w[i-1].hash, t.hash, 0)
		}
		if i > 1 {
			add(i, 4|side, w[i-2].hash, w[i-1].hash, t.hash)
		}
		for d := 2; d <= 4 && d <= i && t.word; d++ {
			if w[i-d].word {
				add(i, 5, w[i-d].hash, t.hash, 0)
			}
		}
	}
}

// eachSense calls f with the windows of a text.
func eachSense(text string, f func(w []token)) {
	all := tokens(text)
	for start := 0; len(all)-start >= senseLeast; start += senseStep {
		f(all[start:min(len(all), start+senseWindow)])
		if start+senseWindow >= len(all) {
			return
		}
	}
}

// once calls f with each feature of a window once, and returns how many there are.
func once(w []token, f func(at int, feature uint32)) (n int) {
	var seen [2048]uint32 // a window has at most 10 features a token; 0 is a free slot
	features(w, func(at int, k uint32) {
		k = max(k, 1)
		i := k % uint32(len(seen))
		for seen[i] != 0 && seen[i] != k {
			i = (i + 1) % uint32(len(seen))
		}
		if seen[i] == 0 {
			seen[i] = k
			n++
			f(at, k)
		}
	})
	return n
}

// SenseFeatures returns the features of each window of a text, for the trainer.
func SenseFeatures(text string) (windows [][]uint32) {
	eachSense(text, func(w []token) {
		var list []uint32
		once(w, func(_ int, k uint32) { list = append(list, k) })
		windows = append(windows, list)
	})
	return windows
}

// SenseNorm is what the sum of the weights of a window's features is divided by. The
// constant keeps a few words from being judged as if they were many.
func SenseNorm(features int) float64 { return math.Sqrt(float64(features + 25)) }

// findSense finds the words that speak most for it in each window that is refused.
func findSense(text string, found func(span)) {
	eachSense(text, func(w []token) {
		by := [senseWindow]int{}
		if sense.score(w, by[:]) >= 0 {
			found(strongest(w, by[:len(w)]))
		}
	})
}

// steers reports whether the words around what a rule found speak for it, at least half
// as much as they had to alone. A short text they do not judge.
func steers(text string, s span) bool {
	b, a := tokens(text[max(0, s.start-guardBytes):s.start]), tokens(text[s.end:min(len(text), s.end+guardBytes)])
	w := slices.Concat(b[max(0, len(b)-senseStep/2):], tokens(text[s.start:s.end]), a[:min(len(a), senseStep/2)])
	w = w[:min(len(w), senseWindow)]
	return len(w) < steersLeast || sense.score(w, make([]int, senseWindow)) >= -float64(sense.least)/2
}

// aroundAct returns the window of the words before and behind an act, which stands in
// it as one token.
func aroundAct(before, after string) []token {
	words := func(text string) []token { return tokens(strings.ReplaceAll(text, "\n", " ¶ ")) }
	b, a := words(before[max(0, len(before)-guardBytes):]), words(after[:min(len(after), guardBytes)])
	w := append(b[max(0, len(b)-senseWindow/2+1):], token{})
	behind := len(w)
	w = append(w, a[:min(len(a), senseWindow/2)]...)
	for i := range w {
		w[i].away = i - behind + 1
		if i >= behind-1 {
			w[i].away++
		}
	}
	return w
}

// formFeatures are those of the form of an act's sentence, and of whether the text presses
// for it: formTimes each, since one of hundreds would not be heard.
func formFeatures(form string, pressed bool) (list []uint32) {
	kind := uint32(0)
	if form != "" {
		kind = uint32(form[0]) // no two verdicts begin alike
	}
	if pressed {
		kind |= 1 << 8
	}
	for i := range uint32(formTimes) {
		list = append(list, spread(fnv(fnv(fnv(2166136261, 8), kind), i)))
	}
	return list
}

// ActFeatures returns the features of the act that stands in a text, for the trainer.
func ActFeatures(text string, start, end int) (list []uint32) {
	once(aroundAct(text[:start], text[end:]), func(_ int, k uint32) { list = append(list, k) })
	act := span{start, start + len(strings.TrimRight(text[start:end], behindAct))}
	before, after := surroundings(text, act)
	return append(list, formFeatures(guard.form(before, "act", after), guard.presses(text, span{start, end}))...)
}

// strongest returns the run of tokens with the greatest sum, without the blanks about it.
func strongest(w []token, by []int) span {
	best, sum, start, at := math.MinInt, 0, 0, span{}
	for i, k := range by {
		if sum <= 0 {
			sum, start = 0, i
		}
		if sum += k; sum > best {
			best, at = sum, span{w[start].start, w[i].end}
		}
	}
	return at
}

// paragraph returns the paragraph or paragraphs of a span.
func paragraph(text string, s span) span {
	s.start = strings.LastIndex(text[:s.start], "\n\n") + 1
	if i := strings.Index(text[s.end:], "\n\n"); i >= 0 {
		return span{s.start, s.end + i}
	}
	return span{s.start, len(text)}
}
