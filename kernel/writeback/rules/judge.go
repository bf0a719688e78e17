package rules

import (
	"github.com/rnixfs/rnixfs/kernel/process"
)

// Settings say which conversations are worth learning from. The zero value takes
// all of them.
type Settings struct {
	TriggerThreshold int  // least number of calls of tools
	RequireSuccess   bool // only those that ended well
}

// Verdict says what may be learned from a conversation. What a person asked to be
// remembered may be learned in any case.
type Verdict struct {
	Learn  bool   // all of it
	Failed bool   // the run failed
	Tools  int    // calls of tools
	Reason string // why not all of it; "" when Learn
	enough bool   // calls of tools, for the threshold
}

// Judge decides by how much was done and how it ended.
func Judge(c process.Transcript, set Settings) Verdict {
	v := Verdict{Failed: Failed(c.Conversation)}
	for _, t := range c.Turns {
		if t.Role == process.RoleTool {
			v.Tools++
		}
	}
	v.enough = v.Tools >= set.TriggerThreshold
	switch {
	case !v.enough:
		v.Reason = "fewer calls of tools than the threshold"
	case v.Failed && set.RequireSuccess:
		v.Reason = "the run failed"
	default:
		v.Learn = true
	}
	return v
}

// Keeps says whether a candidate of the conversation may be learned: with Learn
// all; else what a person asked for; and of a run that failed also what failed
// in it and then worked, if the threshold is met.
func (v Verdict) Keeps(c Candidate) bool {
	return v.Learn || c.Asked || v.Failed && v.enough && c.Category == Command
}

var badEnd = lazily(`(?i)\b(?:fail(?:ed|ure|s)?|error|errored|cancel(?:l?ed)?|abort(?:ed)?|interrupted|killed|timed? ?out|timeout|crash(?:ed)?|exhausted|exceeded|exit_cost|exit_context|not completed|incomplete|paused|panic)\b|exit_(?:error|cost|context|format)`)

// Failed says whether a run failed: by its exit code, or by its reason. A run of
// which neither is known did not.
func Failed(p process.Conversation) bool {
	return p.ExitCode != nil && *p.ExitCode != 0 || badEnd.MatchString(p.ExitReason)
}
