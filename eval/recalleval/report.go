package recalleval

import (
	"math"
	"slices"
	"time"
)

// answer is what became of one question.
type answer struct {
	found       int   // how many results there were
	rank        int   // of the first turn of the evidence, from 1; 0: not found
	sessionRank int   // of the first session of it
	ranks       []int // of all turns of the evidence that were found
}

// judge compares results with the evidence.
func judge(q *Question, found []Ranked, sessions map[string]string) answer {
	a := answer{found: len(found)}
	wanted := map[string]bool{}
	for _, e := range q.Evidence {
		if s, ok := sessions[e]; ok {
			wanted[s] = true
		}
	}
	left := slices.Clone(q.Evidence)
	for i, f := range found {
		left = slices.DeleteFunc(left, func(e string) bool {
			found := e == f.Turn || slices.Contains(f.Also, e) || q.AnyTurn && sessions[e] == f.Session
			if found {
				a.ranks = append(a.ranks, i+1)
			}
			return found
		})
	}
	if len(a.ranks) > 0 {
		a.rank = a.ranks[0]
	}
	for i, s := range sessionsOf(found) {
		if wanted[s] {
			a.sessionRank = i + 1
			break
		}
	}
	return a
}

// Metrics are means over questions, of 0 to 1.
type Metrics struct {
	Questions int // those with evidence, of which the means are
	// Nothing is the share of the Unanswerable, the questions without evidence, to which
	// nothing was returned.
	Unanswerable int
	Nothing      float64
	// Hit1, Hit5, Hit10: a turn of the evidence is among the first so many.
	Hit1  float64
	Hit5  float64
	Hit10 float64
	// Recall5, Recall10: the share of the evidence that is.
	Recall5  float64
	Recall10 float64
	// MRR is the mean of 1/rank of the first turn of the evidence.
	MRR    float64
	NDCG10 float64
	// SessionHit1, SessionHit5: a session of the evidence is among the first.
	SessionHit1 float64
	SessionHit5 float64
}

// Report is what a run came to.
type Report struct {
	Metrics
	Conversations int
	Sessions      int
	Turns         int
	Categories    map[string]*Metrics
	P50           float64 // of a question
	P99           float64
	IndexSeconds  float64

	indexing time.Duration
	took     []time.Duration
	asked    []asked // but for the unseen
}

// asked is a question with what became of it.
type asked struct {
	*Question
	answer
}

func newReport() *Report { return &Report{Categories: map[string]*Metrics{}} }

func (r *Report) add(q *Question, a *answer) {
	r.Metrics.add(q, a)
	for _, name := range q.Categories {
		m := r.Categories[name]
		if m == nil {
			m = &Metrics{}
			r.Categories[name] = m
		}
		m.add(q, a)
	}
	if !q.Unseen {
		r.asked = append(r.asked, asked{q, *a})
	}
}

// add sums; finish divides.
func (m *Metrics) add(q *Question, a *answer) {
	if len(q.Evidence) == 0 {
		m.Unanswerable++
		if a.found == 0 {
			m.Nothing++
		}
		return
	}
	m.Questions++
	m.Hit1 += within(a.rank, 1)
	m.Hit5 += within(a.rank, 5)
	m.Hit10 += within(a.rank, 10)
	m.SessionHit1 += within(a.sessionRank, 1)
	m.SessionHit5 += within(a.sessionRank, 5)
	if a.rank > 0 {
		m.MRR += 1 / float64(a.rank)
	}
	n := float64(len(q.Evidence))
	ideal, gain := 0.0, 0.0
	for i := range min(len(q.Evidence), 10) {
		ideal += 1 / math.Log2(float64(i+2))
	}
	for _, rank := range a.ranks {
		m.Recall5 += within(rank, 5) / n
		m.Recall10 += within(rank, 10) / n
		gain += within(rank, 10) / math.Log2(float64(rank+1))
	}
	m.NDCG10 += min(1, gain/ideal) // a result may stand for two turns
}

func within(rank, k int) float64 {
	if rank >= 1 && rank <= k {
		return 1
	}
	return 0
}

func (m *Metrics) finish() {
	for _, x := range []*float64{&m.Hit1, &m.Hit5, &m.Hit10, &m.Recall5, &m.Recall10, &m.MRR, &m.NDCG10, &m.SessionHit1, &m.SessionHit5} {
		*x /= math.Max(1, float64(m.Questions))
	}
	m.Nothing /= math.Max(1, float64(m.Unanswerable))
}

func (r *Report) finish() {
	r.Metrics.finish()
	for _, m := range r.Categories {
		m.finish()
	}
	slices.Sort(r.took)
	if n := len(r.took); n > 0 {
		r.P50 = float64(r.took[n/2].Microseconds()) / 1000
		r.P99 = float64(r.took[min(n-1, n*99/100)].Microseconds()) / 1000
	}
	r.IndexSeconds = r.indexing.Seconds()
}
