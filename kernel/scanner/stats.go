package scanner

import (
	"errors"
	"maps"
	"sync"
	"time"
)

// Stats are counters since the start. They hold no values of any text.
type Stats struct {
	Rules      int               `json:"rules"`
	RulesHash  string            `json:"rules_hash"`
	Scans      uint64            `json:"scans"`
	Bytes      uint64            `json:"bytes"`
	Rejects    uint64            `json:"rejects"` // requests with findings
	Warnings   uint64            `json:"warnings"`
	Redactions uint64            `json:"redactions"`
	Failures   map[Reason]uint64 `json:"failures,omitempty"`
	Findings   map[string]uint64 `json:"findings,omitempty"` // by rule

	Seconds  float64            `json:"-"` // that the scans took
	Verdicts map[Verdict]uint64 `json:"-"` // the findings by all that is counted of them
}

// Verdict is what a finding is counted by.
type Verdict struct {
	Rule, Category string
	Action         Action
}

// stats counts for one scanner, or one after the other.
type stats struct {
	mu  sync.Mutex
	now Stats
}

func newStats() *stats {
	return &stats{now: Stats{Failures: map[Reason]uint64{}, Verdicts: map[Verdict]uint64{}}}
}

// Continue has the scanner go on with the counts of the one whose place it takes. Nothing
// may have been scanned by it.
func (s *Scanner) Continue(old *Scanner) { s.stats = old.stats }

// note counts one scan.
func (t *stats) note(fields []Field, took time.Duration, rep Report, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now.Scans++
	t.now.Seconds += took.Seconds()
	for _, f := range fields {
		t.now.Bytes += uint64(len(f.Text))
	}
	if len(rep.Findings) > 0 {
		t.now.Rejects++
	}
	t.now.Warnings += uint64(len(rep.Warnings))
	var f *Failure
	if errors.As(err, &f) {
		t.now.Failures[f.Reason]++
	}
	for _, list := range rep.lists() {
		for i := range *list {
			f := &(*list)[i]
			t.now.Verdicts[Verdict{f.Rule, f.Category, f.Action}]++
		}
	}
}

// redacted counts one redaction.
func (t *stats) redacted() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now.Redactions++
}

// Stats returns the counters.
func (s *Scanner) Stats() Stats {
	s.stats.mu.Lock()
	defer s.stats.mu.Unlock()
	now := s.stats.now
	now.Rules, now.RulesHash = len(s.engine.rules)+len(unicodeRules), s.hash
	now.Failures, now.Verdicts, now.Findings = maps.Clone(now.Failures), maps.Clone(now.Verdicts), map[string]uint64{}
	for v, n := range now.Verdicts {
		now.Findings[v.Rule] += n
	}
	return now
}
