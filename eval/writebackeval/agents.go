package writebackeval

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/writeback/rules"
)

// judgements are what a reader said of each entry that the rules extract from the
// conversations in agents/.
//
//go:embed testdata/agents.jsonl
var judgements []byte

// fact is a line of agents/labels.jsonl: what a good colleague would keep.
type fact struct {
	ID     int    `json:"id"` // 0 where a conversation has nothing to keep
	Conv   string `json:"conv"`
	Kind   string `json:"kind"`
	Anchor string `json:"anchor"` // words of the turn that carries it
}

// judgement is what a reader said of an entry: the one from a conversation whose
// content has all terms.
type judgement struct {
	Conv  string   `json:"conv"`
	Terms []string `json:"terms"`
	Worth string   `json:"worth"` // yes, squint (half of it, or for a while), no
	Fact  int      `json:"fact"`  // the fact that it says, 0 for none
}

// measureAgents extracts from every conversation in agents/. An entry is right when a
// reader found it worth keeping; a fact is found when an entry says it, and a turn of
// that holds the fact's anchor. An entry that nobody judged is false.
func measureAgents(ctx context.Context, data string) (*Report, error) {
	r := &Report{Split: Agents, Categories: map[string]Count{}}
	said, err := readLines[judgement](judgements)
	if err != nil {
		return nil, err
	}
	root := filepath.Join(data, Agents)
	text, err := os.ReadFile(filepath.Join(root, "labels.jsonl"))
	if err != nil {
		return nil, memory.Errorf(memory.KindNotFound, "read labels", "%w", err)
	}
	facts, err := readLines[fact](text)
	if err != nil {
		return nil, err
	}
	facts = slices.DeleteFunc(facts, func(f fact) bool { return f.ID == 0 })
	r.Labels = len(facts)
	found := map[int]bool{}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Dir(path) == root {
			return err
		}
		conv, err := history(ctx, path)
		if err != nil {
			return err
		}
		r.Conversations++
		name, _ := filepath.Rel(root, path)
		for _, c := range rules.Extract(conv) {
			r.judge(filepath.ToSlash(name), c, said, func(id int) {
				i := slices.IndexFunc(facts, func(f fact) bool { return f.ID == id })
				found[id] = found[id] || i >= 0 && holds(conv, c.Turns, facts[i].Anchor)
			})
		}
		return nil
	})
	for _, f := range facts {
		n := Count{Kept: 1}
		if !found[f.ID] {
			n = Count{Missed: 1}
			r.Misses = append(r.Misses, Finding{Conversation: f.Conv, Category: f.Kind, Terms: []string{f.Anchor}})
		}
		r.tally(f.Kind, n)
	}
	r.PrecisionAll, r.RecallAll, r.Target = r.Precision(), r.Recall(), 1
	return r, err
}

// judge counts an entry as it was judged, and calls says with the fact that it says.
func (r *Report) judge(name string, c rules.Candidate, said []judgement, says func(id int)) {
	i := slices.IndexFunc(said, func(j judgement) bool {
		return j.Conv == name && Label{Terms: j.Terms}.means(c.Content, nil)
	})
	worth := "unlabelled"
	if i >= 0 {
		worth = said[i].Worth
		says(said[i].Fact)
	}
	f := Finding{Conversation: name, Category: string(c.Category), Content: c.Content, Why: worth}
	if worth == "yes" {
		r.Hits = append(r.Hits, f)
		r.tally(f.Category, Count{Found: 1})
		return
	}
	r.Alarms = append(r.Alarms, f)
	r.tally(f.Category, Count{False: 1})
}

func (r *Report) tally(category string, n Count) {
	r.Count.add(n)
	sum := r.Categories[category]
	sum.add(n)
	r.Categories[category] = sum
}

// holds says whether one of some turns has an anchor.
func holds(c process.Transcript, turns []string, anchor string) bool {
	return anchor != "" && slices.ContainsFunc(c.Turns, func(t process.Turn) bool {
		return slices.Contains(turns, t.ID) && strings.Contains(t.Content, anchor)
	})
}

func readLines[T any](text []byte) (out []T, err error) {
	scan := bufio.NewScanner(bytes.NewReader(text))
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		var v T
		if err := json.Unmarshal(scan.Bytes(), &v); err != nil {
			return nil, memory.Errorf(memory.KindInvalid, "read labels", "%w", err)
		}
		out = append(out, v)
	}
	return out, scan.Err()
}
