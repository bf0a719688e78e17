package scanner

import (
	"errors"
	"maps"
	"sync"
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
}

// stats counts for one scanner.
type stats struct {
	mu  sync.Mutex
	now Stats
}

// begin resets the counts.
func (t *stats) begin(rules []*rule, hash string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now = Stats{
		Rules: len(rules) + len(unicodeRules), RulesHash: hash,
		Failures: map[Reason]uint64{}, Findings: map[string]uint64{},
	}
}

// note counts one scan.
func (t *stats) note(fields []Field, rep Report, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now.Scans++
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
			t.now.Findings[(*list)[i].Rule]++
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
	now.Failures, now.Findings = maps.Clone(now.Failures), maps.Clone(now.Findings)
	return now
}
