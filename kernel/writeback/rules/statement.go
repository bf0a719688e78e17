package rules

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
)

// statement is a sentence of the user's, with what stands around it.
type statement struct {
	turn  string // the turn's id
	text  string
	next  string // the sentence that follows in the block, or ""
	prev  string // the sentence before it, or ""
	alone bool   // the turn has nothing else
	opens bool   // the turn is the user's first: it says what is to be done
	// everywhere says that it holds for all projects.
	everywhere bool
}

// maxStatements bounds the sentences of one turn.
const maxStatements = 100

// statements are the sentences that the user says in a turn.
func statements(t process.Turn) []*statement {
	var out []*statement
	for _, block := range prose(t.Content) {
		list := sentences(block)
		for i, text := range list {
			s := &statement{turn: t.ID, text: text}
			if i > 0 {
				s.prev = list[i-1]
			}
			if i+1 < len(list) {
				s.next = list[i+1]
			}
			out = append(out, s)
		}
	}
	if len(out) == 1 {
		out[0].alone = true
	}
	return out[:min(len(out), maxStatements)]
}

// polite is what may stand before a request.
const polite = `(?i)^(?:(?:please|pls|plz|hey|ok|okay|so|and|also|but|oh|no|yes|yeah|actually|sorry|wait|correction|update|oops|well|hm+|btw|claude|agent|bitte|por favor|s'il te plaît|s'il vous plaît|can you|could you|would you|will you|you should|you must|you have to|i want you to|i need you to|i'd like you to|kannst du)[,:]? )*`

// What keeps a sentence from stating something that lasts.
var (
	asks = lazily(`(?i)^(?:(?:and|so|but|ok|okay|hey|also|then),? )*(?:who|what|whats|what's|why|how|whose|is|are|am|was|were|do|does|did|don't you|didn't|isn't|aren't|can|could|would|will|won't|should|shall|have you|has|had you|may i|any) `)
	// supposes is said of conditions and guesses.
	supposes = lazily(`(?i)\b(?:what if|if (?:i|we) (?:were|had|could|ever)|would(?: have|'ve)|i wish|imagine|suppose|supposing|hypothetically|let's (?:say|pretend)|lets say|might|maybe|perhaps|probably|possibly|i guess|not sure|i wonder|wondering|for example|for instance|e\.g|pretend)\b`)
	// reports is said of what others want.
	reports = lazily(`(?i)\b(?:(?:he|she|they|somebody|someone|people|it|that|article|docs?|documentation|readme|rule|page|post|book|blog|error|message|log|output|linter|compiler|reviewer|boss|manager|colleague|customer|client)s? (?:just |also |only |once )?(?:says?|said|tells?|told|claims?|claimed|suggests?|suggested|states?|recommends?|recommended|asks?|asked|thinks?|thought|wrote|writes|mentions?|mentioned|reads?)\b|according to|quote|quoting|allegedly|supposedly|apparently)\b`)
	mocks   = lazily(`(?i)(?:\byeah,? right\b|\boh,? (?:great|sure|fantastic|perfect|brilliant|wonderful|joy)\b|\bthanks a lot for\b|\bas if\b|\bjust what i (?:always )?(?:needed|wanted)\b|/s$|🙄|\b(?:just kidding|kidding|jk|lol|haha|hehe|joking)\b)`)
	// quoted is somebody else's: more than a name in quotation marks.
	quoted = lazily(`^["'«»「『]|"[^"]*(?: [^" ]+){4}|«[^»]+(?: [^» ]+){4}`)
	// passing is said of what holds for a while only.
	passing = lazily(`(?i)(?:` +
		`\b(?:for now|for the moment|at the moment|right now|for the time being|in the meantime|temporarily|just once|only once|this once|as a one-?off|(?:just|only) today|for (?:today|tonight|tomorrow|a (?:bit|while|moment|day|few \w+))|the rest of (?:this|the|today)|vorerst|heute|pour l'instant|aujourd'hui|por ahora|hoy)\b` +
		`|^(?:today|tonight|tomorrow|this time|now)\b|\b(?:today|tonight|tomorrow|yet|again)[.! ]*$` +
		`|\bthis time(?: (?:only|around))?[,.;! ]*$` +
		`|\b(?:until|till|til) (?:next |this |the end of )?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|tonight|noon|eod|then|further notice|(?:the )?(?:week|month|day|sprint))\b` +
		`|^(?:until|till|while) (?:the|we|this|i|our)\b` +
		`|\b(?:for|in|on|during|within|just|only|while (?:in|on)) (?:just )?(?:this|the current) (?:\w+ )?(?:task|job|ticket|issue|bug|pr|mr|pull request|merge request|change|commit|branch|patch|diff|feature|refactor\w*|experiment|exercise|script|file|function|method|class|query|run|session|conversation|chat|sprint|demo|meeting|step|round|iteration|one|time|week|month)\b` +
		`|\bthis (?:week|month|sprint|morning|afternoon|evening|weekend)\b)`)
	// lasting denies that it passes; briefly is such a remark by itself.
	lasting = lazily(`(?i)\b(?:not|isn't|and not) (?:just|only)? ?(?:for |in |on )?(?:now|today|this (?:once|\w+))\b`)
	briefly = lazily(`(?i)^(?:but |and |just |only |that's |this is |it's )*(?:just |only )?(?:for (?:now|today|tonight|the moment|this \w+)|this (?:once|time)|today|temporar(?:y|ily)|until \w+(?: \w+)?|in this \w+)[.! ]*$`)
	// here names the project, and nothing that was spoken of before.
	here = lazily(`(?i)\b(?:in |of |for )?(?:this|that) (?:repo|repository|project|codebase|monorepo|machine)\b`)
	// dangling is what can't be understood without what was said before.
	dangling = lazily(`(?i)\b(?:it|its|it's|this|these|those|them|they|their|he|she|him|her|below|above|the (?:former|latter|other|others|same|next|previous|last|second|third|following|remaining|attached)|option \w+|#\d+|\d+)\b|\bthat(?:'s| (?:one|way|is|was|file|function|change|part|thing|line|bug|error|issue|test)\b|[,.!]|$)|\b(?:the|your) (?:first|\d+)\b`)
	// pronoun begins a statement about something that was said before.
	pronoun = lazily(`(?i)^(?:it|its|it's|this|these|those|that|that's|them|they|he|she|there)\b`)
)

// question says whether a sentence asks.
func question(s string) bool {
	s = strings.TrimRight(s, ` "')`)
	return strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") || asks.MatchString(s)
}

// doubtful says whether a sentence is a guess, a report, irony or a quotation.
func doubtful(s string) bool {
	return supposes.MatchString(s) || reports.MatchString(s) || mocks.MatchString(s) || quoted.MatchString(s)
}

// brief says whether the sentence holds for a while only.
func (s *statement) brief() bool {
	return passing.MatchString(lasting.ReplaceAllString(s.text, "")) || briefly.MatchString(s.next)
}

// states says whether a text, all of the sentence or a part of it, states something
// that lasts and that can be understood alone.
func (s *statement) states(text string) bool {
	return !question(text) && !doubtful(s.text) && !s.brief() && !mocks.MatchString(s.prev) &&
		!dangling.MatchString(here.ReplaceAllString(lasting.ReplaceAllString(text, ""), "")) && !short(text)
}

// short says whether a text is too short to say something.
func short(text string) bool {
	return len(tokens(text)) < 2 && (utf8.RuneCountInString(text) < 5 || len(text) == utf8.RuneCountInString(text))
}

// maxContent is the most runes of a candidate's content.
const maxContent = 300

// quote makes the user's words a content: one line that ends as a sentence does.
func quote(s string) string {
	s = strings.TrimRight(strings.Trim(s, ` ,;:-–—`), "!?.！？。 ")
	if utf8.RuneCountInString(s) > maxContent-2 {
		s = string([]rune(s)[:maxContent-2])
		if at := strings.LastIndexByte(s, ' '); at > maxContent/2 {
			s = s[:at]
		}
		return strings.TrimRight(s, " ,;:-") + "…"
	}
	if first, size := utf8.DecodeRuneInString(s); plainWord.MatchString(s) && !programs[strings.TrimRight(plainWord.FindString(s), " ,")] {
		s = string(unicode.ToUpper(first)) + s[size:]
	}
	switch last, _ := utf8.DecodeLastRuneInString(s); {
	case s == "":
		return ""
	case unicode.In(last, unicode.Han, unicode.Hiragana, unicode.Katakana):
		return s + "。"
	}
	return s + "."
}

// plainWord begins a text whose first letter may be made a capital.
var plainWord = lazily(`^\p{Ll}[\p{L}']*(?:\s|,|$)`)

var (
	// aboutUser begins what is said of the user, in any project; style how they want
	// to be spoken to.
	aboutUser = lazily(`(?i)^(?:that )?(?:(?:i|i'm|i've|i'd|my|call me|ich|mein|meine|je|j'|mon|ma|mes|yo|mi|mis|me llamo)\b|j'|我|私|僕)`)
	style     = lazily(`(?i)^(?:please |to |always |never |only |just )*(?:answer|reply|respond|speak|talk to me|address me|call me|explain things|antworte|sprich|réponds|parle|responde|háblame)\b|^(?:请)?用.{1,6}(?:回答|回复)|語で(?:答え|話し)`)
	// personal is a fact about the user that no project changes.
	personal = lazily(`(?i)^(?:my (?:full |first |last |nick)?(?:name|time ?zone|birthday|e-?mail(?: address)?|pronouns|job|role|employer|native language|editor|shell)\b|call me\b|i(?:'m| am) |i (?:live|work (?:at|for|as))\b)`)
	// doing begins what tells how to do something.
	doing = lazily(`(?i)^(?:to )?(?:always|never|don'?t|do not|use|run|write|add|keep|put|avoid|prefer|make|call|commit|push|test|check|follow|start|format|immer|nie|niemals|toujours|jamais|ne|siempre|nunca|no)\b`)
)

// candidate makes the user's words a candidate of where they belong.
func (s *statement) candidate(category Category, text string, importance float64) Candidate {
	c := Candidate{Target: memory.ScopeProject, Content: quote(text), Category: category, Type: semantic, Importance: importance, Turns: []string{s.turn}}
	if doing.MatchString(text) {
		c.Type = procedural
	}
	switch {
	case s.everywhere && !personal.MatchString(text):
		c.Target = memory.ScopeGlobal
	case aboutUser.MatchString(text) || style.MatchString(text):
		c.Target = memory.ScopeUser
	}
	return c
}
