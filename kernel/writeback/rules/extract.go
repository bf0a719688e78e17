package rules

import (
	"slices"
	"time"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// maxTurns is how many turns of a conversation are looked at, the last ones.
const maxTurns = 200_000

// lastWords is how many of the agent's last turns are read for what it found.
const lastWords = 2

// rule finds a candidate in a sentence.
type rule func(*statement) (Candidate, bool)

// families of rules in the order in which a sentence is given to them: the first
// one that takes it has it.
var order = []rule{request, instruction, correction, restated, decision, convention, home, abroad, preference, fact}

// extraction is the state of one call of Extract.
type extraction struct {
	opts   Options
	found  []entry
	seq    int
	said   []string             // the last sentences of the agent
	spoken bool                 // the agent has said something
	before int                  // the order of the user's turn before this one
	work   bool                 // tools were used
	times  map[string]time.Time // of the user's turns, by id
	blamed map[string][]string  // what the user objected to, and in which turns
}

// Extract returns what a conversation taught, in the order in which it was said.
// It depends on nothing but its arguments, and its time grows with the size of
// the conversation up to a bound: the newest 1 MB of what was said is read.
func Extract(c process.Transcript, opts Options) []Candidate {
	x := &extraction{opts: opts, before: -1, blamed: map[string][]string{}, times: map[string]time.Time{}}
	learned := lessons{bad: Failed(c.Conversation)}
	turns := newest(c.Turns)
	last := lastOf(turns, process.RoleAssistant, lastWords)
	x.work = slices.ContainsFunc(turns, func(t process.Turn) bool { return t.Role == process.RoleTool })
	user := -1
	for n, t := range turns {
		switch t.Role {
		case process.RoleUser:
			x.before, user = user, n
			x.times[t.ID] = t.Time
			x.user(t, n)
			x.said = nil
		case process.RoleAssistant:
			x.agent(t, n, slices.Contains(last, n))
		case process.RoleTool:
			had := len(learned.found)
			learned.take(t)
			for _, found := range learned.found[had:] {
				x.add(found, n, false)
			}
		}
	}
	return x.best()
}

// user takes what a person says.
func (x *extraction) user(t process.Turn, n int) {
	var story tale // what he tells of himself, and may go on with
	agreed, yes := x.accepted(t.Content)
	if yes {
		agreed.Turns = []string{t.ID}
		x.add(agreed, n, false)
	}
	for _, s := range statements(t, n) {
		if yes && s.first && !goesFurther.MatchString(s.text) {
			continue // it only agrees
		}
		if rest, is := takesBack(s.text); is {
			x.tell(&story)
			x.takeBack(s.text, n)
			s.instead = true
			if s.text = rest; rest == "" {
				continue
			}
		}
		if retractsTopic.MatchString(s.text) {
			x.tell(&story)
			if x.retractTopic(s.text, n) {
				continue
			}
		}
		s.work, s.opens = x.work, !x.spoken
		if r, ok := retraction(s); ok && r.Asked {
			x.tell(&story)
			continue
		}
		if s.prev != "" && mocks.MatchString(s.prev) {
			continue // irony goes on
		}
		x.blame(s)
		s.taken = story.open && story.gap == 0
		if x.goOn(&story, s) {
			continue
		}
		if c, ok := x.rule(s); ok && (x.work || !story.joins(c)) {
			x.tell(&story)
			c.Turns = []string{t.ID}
			story = tale{c: c, order: n, amends: amends.MatchString(s.text), open: true}
		}
	}
	x.tell(&story)
}

// rule is what the first rule that takes a sentence makes of it.
func (x *extraction) rule(s *statement) (c Candidate, ok bool) {
	s.unframed()
	for _, r := range append([]rule{x.update}, order...) {
		if c, ok = r(s); ok {
			break
		}
	}
	return s.everywhere(c, ok)
}

// goOn adds a sentence to what the user tells, if it belongs there.
func (x *extraction) goOn(story *tale, s *statement) bool {
	if !story.open || x.work || !ofLife(story.c) {
		return false
	}
	text := goesOn(s)
	if text == "" || s.prev == "" {
		story.gap++
		story.open = story.gap <= maxGap && s.prev != ""
		return false
	}
	return story.takes(text)
}

// tell takes in what was told.
func (x *extraction) tell(story *tale) {
	if story.c.Content != "" {
		x.add(story.c, story.order, story.amends)
	}
	*story = tale{}
}

// blame takes note of what the user objects to. Once may be about this piece of
// work; what he says twice is meant to last.
func (x *extraction) blame(s *statement) {
	what := objection(s)
	if what == "" || len(x.blamed) >= maxFound && x.blamed[what] == nil {
		return
	}
	x.blamed[what] = append(x.blamed[what], s.id)
	if turns := x.blamed[what]; len(turns) == 2 {
		c := correct("Do not work in "+what, 0.7)
		c.Turns = slices.Clone(turns)
		x.add(c, s.order, false)
	}
}

// agent takes what an agent says: a proposal that the user may accept and, at the
// end, what it found.
func (x *extraction) agent(t process.Turn, n int, end bool) {
	x.spoken = true
	x.said = lastSentences(t.Content)
	if !end {
		return
	}
	for _, s := range statements(t, n) {
		if c, ok := finding(s); ok {
			c.Turns = []string{t.ID}
			x.add(c, n, false)
		}
	}
}

// maxClosing is how many bytes from the end of an agent's turn are read.
const maxClosing = 2 << 10

// newest are the turns from the end that are within the bounds.
func newest(turns []process.Turn) []process.Turn {
	turns = turns[max(0, len(turns)-maxTurns):]
	total := 0
	for i := len(turns) - 1; i >= 0; i-- {
		switch turns[i].Role {
		case process.RoleUser:
			total += min(len(turns[i].Content), maxTurn)
		case process.RoleAssistant:
			total += min(len(turns[i].Content), maxClosing)
		}
		if total > maxTotal {
			return turns[i+1:]
		}
	}
	return turns
}

// lastOf are the orders of the last n turns of a role.
func lastOf(turns []process.Turn, role process.Role, n int) []int {
	var out []int
	for i := len(turns) - 1; i >= 0 && len(out) < n; i-- {
		if turns[i].Role == role {
			out = append(out, i)
		}
	}
	return out
}
