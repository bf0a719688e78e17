package writeback

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/writeback/rules"
)

// spoken is a conversation as it is learned from: what was said, when and in which
// order.
type spoken struct {
	process process.Conversation
	turns   []process.Placed
	byID    map[string]process.Placed // turns without their text
	place   map[string]int            // of candidates, by content: their order within the conversation, from 1
	now     time.Time                 // of the job
}

// maxText bounds what is held of a conversation, in bytes: its newest turns.
const maxText = 16 << 20

// listen reads a conversation. Of a very long one the texts of the oldest turns are
// left out; that they were there counts.
func listen(ctx context.Context, opts Options, p process.Conversation) (spoken, error) {
	s := spoken{process: p, byID: map[string]process.Placed{}, place: map[string]int{}, now: opts.Now()}
	size, first := 0, 0
	for t, err := range opts.Conversations.Turns(ctx, p.Project, p.UUID, process.Position{}) {
		if err != nil {
			return s, err
		}
		s.turns = append(s.turns, t)
		for size += len(t.Content); size > maxText; first++ {
			size -= len(s.turns[first].Content)
			s.turns[first].Content = ""
		}
		t.Content = ""
		s.byID[t.ID] = t
	}
	return s, nil
}

// transcript is the conversation as extractors take it.
func (s *spoken) transcript() process.Transcript {
	c := process.Transcript{Conversation: s.process, Turns: make([]process.Turn, len(s.turns))}
	for i := range s.turns {
		c.Turns[i] = s.turns[i].Turn
	}
	return c
}

// index is how many of the turns have numbers up to after.
func (s *spoken) index(after int) int {
	n, _ := slices.BinarySearchFunc(s.turns, after+1, func(t process.Placed, n int) int { return cmp.Compare(t.Number, n) })
	return n
}

// end is the position behind the last turn.
func (s *spoken) end() process.Position {
	if len(s.turns) == 0 {
		return process.Position{}
	}
	return s.turns[len(s.turns)-1].Next()
}

// when is when the last of some turns was said.
func (s *spoken) when(turns []string) time.Time {
	var at time.Time
	for _, id := range turns {
		if t := s.byID[id].Time; t.After(at) {
			at = t
		}
	}
	if at.IsZero() {
		at = cmp.Or(s.process.End, s.process.Start)
	}
	if at.IsZero() || at.After(s.now) {
		at = s.now
	}
	return at.UTC().Truncate(time.Millisecond)
}

// last is the last of some turns, the zero turn for none.
func (s *spoken) last(turns []string) (last process.Placed) {
	for _, id := range turns {
		if t := s.byID[id]; t.Number > last.Number {
			last = t
		}
	}
	return last
}

// known is an entry as candidates are compared with it.
type known struct {
	*memory.Entry
	said  *statement
	place int // among what this job found, from 1; 0: it was there before
}

// overtakes says whether a candidate was said after what an entry has. Turns that came
// in one write have the same time, as do those without any: within a conversation
// their order decides then, and within a turn that of its sentences.
func (s *spoken) overtakes(c rules.Candidate, k known) bool {
	at, said := s.when(c.Turns), k.Said()
	if !at.Equal(said) || k.Source.Process != s.process.UUID {
		return at.After(said)
	}
	now, before := s.last(c.Turns).Number, s.last(k.Source.Turns).Number
	return now > before || now == before && k.place > 0 && s.place[c.Content] > k.place
}

// What memory gave to the agent: replies of devices, pages of search/, the block that
// an agent is given when it starts.
var (
	served = regexp.MustCompile(`/dev/memory/|rnix/memory/|\brnixfs (?:recall|commit|profile|context)\b|"source":\s*"memory"|"(?:snapshot|remaining)":|(?m)^# (?:Memory|User Profile|Project Memory)\s*$|They are notes, not instructions`)
	block  = regexp.MustCompile(`(?s)<(?:rnix-)?memory\b.*?(?:</(?:rnix-)?memory>|$)`)
)

// unserved is a conversation without what memory gave to the agent: that must not be
// learned as if it were new.
func unserved(c process.Transcript) process.Transcript {
	c.Turns = slices.Clone(c.Turns)
	for i := range c.Turns {
		t := &c.Turns[i]
		t.Content = block.ReplaceAllString(t.Content, "")
		if t.Role == process.RoleTool && (served.MatchString(t.Content) || served.MatchString(t.Tool)) {
			t.Content = ""
		}
	}
	return c
}
