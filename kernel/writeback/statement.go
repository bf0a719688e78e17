package writeback

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/rnixfs/rnixfs/kernel/recall/analysis"
)

// statement is a text as it is compared with others. It is never changed.
type statement struct {
	norm  string // its words, folded and stemmed, in order
	terms set    // those that carry meaning
	facts set    // numbers, names, identifiers: what must agree, in lower case
	words set    // every word, and every fact, in lower case
	not   set    // what is negated
	// A statement that something is so: of what, and in how many terms.
	subject string
	value   int
}

// light are words that say nothing about what a memory is about. They are index
// terms: folded and stemmed.
var light = setOf(`user alway never pleas should must need make sure ensur us use project repo repositori
	codebas want like prefer rememb note now do don not no avoid just also keep`)

// factForm is what a number, a name or an identifier looks like.
var factForm = regexp.MustCompile("`[^`]+`|[\\w./-]*\\d[\\w./:-]*|--?[a-z][\\w-]+|\\w+_\\w+|[a-z]+[A-Z]\\w*|[~.\\w-]*/[\\w./-]+|\\w+\\.\\w{1,4}\\b")

// negations begin what is negated.
var negations = setOf(`not never no don't dont doesn't doesnt isn't isnt avoid without stop can't cannot won't
	nicht nie niemals kein keine keinen pas jamais sans nunca jamás sin`)

// copula makes a statement one about a subject that has one value at a time.
var copula = regexp.MustCompile(`(?i)\b(?:is|are|was|lives? in|works? (?:at|for|as)|is (?:called|named)|based in|runs? on|listens? on|deploys? to|ist|sind|est|es)\b`)

func setOf(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}

// newStatement takes a text apart.
func newStatement(text string) *statement {
	s := &statement{}
	tokens := analysis.Analyze(text)
	var norm []string
	for _, t := range tokens {
		if t.Kind != analysis.Word {
			continue
		}
		norm = append(norm, t.Term)
		if meaning(t) {
			s.terms = append(s.terms, t.Term)
		}
	}
	s.norm = strings.Join(norm, " ")
	s.takeWords(text)
	for _, m := range factForm.FindAllString(text, -1) {
		if f := fold(m); f != "" {
			s.facts = append(s.facts, f)
		}
	}
	s.words = append(s.words, s.facts...)
	s.takeNegations(text, tokens)
	s.takeSubject(text)
	for _, list := range []*set{&s.terms, &s.facts, &s.words, &s.not} {
		*list = newSet(*list)
	}
	return s
}

func meaning(t analysis.Token) bool { return t.Kind == analysis.Word && !t.Stop && !light[t.Term] }

func fold(word string) string {
	return strings.ToLower(strings.Trim(word, "`'\".,:;!?()[]{}<>*"))
}

// takeWords takes the words, and as facts those with a capital letter within a
// sentence: names.
func (s *statement) takeWords(text string) {
	begin := true
	for _, w := range strings.Fields(text) {
		f := fold(w)
		if f == "" {
			continue
		}
		s.words = append(s.words, f)
		bare := strings.Trim(w, "`'\"([{*")
		r := []rune(bare)[0]
		if unicode.IsUpper(r) && !begin && f != "i" {
			s.facts = append(s.facts, strings.TrimSuffix(f, "'s"))
		}
		begin = strings.HasSuffix(w, ".") || strings.HasSuffix(w, ":") || strings.HasSuffix(w, "!") || strings.HasSuffix(w, "?")
	}
}

// reach is how many meaningful words after a negation count as negated.
const reach = 2

func (s *statement) takeNegations(text string, tokens []analysis.Token) {
	end := 0
	for _, word := range strings.Fields(text) {
		end += strings.Index(text[end:], word) + len(word)
		word = strings.ReplaceAll(fold(word), "’", "'")
		if !negations[word] && !strings.HasPrefix(word, "不") && !strings.HasPrefix(word, "别") {
			continue
		}
		s.not = append(s.not, "") // that it negates at all
		n := 0
		for _, t := range tokens {
			if t.Start >= end && meaning(t) && !strings.ContainsAny(text[end:t.Start], ",;:.") {
				s.not = append(s.not, t.Term)
				if n++; n == reach {
					break
				}
			}
		}
	}
}

func (s *statement) takeSubject(text string) {
	at := copula.FindStringIndex(text)
	if at == nil {
		return
	}
	var subject []string
	for _, t := range analysis.Analyze(text[:at[0]]) {
		if t.Kind == analysis.Word && !t.Stop {
			subject = append(subject, t.Term)
		}
	}
	if len(subject) > 0 {
		for _, m := range factForm.FindAllString(text[:at[0]], -1) { // terms cut some of them
			subject = append(subject, fold(m))
		}
		s.subject = strings.Join(append(subject, strings.ToLower(text[at[0]:at[1]])), " ")
	}
	var value set
	for _, t := range analysis.Analyze(text[at[1]:]) {
		if meaning(t) {
			value = append(value, t.Term)
		}
	}
	s.value = len(newSet(value))
}
