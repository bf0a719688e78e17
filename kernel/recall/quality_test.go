package recall

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// TestQuality measures recall on conversations whose turns are taken for
// entries: is a turn that answers the question among the first hits. The data is
// found by RNIXFS_EVAL_DATA. The floors are a little below what was measured
// (R@1 0.41, R@5 0.63, R@10 0.70, MRR 0.50), so that a change that costs quality
// is seen.
func TestQuality(t *testing.T) {
	q := measure(t)
	t.Logf("questions %d: R@1 %.4f, R@5 %.4f, R@10 %.4f, MRR %.4f", q.n, q.at[1], q.at[5], q.at[10], q.mrr)
	if q.at[1] < 0.39 || q.at[10] < 0.68 || q.mrr < 0.48 {
		t.Error("quality fell below the floor")
	}
}

type quality struct {
	n   int
	at  map[int]float64
	mrr float64
}

func measure(t *testing.T) quality {
	dir := os.Getenv("RNIXFS_EVAL_DATA")
	if dir == "" {
		t.Skip("RNIXFS_EVAL_DATA is not set")
	}
	raw, err := os.ReadFile(filepath.Join(dir, "locomo", "locomo7.json"))
	if err != nil {
		t.Fatal(err)
	}
	var samples []struct {
		QA []struct {
			Question string
			Evidence []string
			Category int
		}
		Conversation map[string]json.RawMessage
	}
	if err := json.Unmarshal(raw, &samples); err != nil {
		t.Fatal(err)
	}
	q := quality{at: map[int]float64{}}
	for i, sample := range samples {
		id := memory.ScopeID{Scope: memory.ScopeProject, Owner: fmt.Sprint(i)}
		e := newEngine(t)
		e.Opened(id, turns(t, sample.Conversation))
		for _, qa := range sample.QA {
			if qa.Category == 5 || len(qa.Evidence) == 0 {
				continue
			}
			q.n++
			hits := idsOf(t, e, Query{Text: qa.Question, Max: 10, Scopes: []memory.ScopeID{id}})
			rank := slices.IndexFunc(hits, func(h string) bool { return slices.Contains(qa.Evidence, h) })
			if rank < 0 {
				continue
			}
			q.mrr += 1 / float64(rank+1)
			for _, k := range []int{1, 5, 10} {
				if rank < k {
					q.at[k]++
				}
			}
		}
	}
	for k := range q.at {
		q.at[k] /= float64(q.n)
	}
	q.mrr /= float64(q.n)
	return q
}

func turns(t *testing.T, conversation map[string]json.RawMessage) []*memory.Entry {
	var out []*memory.Entry
	for name, raw := range conversation {
		var turns []struct {
			Speaker, Text string
			DiaID         string `json:"dia_id"`
		}
		if !strings.HasPrefix(name, "session_") || json.Unmarshal(raw, &turns) != nil {
			continue
		}
		for _, turn := range turns {
			e := entry(turn.DiaID, turn.Speaker+": "+turn.Text, 0)
			e.Key = "" // of an entry it is not derived
			out = append(out, e)
		}
	}
	return out
}
