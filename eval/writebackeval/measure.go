package writebackeval

import (
	"context"
	_ "embed"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/writeback/rules"
)

// The ways to extract.
const (
	ByRules = "rules"
	ByModel = "model"
)

// What a reader said of each entry that was extracted.
var (
	//go:embed testdata/rules.jsonl
	ofRules []byte
	//go:embed testdata/model.jsonl
	ofModel []byte
)

// fact is a line of agents/labels.jsonl: what a good colleague would keep.
type fact struct {
	ID     int    `json:"id"` // 0 where a conversation has nothing to keep
	Conv   string `json:"conv"`
	Kind   string `json:"kind"`
	Anchor string `json:"anchor"` // words of the turn that carries it
}

// judgement is what a reader said of an entry: the one from a conversation with this
// text, or whose text has all terms.
type judgement struct {
	Conv  string   `json:"conv"`
	Text  string   `json:"text,omitempty"`
	Terms []string `json:"terms,omitempty"`
	Worth string   `json:"worth"`           // yes, squint (half of it, or for a while), no
	Fact  int      `json:"fact"`            // the fact that it says, 0 for none
	Facts []int    `json:"facts,omitempty"` // further ones
}

func (j judgement) of(conv, content string) bool {
	content = strings.ToLower(content)
	return j.Conv == conv && (j.Text == "" || strings.ToLower(j.Text) == content) && (j.Text != "" || len(j.Terms) > 0) &&
		!slices.ContainsFunc(j.Terms, func(term string) bool { return !strings.Contains(content, term) })
}

// entry is what was extracted, in either way.
type entry struct {
	content, category string
	turns             []string
}

// Finding is an entry, or a fact that none says, for those who look at what went wrong.
type Finding struct {
	Conversation string
	Category     string
	Content      string // of a fact: its anchor
	Why          string // no, squint, unjudged; of a fact: missed
}

// Report is what was measured.
type Report struct {
	By            string
	Conversations int
	Entries       int
	Worth         int // entries that are
	Squint        int // and those that half are
	Facts         int
	Found         int // facts that an entry says
	Quotes        int // of a model's operations
	True          int // quotes that stand in their turns
	Precision     float64
	Recall        float64
	Wrong         []Finding
}

// Measure extracts from the conversations of a data folder, and counts what readers
// judged. By a model, the conversations are those with a recorded answer. Errors are
// KindNotFound and KindInvalid.
func Measure(ctx context.Context, data, by string) (*Report, error) {
	said, err := readLines[judgement](ofRules)
	if by == ByModel {
		said, err = readLines[judgement](ofModel)
	} else if by != ByRules {
		return nil, memory.Errorf(memory.KindInvalid, "measure writeback", "by %q; there are rules and model", by)
	}
	if err != nil {
		return nil, err
	}
	answers, err := readLines[answer](recorded)
	if err != nil {
		return nil, err
	}
	text, err := readFile(filepath.Join(data, agents, "labels.jsonl"))
	if err != nil {
		return nil, err
	}
	facts, err := readLines[fact](text)
	if err != nil {
		return nil, err
	}
	r := &Report{By: by, Wrong: []Finding{}}
	err = each(ctx, data, func(name string, c process.Transcript) error {
		var entries []entry
		if by == ByRules {
			for _, f := range rules.Extract(c) {
				entries = append(entries, entry{f.Content, string(f.Category), f.Turns})
			}
		} else {
			a, ok, err := replay(name, c, answers)
			if err != nil || !ok {
				return err
			}
			r.Quotes += a.Dropped["false_quote"] + a.Dropped["unquoted"]
			for _, op := range a.Operations {
				r.Quotes, r.True = r.Quotes+len(op.Quotes), r.True+len(op.Quotes)
				entries = append(entries, entry{op.Content, op.Category, op.Turns})
			}
		}
		r.count(name, c, entries, said, facts)
		return nil
	})
	r.Precision, r.Recall = share(r.Worth, r.Entries), share(r.Found, r.Facts)
	return r, err
}

// count judges the entries of a conversation, and looks for its facts in them.
func (r *Report) count(name string, c process.Transcript, entries []entry, said []judgement, facts []fact) {
	r.Conversations++
	r.Entries += len(entries)
	found := map[int]bool{}
	for _, e := range entries {
		i := slices.IndexFunc(said, func(j judgement) bool { return j.of(name, e.content) })
		why := "unjudged"
		if i >= 0 {
			why = said[i].Worth
			for _, id := range append(said[i].Facts, said[i].Fact) {
				k := slices.IndexFunc(facts, func(f fact) bool { return f.ID == id && id != 0 })
				if k >= 0 && holds(c, e.turns, facts[k].Anchor) {
					found[id] = true
				}
			}
		}
		switch why {
		case "yes":
			r.Worth++
			continue
		case "squint":
			r.Squint++
		}
		r.Wrong = append(r.Wrong, Finding{name, e.category, e.content, why})
	}
	for _, f := range facts {
		if f.Conv != name || f.ID == 0 {
			continue
		}
		r.Facts++
		if found[f.ID] {
			r.Found++
		} else {
			r.Wrong = append(r.Wrong, Finding{name, f.Kind, f.Anchor, "missed"})
		}
	}
}

func share(of, all int) float64 {
	if all == 0 {
		return 1
	}
	return float64(of) / float64(all)
}
