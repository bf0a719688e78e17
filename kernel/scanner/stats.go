package scanner

import (
	"errors"
	"maps"
	"sync"
	"sync/atomic"
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

type stats struct {
	rules                                       int
	scans, bytes, rejects, warnings, redactions atomic.Uint64

	mu       sync.Mutex
	failures map[Reason]uint64
	findings map[string]uint64
}

// init forgets what was counted.
func (t *stats) init(rules []*rule) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rules = len(rules) + len(unicodeRules)
	t.failures, t.findings = map[Reason]uint64{}, map[string]uint64{}
	for _, c := range []*atomic.Uint64{&t.scans, &t.bytes, &t.rejects, &t.warnings, &t.redactions} {
		c.Store(0)
	}
}

// note counts one scan.
func (t *stats) note(fields []Field, rep Report, err error) {
	t.scans.Add(1)
	for _, f := range fields {
		t.bytes.Add(uint64(len(f.Text)))
	}
	if err == nil && len(rep.Findings)+len(rep.Redactions)+len(rep.Warnings) == 0 {
		return
	}
	if len(rep.Findings) > 0 {
		t.rejects.Add(1)
	}
	t.warnings.Add(uint64(len(rep.Warnings)))
	t.mu.Lock()
	defer t.mu.Unlock()
	var f *Failure
	if errors.As(err, &f) {
		t.failures[f.Reason]++
	}
	for _, list := range rep.lists() {
		for i := range *list {
			t.findings[(*list)[i].Rule]++
		}
	}
}

// Stats returns the counters.
func (s *Scanner) Stats() Stats {
	t := &s.stats
	t.mu.Lock()
	defer t.mu.Unlock()
	return Stats{
		Rules: t.rules, RulesHash: s.hash,
		Scans: t.scans.Load(), Bytes: t.bytes.Load(), Rejects: t.rejects.Load(),
		Warnings: t.warnings.Load(), Redactions: t.redactions.Load(),
		Failures: maps.Clone(t.failures), Findings: maps.Clone(t.findings),
	}
}
