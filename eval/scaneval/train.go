package scaneval

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/scanner"
)

const (
	epochs       = 12
	rate         = 0.5
	biasRate     = 0.001
	firstSquare  = 1  // a word that is seen once must not weigh as much as a common one
	refuseWeight = 10 // of a labelled row; a text of a folder has 1
	keepWeight   = 20 // honest rows are near the border, and refusing them costs more

	// Of a row with an act, and of an act with nothing around it.
	refuseActWeight = 10.0
	keepActWeight   = 16.0
	aloneWeight     = 0.2
)

// sample is a text by the features of its windows.
type sample struct {
	windows [][]uint16
	refuse  bool
	weight  float64
}

// linear is a logistic regression, trained by AdaGrad (Duchi, Hazan and Singer, 2011).
type linear struct {
	w, g [1 << 16]float64
	bias float64
}

// score is that of the window that speaks most for a refusal, and which it is.
func (l *linear) score(windows [][]uint16) (best float64, at int) {
	best = math.Inf(-1)
	for i, list := range windows {
		sum := 0.0
		for _, k := range list {
			sum += l.w[k]
		}
		if sum = sum / scanner.SenseNorm(len(list)); sum > best {
			best, at = sum, i
		}
	}
	return best, at
}

// learn takes a step for each window of a text.
func (l *linear) learn(s sample) {
	for i := range s.windows {
		if s.refuse { // one window of the text is enough
			_, i = l.score(s.windows)
		}
		list := s.windows[i]
		norm := 1 / scanner.SenseNorm(len(list))
		sum, _ := l.score(s.windows[i : i+1])
		want := 0.0
		if s.refuse {
			want = 1
		}
		slope := s.weight * (1/(1+math.Exp(-sum-l.bias)) - want)
		l.bias -= biasRate * slope
		slope *= norm
		for _, k := range list {
			l.g[k] += slope * slope
			l.w[k] -= rate * slope / math.Sqrt(l.g[k]+firstSquare)
		}
		if s.refuse {
			return
		}
	}
}

// Train learns from labelled rows, and from the turns and paragraphs of folders, which
// are taken for honest. A third of those is left out, and the score from which a text
// is refused is set so that at most a share of them is. The same texts give the same
// weights, in the form that the scanner reads.
func Train(ctx context.Context, log io.Writer, rows []Row, folders []string, alarms float64) ([]byte, error) {
	var samples, held []sample
	for _, r := range rows {
		samples = append(samples, sample{scanner.SenseFeatures(r.Text), r.Label == "pos", map[bool]float64{true: refuseWeight, false: keepWeight}[r.Label == "pos"]})
	}
	seen := map[uint64]bool{}
	add := func(text string) error {
		h := fnv.New64a()
		_, _ = h.Write([]byte(text))
		s := sample{scanner.SenseFeatures(text), false, 1}
		switch key := h.Sum64(); {
		case seen[key] || len(s.windows) == 0:
		case key%3 == 0:
			seen[key], held = true, append(held, s)
		default:
			seen[key], samples = true, append(samples, s)
		}
		return ctx.Err()
	}
	for _, dir := range folders {
		if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			return texts(ctx, path, add)
		}); err != nil {
			return nil, err
		}
	}
	samples = slices.DeleteFunc(samples, func(s sample) bool { return len(s.windows) == 0 })
	l := fit(samples)
	out, _ := l.weights()
	var scores []float64
	for _, s := range held {
		score, _ := l.score(s.windows)
		scores = append(scores, score)
	}
	slices.Sort(scores)
	if len(scores) == 0 {
		return nil, fmt.Errorf("no texts in the folders")
	}
	least := scores[len(scores)-1-int(alarms*float64(len(scores)))]
	_, err := fmt.Fprintf(log, "%d texts left out, refused from %.1f on\n", len(scores), least)
	return withLeast(out, math.Nextafter(least, math.Inf(1))), err
}

// TrainGuard learns from rows with an act what the words around one say of it.
func TrainGuard(rows []Row) []byte {
	var samples []sample
	for _, r := range rows {
		start := strings.Index(r.Text, r.Act)
		if start < 0 || r.Act == "" {
			continue
		}
		refuse := r.Label == "pos"
		samples = append(samples, sample{
			[][]uint16{scanner.ActFeatures(r.Text, start, start+len(r.Act))}, refuse,
			map[bool]float64{true: refuseActWeight, false: keepActWeight}[refuse],
		})
		// An act with nothing around it is an order, and a rule may know a part of it.
		for _, part := range [][2]int{{0, len(r.Act)}, {len(r.Act) / 3, len(r.Act) * 2 / 3}, {0, len(r.Act) / 2}} {
			samples = append(samples, sample{[][]uint16{scanner.ActFeatures(r.Act, part[0], part[1])}, true, aloneWeight})
		}
	}
	l := fit(samples)
	out, scale := l.weights()
	return withLeast(out, -l.bias*scale)
}

func fit(samples []sample) *linear {
	l, rnd := &linear{}, rand.New(rand.NewPCG(14, 14)) //nolint:gosec // the same order each time
	for range epochs {
		rnd.Shuffle(len(samples), func(i, k int) { samples[i], samples[k] = samples[k], samples[i] })
		for _, s := range samples {
			l.learn(s)
		}
	}
	return l
}

// weights rounds the weights to bytes, and returns what a score is multiplied by then.
func (l *linear) weights() (out []byte, scale float64) {
	for _, w := range l.w {
		scale = max(scale, math.Abs(w))
	}
	scale = 127 / scale
	for i, w := range l.w {
		l.w[i] = math.Round(w * scale)
		out = append(out, byte(int8(l.w[i])))
	}
	return out, scale
}

func withLeast(weights []byte, least float64) []byte {
	return binary.LittleEndian.AppendUint32(weights, math.Float32bits(float32(least)))
}
