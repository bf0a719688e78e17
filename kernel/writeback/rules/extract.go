package rules

import (
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/process"
)

const (
	// maxTurns is how many turns of a conversation are looked at, the last ones.
	maxTurns = 200_000
	// maxFound bounds the candidates of a conversation.
	maxFound = 256
)

// families are the rules in the order in which a sentence is given to them: the
// first that takes it has it.
var families = []func(*statement) (Candidate, bool){request, instruction, correction, preference}

// extraction is the state of one call of Extract.
type extraction struct {
	found []Candidate
	heard bool     // the user has said something
	last  []string // ids of the user's turn before this one, and of this one
}

// Extract returns what a conversation taught, in the order in which it was said. It
// depends on nothing but its argument, and its time grows with the size of the
// conversation up to a bound.
func Extract(c process.Transcript) []Candidate {
	x := &extraction{}
	commands := lessons{bad: Failed(c.Conversation)}
	for _, t := range newest(c.Turns) {
		switch t.Role {
		case process.RoleUser:
			commands.forget()
			x.hear(t)
		case process.RoleTool:
			if c, ok := commands.take(t); ok {
				x.add(c)
			}
		}
	}
	return x.found
}

// hear takes what the user says in a turn.
func (x *extraction) hear(t process.Turn) {
	x.last = append(x.last[max(0, len(x.last)-1):], t.ID)
	opens := !x.heard
	x.heard = true
	for _, s := range statements(t) {
		s.opens = opens
		switch m := takesBackFor.FindStringSubmatch(s.text); {
		case takesBack.MatchString(s.text):
			x.takeBack()
			continue
		case m != nil && instead(s, m[1]):
			x.takeBack()
			s.prev, s.text = "No.", m[1]
		}
		if c, ok := find(s); ok {
			x.add(c)
		}
	}
}

// instead says whether a text is a rule, and so can stand for what was taken back.
func instead(s *statement, text string) bool {
	_, ok := find(&statement{turn: s.turn, text: text, prev: "No."})
	return ok
}

// find gives a sentence to the families.
func find(s *statement) (c Candidate, ok bool) {
	asked := s.unframe()
	for _, rule := range families {
		if c, ok = rule(s); ok {
			break
		}
	}
	switch {
	case asked && !c.Asked && !s.brief():
		return s.asked(s.text), true
	case ok && s.brief():
		return c, false
	}
	return c, ok
}

// takeBack drops what was found in the last of the user's turns that taught
// something, if that is this one or the one before.
func (x *extraction) takeBack() {
	for _, turn := range slices.Backward(x.last) {
		had := len(x.found)
		x.found = slices.DeleteFunc(x.found, func(c Candidate) bool {
			return c.Category != Command && c.Turns[len(c.Turns)-1] == turn
		})
		if len(x.found) < had {
			return
		}
	}
}

// add takes a candidate in. What was said before in the same words is said again
// now.
func (x *extraction) add(c Candidate) {
	said := strings.Join(tokens(c.Content), " ")
	for i := range x.found {
		old := &x.found[i]
		if old.Target != c.Target || strings.Join(tokens(old.Content), " ") != said {
			continue
		}
		if c.Asked && !old.Asked {
			c.Turns = append(slices.Clone(old.Turns), c.Turns...)
			*old = c
			return
		}
		old.Turns = append(old.Turns, c.Turns...)
		return
	}
	if c.Content != "" && len(x.found) < maxFound {
		x.found = append(x.found, c)
	}
}

// newest are the turns from the end that are within the bounds.
func newest(turns []process.Turn) []process.Turn {
	turns = turns[max(0, len(turns)-maxTurns):]
	total := 0
	for i := len(turns) - 1; i >= 0; i-- {
		if turns[i].Role == process.RoleUser {
			total += min(len(turns[i].Content), maxTurn)
		}
		if total > maxTotal {
			return turns[i+1:]
		}
	}
	return turns
}

var (
	// takesBack takes back what was said before it.
	takesBack = lazily(`(?i)^` + opener + `(?:(?:` + backward + `)(?:(?:[,.!;]| -| and|) ?(?:` + courtesy + `))*)+[.!? ]*$`)
	// takesBackFor does so, and goes on with what holds instead, in group 1.
	takesBackFor = lazily(`(?i)^` + opener + `(?:(?:scratch|forget|strike|disregard) (?:about )?(?:that|this|what|my)[^,:;]*)(?:[,:;]| -| –| —) *(?:(?:and|but|rather|instead|i meant?|it should be)[,:]? )*(.+)$`)
)

const (
	opener   = `(?:(?:no|nope|oh|ah|oops|actually|sorry|wait|please|ok|okay|well|hey|hm+|so|and|but|can you|could you|you know what|on second thoughts?|i changed my mind|let's)[,.!:?;]*(?: - | ))*`
	backward = `(?:scratch|forget|ignore|disregard|strike) (?:about )?(?:all of )?(?:that|it|this|what i (?:just )?said(?: about (?:that|this|it))?|my (?:last|previous) (?:message|instruction|point|request)|the last (?:one|bit|part|instruction|rule))(?: one| last one| again| rule| instruction)?|never ?mind(?: (?:that|it))?|nvm|i take (?:that|it) back|don'?t remember (?:that|this)`
	courtesy = `please|thanks|thank you|sorry|my (?:bad|mistake|fault)|i was wrong|i changed my mind|actually|then|now|again|ok|okay|` + backward
)
