package scanner

import (
	_ "embed"
	"encoding/binary"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A model of words says what the rules, which know words and forms, can't: that a
// text in words of its own steers whoever reads it. It is a logistic regression over
// hashed words, pairs and triples of words, stems, and pairs with up to three words
// between them. `go run ./eval train` makes its weights; docs/scanner.md has the figures.

const (
	senseBits   = 16
	senseWindow = 128 // words and signs that are judged together
	senseStep   = 64
	senseLeast  = 5 // words and signs, fewer of which say nothing
	formTimes   = 10
)

//go:embed rules/poison.weights
var poisonWeights string

//go:embed rules/guard.weights
var guardWeights string

var sense, guardSense = newModel(poisonWeights), newModel(guardWeights)

// model has a weight for each feature as one byte, and the least score of a text that
// is refused, which follows them as a float in little endian.
type model struct {
	weights string
	least   float32
}

func newModel(file string) model {
	return model{file[:1<<senseBits], math.Float32frombits(binary.LittleEndian.Uint32([]byte(file[1<<senseBits:])))}
}

// score judges a window, and features that are not of its words: 0 or more is a refusal.
// It adds what each token speaks for one to by.
func (m *model) score(w []token, by []int, more ...uint16) float64 {
	sum := 0
	for _, k := range more {
		sum += int(int8(m.weights[k]))
	}
	n := len(more) + once(w, func(at int, k uint16) {
		sum += int(int8(m.weights[k]))
		by[at] += int(int8(m.weights[k]))
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

// features calls f with each feature of a window, and with the token it ends at.
func features(w []token, f func(at int, feature uint16)) {
	add := func(at int, kind, a, b, c uint32) {
		h := fnv(fnv(fnv(fnv(2166136261, kind), a), b), c)
		f(at, uint16(h^h>>16))
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
func once(w []token, f func(at int, feature uint16)) (n int) {
	var seen [1 << senseBits / 64]uint64
	features(w, func(at int, k uint16) {
		if bit := uint64(1) << (k % 64); seen[k/64]&bit == 0 {
			seen[k/64] |= bit
			n++
			f(at, k)
		}
	})
	return n
}

// SenseFeatures returns the features of each window of a text, for the trainer.
func SenseFeatures(text string) (windows [][]uint16) {
	eachSense(text, func(w []token) {
		var list []uint16
		once(w, func(_ int, k uint16) { list = append(list, k) })
		windows = append(windows, list)
	})
	return windows
}

// SenseNorm is what the sum of the weights of a window's features is divided by. The
// constant keeps a few words from being judged as if they were many.
func SenseNorm(features int) float64 { return math.Sqrt(float64(features + 300)) }

// findSense finds the words that speak most for it in each window that is refused.
func findSense(text string, found func(span)) {
	eachSense(text, func(w []token) {
		by := [senseWindow]int{}
		if sense.score(w, by[:]) >= 0 {
			found(strongest(w, by[:len(w)]))
		}
	})
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
func formFeatures(form string, pressed bool) (list []uint16) {
	kind := uint32(0)
	if form != "" {
		kind = uint32(form[0]) // no two verdicts begin alike
	}
	if pressed {
		kind |= 1 << 8
	}
	for i := range uint32(formTimes) {
		h := fnv(fnv(fnv(2166136261, 8), kind), i)
		list = append(list, uint16(h^h>>16))
	}
	return list
}

// ActFeatures returns the features of the act that stands in a text, for the trainer.
func ActFeatures(text string, start, end int) (list []uint16) {
	once(aroundAct(text[:start], text[end:]), func(_ int, k uint16) { list = append(list, k) })
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
