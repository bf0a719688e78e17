package writebackeval

import (
	"slices"
	"strconv"

	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/writeback/rules"
)

// Count is how many of something there were, and were right.
type Count struct {
	Found  int `json:"found"`  // candidates that are worth keeping
	False  int `json:"false"`  // candidates that are not
	Missed int `json:"missed"` // labels to keep that no candidate has
	Kept   int `json:"kept"`   // labels to keep that a candidate has
}

// Precision is the share of the candidates that are worth keeping; 1 of none.
func (c Count) Precision() float64 { return share(c.Found, c.Found+c.False) }

// Recall is the share of the labels to keep that a candidate has; 1 of none.
func (c Count) Recall() float64 { return share(c.Kept, c.Kept+c.Missed) }

func share(of, all int) float64 {
	if all == 0 {
		return 1
	}
	return float64(of) / float64(all)
}

func (c *Count) add(o Count) {
	c.Found += o.Found
	c.False += o.False
	c.Missed += o.Missed
	c.Kept += o.Kept
}

// Finding is a candidate or a label, for those who look at what went wrong.
type Finding struct {
	Conversation string   `json:"conversation"`
	Category     string   `json:"category"`
	Turns        []string `json:"turns,omitempty"`
	Content      string   `json:"content,omitempty"` // of a candidate
	Terms        []string `json:"terms,omitempty"`   // of a label
	// Why a candidate is false: dropped (a label says so), repeated (another
	// candidate says it), or unlabelled.
	Why string `json:"why,omitempty"`
}

// outcome is what came of one conversation.
type outcome struct {
	count        Count
	byCategory   map[string]Count
	found        []Finding
	misses       []Finding
	alarms       []Finding
	right, wrong int // candidates found in the target that the label has, and in another
}

// judge holds candidates against the labels. A label is found once: what says
// the same again is false.
func judge(c Case, conv process.Transcript, list []rules.Candidate) outcome {
	o := outcome{byCategory: map[string]Count{}}
	at := ordinals(conv)
	taken := make([]bool, len(c.Keep))
	for _, cand := range list {
		f := Finding{Conversation: c.Name, Category: string(cand.Category), Content: cand.Content}
		for _, id := range cand.Turns {
			f.Turns = append(f.Turns, at[id])
		}
		fresh, again := false, false
		for i, l := range c.Keep {
			if !l.means(cand.Content, f.Turns) {
				continue
			}
			if again = taken[i] || again; !taken[i] {
				taken[i], fresh = true, true
				if l.Target == cand.Target {
					o.right++
				} else {
					o.wrong++
				}
			}
		}
		if fresh {
			o.found = append(o.found, f)
			o.tally(string(cand.Category), Count{Found: 1})
			continue
		}
		f.Why = "unlabelled"
		if again {
			f.Why = "repeated"
		} else if slices.ContainsFunc(c.Drop, func(l Label) bool { return l.means(cand.Content, f.Turns) }) {
			f.Why = "dropped"
		}
		o.alarms = append(o.alarms, f)
		o.tally(string(cand.Category), Count{False: 1})
	}
	for i, l := range c.Keep {
		if taken[i] {
			o.tally(l.Category, Count{Kept: 1})
			continue
		}
		o.tally(l.Category, Count{Missed: 1})
		o.misses = append(o.misses, Finding{Conversation: c.Name, Category: l.Category, Turns: l.Turns, Terms: l.Terms})
	}
	return o
}

func (o *outcome) tally(category string, n Count) {
	o.count.add(n)
	c := o.byCategory[category]
	c.add(n)
	o.byCategory[category] = c
}

// ordinals are the names that labels give to the user's turns, by id. Others have
// none.
func ordinals(c process.Transcript) map[string]string {
	at, n := map[string]string{}, 0
	for _, t := range c.Turns {
		if t.Role == process.RoleUser {
			at[t.ID] = "u" + strconv.Itoa(n)
			n++
		}
	}
	return at
}
