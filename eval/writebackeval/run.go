package writebackeval

import (
	"bytes"
	"context"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/writeback/rules"
)

// Options say what to measure. The zero value, with Data, measures all labels of
// the built-in set.
type Options struct {
	Labels string // path of a label file; "" is the built-in one
	Data   string // the folder of the conversations
	Split  string // one of Splits; "" is all
}

// Report is what was measured.
type Report struct {
	Split         string `json:"split"`
	Conversations int    `json:"conversations"`
	Labels        int    `json:"labels"` // to keep and to drop
	Count
	// Precision and Recall are of all categories together.
	PrecisionAll float64          `json:"precision"`
	RecallAll    float64          `json:"recall"`
	Categories   map[string]Count `json:"categories"` // false ones by the candidate's, missed ones by the label's
	Target       float64          `json:"target"`     // share of what was found that is in the labelled scope
	Hits         []Finding        `json:"hits"`
	Misses       []Finding        `json:"misses"`
	Alarms       []Finding        `json:"alarms"`
}

// Measure extracts from every labelled conversation of the split and holds what
// comes out against the labels: every candidate that no label to keep has is
// false. Errors are *memory.Error: KindNotFound and KindInvalid for the files.
func Measure(ctx context.Context, o Options) (*Report, error) {
	const op = "measure writeback"
	if o.Split == "" {
		o.Split = All
	}
	if !slices.Contains(Splits(), o.Split) {
		return nil, memory.Errorf(memory.KindInvalid, op, "no split %q; there are %s", o.Split, strings.Join(Splits(), ", "))
	}
	if o.Data == "" {
		return nil, memory.Errorf(memory.KindInvalid, op, "no data folder given")
	}
	if o.Split == Agents {
		return measureAgents(ctx, o.Data)
	}
	cases, err := o.cases()
	if err != nil {
		return nil, err
	}
	r := &Report{Split: o.Split, Categories: map[string]Count{}}
	l := &loader{data: o.Data, talks: map[string][]talk{}}
	right, wrong := 0, 0
	for _, c := range cases {
		if !c.within(o.Split) {
			continue
		}
		conv, err := l.load(ctx, c)
		if err != nil {
			return nil, err
		}
		found := judge(c, conv, rules.Extract(conv))
		r.take(c, found)
		right, wrong = right+found.right, wrong+found.wrong
	}
	r.PrecisionAll, r.RecallAll, r.Target = r.Precision(), r.Recall(), share(right, right+wrong)
	return r, nil
}

func (o Options) cases() ([]Case, error) {
	var from io.Reader = bytes.NewReader(builtin)
	if o.Labels != "" {
		f, err := os.Open(o.Labels)
		if err != nil {
			return nil, memory.Errorf(memory.KindNotFound, "read labels", "%w", err)
		}
		defer func() { _ = f.Close() }()
		from = f
	}
	return ReadLabels(from)
}

func (r *Report) take(c Case, o outcome) {
	r.Conversations++
	r.Labels += len(c.Keep) + len(c.Drop)
	r.Count.add(o.count)
	for name, n := range o.byCategory {
		sum := r.Categories[name]
		sum.add(n)
		r.Categories[name] = sum
	}
	r.Hits = append(r.Hits, o.found...)
	r.Misses = append(r.Misses, o.misses...)
	r.Alarms = append(r.Alarms, o.alarms...)
}
