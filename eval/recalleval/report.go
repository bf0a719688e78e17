package recalleval

import (
	"math"
	"slices"
	"time"
)

// Answer is what became of one question.
type Answer struct {
	Conversation string   `json:"conversation"`
	Question     string   `json:"question"`
	Category     string   `json:"category,omitempty"`
	Evidence     []string `json:"evidence"`
	// Rank is of the first turn of the evidence, from 1; 0: not found.
	Rank        int      `json:"rank"`
	SessionRank int      `json:"session_rank"`
	Found       []string `json:"found"` // the first ten turns
	Millis      float64  `json:"ms"`

	took  time.Duration
	ranks []int // of all turns of the evidence that were found
}

// judge compares results with the evidence.
func judge(c *Conversation, q *Question, found []Ranked, sessions map[string]string) Answer {
	a := Answer{Conversation: c.ID, Question: q.Question, Category: q.Category, Evidence: q.Evidence}
	wanted := map[string]bool{}
	for _, e := range q.Evidence {
		if s, ok := sessions[e]; ok {
			wanted[s] = true
		}
	}
	for i, f := range found {
		if slices.Contains(q.Evidence, f.Turn) {
			a.ranks = append(a.ranks, i+1)
		}
		if i < 10 {
			a.Found = append(a.Found, f.Turn)
		}
	}
	if len(a.ranks) > 0 {
		a.Rank = a.ranks[0]
	}
	for i, s := range sessionsOf(found) {
		if wanted[s] {
			a.SessionRank = i + 1
			break
		}
	}
	return a
}

// Metrics are means over questions, of 0 to 1.
type Metrics struct {
	Questions int `json:"questions"`
	// Hit1, Hit5, Hit10: a turn of the evidence is among the first so many.
	Hit1  float64 `json:"hit@1"`
	Hit5  float64 `json:"hit@5"`
	Hit10 float64 `json:"hit@10"`
	// Recall5, Recall10: the share of the evidence that is.
	Recall5  float64 `json:"recall@5"`
	Recall10 float64 `json:"recall@10"`
	// MRR is the mean of 1/rank of the first turn of the evidence.
	MRR    float64 `json:"mrr"`
	NDCG10 float64 `json:"ndcg@10"`
	// SessionHit1, SessionHit5: a session of the evidence is among the first.
	SessionHit1 float64 `json:"session_hit@1"`
	SessionHit5 float64 `json:"session_hit@5"`
}

// Report is what a run came to.
type Report struct {
	Metrics
	Conversations int                 `json:"conversations"`
	Sessions      int                 `json:"sessions"`
	Turns         int                 `json:"turns"`
	Skipped       int                 `json:"skipped"` // questions without evidence
	Categories    map[string]*Metrics `json:"categories"`
	P50           float64             `json:"p50_ms"` // of a question
	P99           float64             `json:"p99_ms"`
	IndexSeconds  float64             `json:"index_seconds"`

	indexing time.Duration
	took     []time.Duration
}

func newReport() *Report { return &Report{Categories: map[string]*Metrics{}} }

func (r *Report) add(a *Answer) {
	a.Millis = float64(a.took.Microseconds()) / 1000
	r.took = append(r.took, a.took)
	m := r.Categories[a.Category]
	if m == nil {
		m = &Metrics{}
		r.Categories[a.Category] = m
	}
	r.Metrics.add(a)
	m.add(a)
}

// add sums; finish divides.
func (m *Metrics) add(a *Answer) {
	m.Questions++
	m.Hit1 += within(a.Rank, 1)
	m.Hit5 += within(a.Rank, 5)
	m.Hit10 += within(a.Rank, 10)
	m.SessionHit1 += within(a.SessionRank, 1)
	m.SessionHit5 += within(a.SessionRank, 5)
	if a.Rank > 0 {
		m.MRR += 1 / float64(a.Rank)
	}
	n := float64(len(a.Evidence))
	ideal, gain := 0.0, 0.0
	for i := range min(len(a.Evidence), 10) {
		ideal += 1 / math.Log2(float64(i+2))
	}
	for _, rank := range a.ranks {
		m.Recall5 += within(rank, 5) / n
		m.Recall10 += within(rank, 10) / n
		gain += within(rank, 10) / math.Log2(float64(rank+1))
	}
	m.NDCG10 += gain / ideal
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
