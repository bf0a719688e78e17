package rules

import (
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// statement is one sentence that a person or an agent said, with what stands
// around it.
type statement struct {
	id      string // of the turn
	order   int    // of the turn in the conversation
	time    time.Time
	text    string
	prev    string          // the sentence before it in the block, or ""
	next    string          // the sentence that follows in the block, or ""
	first   bool            // it begins the turn
	edge    bool            // it stands in the first or last block
	pasted  bool            // it stands in a document
	work    bool            // tools were used in the conversation: it is about work
	opens   bool            // the agent has said nothing yet: it is part of the task
	global  bool            // it is said to hold for all projects
	asked   bool            // and was asked to be remembered
	taken   bool            // the sentence before it was taken for a memory
	instead bool            // it is said in the place of what was taken back
	told    *string         // what of it is told, once it was looked for
	known   map[string]bool // what was found doubtful or not
	signs   map[string]int  // how many signs of work were found
	long    bool            // the turn is as long as a description of a task
}

// Of a turn above these sizes that opens a conversation, the weaker rules take
// nothing: it describes a task.
const (
	longBlocks = 8
	longRunes  = 900
)

// maxStatements bounds the sentences of one turn.
const maxStatements = 400

// statements are the sentences of a turn.
func statements(t process.Turn, order int) []*statement {
	prose := prose(t.Content)
	var out []*statement
	for n, block := range prose.blocks {
		list := sentences(block)
		for i, s := range list {
			if len(out) == maxStatements {
				return out
			}
			st := &statement{id: t.ID, order: order, time: t.Time, text: s, first: len(out) == 0, pasted: prose.pasted, long: prose.runes > longRunes || len(prose.blocks) >= longBlocks, edge: n == 0 || n == len(prose.blocks)-1}
			if i > 0 {
				st.prev = list[i-1]
			}
			if i+1 < len(list) {
				st.next = list[i+1]
			}
			out = append(out, st)
		}
	}
	return out
}

// What keeps a sentence from being a statement of the person who says it.
var (
	asks        = lazily(`(?i)^(?:(?:and|so|but|ok|okay|hey|also|then),? )*(?:who|what|whats|what's|when|where|why|how|which|whose|is|are|am|was|were|do|does|did|don't you|didnt|didn't|isn't|isnt|aren't|can|could|would|will|won't|should|shall|have you|has|had you|may i|any) `)
	subordinate = lazily(`(?i)^(?:(?:and|so|but),? )?(?:when(?:ever)?|where) (?:i|we|my|our)(?:'m|'re|'ve)? [^,]{3,80}, (?:i|we|my|our|it)\b|^when (?:i|we) (?:was|were) (?:an? )?(?:\w+ )?(?:kids?|child|children|teen|teenager|boy|girl|little|young|younger|small|student)\b`)
	// Conditions, dreams, guesses.
	supposes = lazily(`(?i)\b(?:what if|if (?:i|we) (?:were|had|could|ever)|would(?: have|'ve)|i wish|imagine|suppose|supposing|hypothetically|let's say|lets say|might|maybe|mb|perhaps|probably|possibly|i guess|i suppose|not sure|i wonder|wondering|for example|for instance|e\.g|as an example|pretend|imagin\w+)\b`)
	begins   = lazily(`(?i)^(?:if|unless|in case|assuming|when you|whenever you|once you|wenn|falls|si) `)
	// What others say. A person who tells it is not the one who wants it.
	reports = lazily(`(?i)\b(?:(?:he|she|they|somebody|someone|people|it|that|article|docs?|documentation|readme|rule|page|post|book|blog|error|message|log|output|linter|compiler|reviewer|boss|manager|colleague|customer|client)s? (?:just |also |only |once )?(?:says?|said|tells?|told|claims?|claimed|suggests?|suggested|states?|recommends?|recommended|asks?|asked|thinks?|thought|wrote|writes|mentions?|mentioned|reads?)\b|according to|quote|quoting|allegedly|supposedly|apparently)\b`)
	mocks   = lazily(`(?i)(?:\byeah,? right\b|\boh,? (?:great|sure|fantastic|perfect|brilliant|wonderful|joy)\b|\bthanks a lot for\b|\bas if\b|\bbecause (?:that|it) (?:always )?work(?:s|ed) so well\b|\bjust what i (?:always )?(?:needed|wanted)\b|/s$|🙄|\bgenius\b)`)
	passes  = lazily(`(?i)\b(?:for now|right now|at the moment|just this once|this time|this once|just now|today|tonight|tomorrow|later|for the moment|temporarily|in the meantime|until (?:then|we|i|it)|quick(?:ly)?|here for now|one-?off|vorerst|heute|pour l'instant|aujourd'hui|por ahora|hoy)\b`)
	jokes   = lazily(`(?i)\b(?:just kidding|kidding|jk|lol|haha|hehe|joking)\b`)
	quoted  = lazily(`^(?:"[^"]{61,}|"[^"]*"?\W*$|"[^"]*" *(?:is|means|was) what\b|['«»「『])`)
	history = lazily(`(?i)\b(?:used to|back then|in the old days|years? ago|previously|formerly|no longer)\b`)
)

// specified says whether a statement is part of what is to be done now.
func (s *statement) specified() bool { return s.pasted || s.opens && s.long }

// question says whether a sentence asks.
func question(s string) bool {
	s = strings.TrimRight(s, ` "')`)
	return strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") || asks.MatchString(s) && !subordinate.MatchString(s)
}

// unsaid says whether a sentence states nothing: a question, a hypothesis, what
// another says, irony, a quotation.
func unsaid(s string) bool {
	return question(s) || doubtful(s)
}

// tells is what the sentence tells of the person who says it.
func (s *statement) tells() string {
	if s.told == nil {
		text := told(plainly(s.text))
		s.told = &text
	}
	return *s.told
}

// unsaid is the function of this name, which looks only once.
func (s *statement) unsaid(text string) bool { return question(text) || s.doubtful(text) }

// doubtful is the function of this name, which looks only once.
func (s *statement) doubtful(text string) bool {
	is, ok := s.known[text]
	if !ok {
		if s.known == nil {
			s.known = map[string]bool{}
		}
		is = doubtful(text)
		s.known[text] = is
	}
	return is
}

// crafted is the function of this name, which looks only once.
func (s *statement) crafted(text string) int {
	n, ok := s.signs[text]
	if !ok {
		if s.signs == nil {
			s.signs = map[string]int{}
		}
		n = crafted(text)
		s.signs[text] = n
	}
	return n
}

// doubtful is unsaid without the questions.
func doubtful(s string) bool {
	return supposes.MatchString(s) || reports.MatchString(s) || mocks.MatchString(s) || jokes.MatchString(s) || quoted.MatchString(s)
}

var (
	signs = lazily("`[^`]+`|\\b\\w+\\.(?:md|mdc|go|py|js|ts|tsx|json|ya?ml|toml|sh|rs|java|c|cpp|h|sql|txt|html|css|env|lock|cfg|ini)\\b|(?:^| )--?[a-z][\\w-]+|\\b\\w+_\\w+\\b|\\b[a-z]+[A-Z]\\w+\\b|(?:^| )[~.]?/?[\\w.-]+/[\\w./-]+|\\w\\(\\)|@[\\w.-]+|\\bv?\\d+\\.\\d+|#\\d+")
	// The words of the craft, and those that others use as well: two of them
	// make a sentence one of the craft.
	craft = words(`api backend bug bugs changelog cli code codebase command commands commit commits committing compile compiler configuration css database db dependencies dependency deploy deployment docker endpoint endpoints env formatter formatting frontend git github gitlab golang html http import indentation java javascript json kubernetes lint linter markdown node npm param pip pnpm postgres pr prs prompt python readme refactor regex repo repos repository runtime rust sql submodule syntax typescript ui url utf-8 virtualenv workflow worktree yaml yarn value values hint hints spelling terraform`)
	often = words(`type infra app apps argument arguments branch branches build builds class comment comments component config container coverage deploys directory docs documentation error errors field fields file files flag folder format function functions imports indent interface library local log logging logs main makefile merge method methods migration migrations mock mocks module modules naming option options output package packages parameter path production pull push pushing query react rebase release requirements rest rule rules schema script scripts server session sessions spec specs spaces staging string style switch tabs task tasks template terminal test testing tests token types unit variable variables version workspace`)
)

// technical says whether a sentence may be about the work on a computer.
func technical(s string) bool { return crafted(s) >= 1 }

// about says whether a sentence is about the work: of a talk in which no tools
// were used it takes more signs of it.
func (s *statement) about(text string) bool {
	return s.work && technical(text) || crafted(text) >= 2
}

// crafted counts the signs that a sentence is about the work on a computer; of the
// words that others use as well, each is one, and all else is two.
func crafted(s string) int {
	n := 0
	if signs.MatchString(s) {
		n = 2
	}
	for _, t := range tokens(s) {
		for w := range strings.SplitSeq(t, "-") {
			single := strings.TrimSuffix(w, "s")
			if ies, ok := strings.CutSuffix(w, "ies"); ok {
				single = ies + "y"
			}
			switch {
			case craft[w] || craft[single]:
				n += 2
			case often[w] || often[single]:
				n++
			}
		}
	}
	return n
}
