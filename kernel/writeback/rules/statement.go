package rules

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/recall/analysis"
)

// statement is a sentence of the user's, with what stands around it.
type statement struct {
	turn       string // the turn's id
	text       string
	next       string // the sentence that follows in the block, or ""
	prev       string // the sentence before it, or ""
	alone      bool   // the turn has nothing else
	opens      bool   // the turn is the user's first: it says what is to be done
	denies     bool   // "no" or "wrong" comes before it
	everywhere bool   // it holds for all projects
}

const (
	maxContent = 300 // runes of a candidate's content
	// maxSentence is in bytes. A longer one is hardly something that a person says.
	maxSentence = 600
)

// statements are the sentences that the user says in a turn.
func statements(t process.Turn) []*statement {
	var out []*statement
	for _, block := range prose(t.Content) {
		before := &statement{}
		for _, found := range analysis.Sentences(block) {
			text := block[found.Start:found.End]
			if len(text) > maxSentence {
				continue
			}
			s := &statement{turn: t.ID, text: text, prev: before.text}
			before.next, before = text, s
			out = append(out, s)
		}
	}
	if len(out) == 1 {
		out[0].alone = true
	}
	return out
}

var comma = regexp.MustCompile(`[,;:…] |\.\.+ | [-–—] `)

// find gives the sentence, then what follows each of its first commas, to the rules:
// the first that takes it has it.
func (s *statement) find() (c Candidate, ok bool) {
	s.everywhere = ask("everywhere").of(s.text) || ask("nexteverywhere").of(s.next)
	text := ask("denial").cut(s.text)
	s.denies = text != s.text || s.prev != "" && ask("denial").cut(s.prev) == ""
	text = ask("lead").cut(text)
	starts := append([][]int{{0, 0}}, comma.FindAllStringIndex(text, 7)...)
	for i, at := range starts {
		clause := ask("lead").cut(strings.TrimRight(text[at[1]:], "!?. "))
		for _, r := range data().rules {
			if i > 0 && !r.is("clause") || r.is("later") && s.opens || r.is("alone") && !s.alone ||
				r.is("denied") && !s.denies || r.is("everywhere") && !s.everywhere {
				continue
			}
			if said, ok := r.take(clause); ok && s.states(r, said) {
				return s.candidate(r, said), true
			}
		}
	}
	return c, false
}

// take returns what of a clause a rule keeps.
func (r *row) take(clause string) (said string, ok bool) {
	m := r.parts(clause)
	if m == nil {
		return "", false
	}
	said = m[len(m)-1]
	return said, (r.needs == nil || r.needs.MatchString(said)) && (r.unless == nil || !r.unless.MatchString(said))
}

// states says whether the sentence states something that lasts, and a part of it can
// be understood alone. What is asked to be remembered may be asked for in a question,
// and is not judged further.
func (s *statement) states(r *row, said string) bool {
	words := len(tokens(said))
	switch {
	case words < 2 && (utf8.RuneCountInString(said) < 5 || len(said) == utf8.RuneCountInString(said)): // in Chinese it may be enough
		return false
	case r.category == Request:
		return strings.IndexAny(s.text, `"'«「`) != 0 && (!strings.HasSuffix(s.text, "?") || ask("begged").of(s.text))
	}
	return !ask("question").of(s.text) && !ask("doubtful").of(s.text) && !ask("mocks").of(s.text) && !ask("mocks").of(s.prev) &&
		!ask("passing").of(ask("neutral").drop(s.text)) && !ask("briefly").of(s.next) && !ask("dangling").of(ask("neutral").drop(said))
}

// candidate makes the user's words a candidate of where they belong.
func (s *statement) candidate(r *row, said string) Candidate {
	c := Candidate{
		Target: memory.ScopeProject, Category: r.category, Type: "semantic", Importance: r.importance,
		Turns: []string{s.turn}, Asked: r.category == Request,
	}
	if ask("procedural").of(said) {
		c.Type = "procedural"
	}
	switch {
	case s.everywhere && !ask("personal").of(said):
		c.Target = memory.ScopeGlobal
	case ask("style").of(said), ask("user").of(said) && (c.Asked || r.category == Preference):
		c.Target = memory.ScopeUser
	}
	if ask("forbids").of(said) && ask("rather").of(s.next) && !ask("question").of(s.next) && !ask("dangling").of(s.next) {
		said = strings.TrimRight(said, ". ") + ". " + s.next
	}
	c.Content = quote(said)
	return c
}

// plainWord begins a text whose first letter may be made a capital.
var plainWord = regexp.MustCompile(`^\p{Ll}[\p{L}']*(?:\s|,|$)`)

// quote makes the user's words a content: one line that ends as a sentence does.
func quote(s string) string {
	s = strings.TrimRight(strings.Trim(s, ` ,;:-–—`), "!?.！？。 ")
	if utf8.RuneCountInString(s) > maxContent-2 {
		return string([]rune(s)[:maxContent-2]) + "…"
	}
	if plainWord.MatchString(s) && !ask("small").of(s) {
		first, size := utf8.DecodeRuneInString(s)
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

// tokens are the words of a text in lower case, without the signs around them.
func tokens(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '-' && r != '_'
	})
}
