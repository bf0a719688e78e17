package writeback

import (
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/writeback/rules"
)

// SetRules has a worker learn by other rules.
func (w *Worker) SetRules(extract func(process.Transcript) []rules.Candidate) { w.rules = extract }
