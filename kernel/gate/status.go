package gate

import "github.com/rnixfs/rnixfs/kernel/scanner"

// Status is the state of a gate.
type Status struct {
	State string         `json:"state"` // loading, ready, failed
	Stats *scanner.Stats `json:"counters,omitempty"`
}

// Status does not wait for the rules: that they are loading is an answer.
func (g *Gate) Status() Status {
	l := g.current.Load().begin()
	select {
	case <-l.ready:
	default:
		return Status{State: "loading"}
	}
	if l.err != nil {
		return Status{State: "failed"}
	}
	stats := l.scanner.Stats()
	return Status{State: "ready", Stats: &stats}
}
