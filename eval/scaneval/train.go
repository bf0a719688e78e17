package scaneval

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/scanner"
)

const (
	epochs     = 40
	cost       = 2.5 // of a sample of weight 1 that lies on the wrong side
	hashBits   = 24  // of the features while they are learnt
	keepWeight = 4   // honest rows are near the border, and refusing them costs more
	pastWeight = 1.0 // of a text of a folder

	// So many weights are kept: with half as many the first finds 1.5 % less, the other
	// loses nothing.
	textWeights = 200_000
	actWeights  = 100_000

	keepActWeight = 1.6
	aloneWeight   = 0.2 // of an act with nothing around it
)

// sample is a window by its features.
type sample struct {
	features []uint32
	refuse   bool
	weight   float64
}

// linear is a support vector machine without a kernel, whose errors count by their
// square, trained by dual coordinate descent (Hsieh and others, ICML 2008). Features
// that one sample alone has are not learnt.
type linear struct {
	w     [1 << hashBits]float32
	seen  [1 << hashBits]uint8
	bias  float64
	scale float64 // of the weights, once they are rounded
}

func slot(feature uint32) uint32 { return feature >> (32 - hashBits) }

func (l *linear) score(features []uint32) float64 {
	sum := 0.0
	for _, k := range features {
		sum += float64(l.w[slot(k)])
	}
	return sum / scanner.SenseNorm(len(features))
}

// fit learns. The same samples give the same weights.
func fit(samples []sample) *linear {
	l, rnd := &linear{}, rand.New(rand.NewPCG(14, 14)) //nolint:gosec // the same order each time
	for _, s := range samples {
		for _, k := range s.features {
			l.seen[slot(k)] = min(l.seen[slot(k)], 1) + 1
		}
	}
	alpha := make([]float64, len(samples))
	for range epochs {
		for _, i := range rnd.Perm(len(samples)) {
			l.learn(&samples[i], &alpha[i])
		}
	}
	return l
}

// learn moves the multiplier of one sample to where it is best while the others stay.
func (l *linear) learn(s *sample, alpha *float64) {
	norm := 1 / scanner.SenseNorm(len(s.features))
	side, length := -1.0, 1.0 // the bias is one more feature
	if s.refuse {
		side = 1
	}
	sum := 0.0
	for _, k := range s.features {
		if l.seen[slot(k)] > 1 {
			sum += float64(l.w[slot(k)])
			length += norm * norm
		}
	}
	slack := 1 / (2 * cost * s.weight)
	slope := side*(sum*norm+l.bias) - 1 + slack**alpha
	next := max(0, *alpha-slope/(length+slack))
	step := (next - *alpha) * side
	if *alpha = next; step == 0 {
		return
	}
	l.bias += step
	for _, k := range s.features {
		if l.seen[slot(k)] > 1 {
			l.w[slot(k)] += float32(step * norm)
		}
	}
}

// Train learns from labelled rows, and from the turns and paragraphs of folders, which
// are taken for honest. A third of those is left out, and the score from which a text
// is refused is set so that at most a share of them is. The same texts give the same
// weights, in the form that the scanner reads.
func Train(ctx context.Context, log io.Writer, rows []Row, folders []string, alarms float64) ([]byte, error) {
	var samples []sample
	add := func(text string, refuse bool, weight float64) {
		for _, features := range scanner.SenseFeatures(text) {
			samples = append(samples, sample{features, refuse, weight})
		}
	}
	for _, r := range rows {
		add(r.Text, r.Label == "pos", map[bool]float64{true: 1, false: keepWeight}[r.Label == "pos"])
	}
	seen := map[uint64]bool{}
	var held [][][]uint32
	take := func(text string) error {
		h := fnv.New64a()
		_, _ = h.Write([]byte(text))
		switch key := h.Sum64(); {
		case seen[key]:
		case key%3 == 0:
			seen[key], held = true, append(held, scanner.SenseFeatures(text))
		default:
			seen[key] = true
			add(text, false, pastWeight)
		}
		return ctx.Err()
	}
	for _, dir := range folders {
		if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			return texts(ctx, path, take)
		}); err != nil {
			return nil, err
		}
	}
	l := fit(samples)
	write := l.rounded(samples, textWeights)
	var scores []float64
	for _, windows := range held {
		best := math.Inf(-1)
		for _, features := range windows {
			best = max(best, l.score(features))
		}
		scores = append(scores, best)
	}
	slices.Sort(scores)
	if len(scores) == 0 {
		return nil, fmt.Errorf("no texts in the folders")
	}
	least := scores[len(scores)-1-int(alarms*float64(len(scores)))]
	_, err := fmt.Fprintf(log, "%d texts left out, refused from %.1f on\n", len(scores), least)
	return write(math.Nextafter(least, math.Inf(1))), err
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
			scanner.ActFeatures(r.Text, start, start+len(r.Act)), refuse,
			map[bool]float64{true: 1, false: keepActWeight}[refuse],
		})
		// An act with nothing around it is an order, and a rule may know a part of it.
		for _, part := range [][2]int{{0, len(r.Act)}, {len(r.Act) / 3, len(r.Act) * 2 / 3}, {0, len(r.Act) / 2}} {
			samples = append(samples, sample{scanner.ActFeatures(r.Act, part[0], part[1]), true, aloneWeight})
		}
	}
	l := fit(samples)
	write := l.rounded(samples, actWeights)
	return write(-l.bias * l.scale)
}

// rounded keeps the weights that say most, and returns what writes them.
func (l *linear) rounded(samples []sample, most int) func(least float64) []byte {
	full := map[uint32]float32{}
	greatest := float32(0)
	for _, s := range samples {
		for _, k := range s.features {
			if w := l.w[slot(k)]; w != 0 {
				full[k] = w
				greatest = max(greatest, float32(math.Abs(float64(w))))
			}
		}
	}
	l.scale = 127 / float64(greatest)
	features := slices.SortedFunc(maps.Keys(full), func(a, b uint32) int {
		return cmp.Or(cmp.Compare(math.Abs(float64(full[b])), math.Abs(float64(full[a]))), cmp.Compare(a, b))
	})
	features = features[:min(len(features), most)]
	clear(l.w[:])
	weights := make([]int8, len(features))
	for i, k := range features {
		weights[i] = int8(math.Round(float64(full[k]) * l.scale))
		l.w[slot(k)] = float32(weights[i])
	}
	return func(least float64) []byte { return scanner.Weights(features, weights, least) }
}
