package writeback

import (
	"regexp"

	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/writeback/rules"
)

// verdict says what may be learned from a conversation. What a person asked to be
// remembered may be learned in any case.
type verdict struct {
	learn  bool   // all of it
	failed bool   // the run failed
	enough bool   // calls of tools, for the threshold
	reason string // why not all of it; "" when learn
}

// badEnd is a reason for which a run ended that failed.
var badEnd = regexp.MustCompile(`(?i)\b(?:fail(?:ed|ure|s)?|error|errored|cancel(?:l?ed)?|abort(?:ed)?|interrupted|killed|timed? ?out|timeout|crash(?:ed)?|exhausted|exceeded|exit_cost|exit_context|not completed|incomplete|paused|panic)\b|exit_(?:error|cost|context|format)`)

// judge decides by how much was done and how it ended.
func (set Settings) judge(c process.Transcript) verdict {
	tools := 0
	for _, t := range c.Turns {
		if t.Role == process.RoleTool {
			tools++
		}
	}
	failed := c.ExitCode != nil && *c.ExitCode != 0 || badEnd.MatchString(c.ExitReason)
	v := verdict{failed: failed, enough: tools >= set.TriggerThreshold}
	switch {
	case !v.enough:
		v.reason = "fewer calls of tools than the threshold"
	case v.failed && set.RequireSuccess:
		v.reason = "the run failed"
	default:
		v.learn = true
	}
	return v
}

// keeps says whether a candidate of the conversation may be learned: with learn
// all; else what a person asked for; and of a run that failed also what failed
// in it and then worked, if the threshold is met.
func (v verdict) keeps(c rules.Candidate) bool {
	return v.learn || c.Asked || v.failed && v.enough && c.Category == rules.Command
}
