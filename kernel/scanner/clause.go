package scanner

import (
	_ "embed"
	"regexp"
	"strings"
)

//go:embed rules/guard.txt
var guardText string

// guardWords are the words of rules/guard.txt by class.
var guardWords = readGuardWords(guardText)

func readGuardWords(text string) map[string]map[string]bool {
	classes := map[string]map[string]bool{}
	for line := range strings.Lines(text) {
		if name, words, ok := strings.Cut(line, ":"); ok && line[0] != '#' {
			set := map[string]bool{}
			for _, w := range strings.Fields(words) {
				set[w] = true
			}
			classes[name] = set
		}
	}
	return classes
}

func is(class, word string) bool { return guardWords[class][word] }

// isForbidding reports whether a word forbids what follows it.
func isForbidding(w string) bool {
	return is("forbids", w) || is("insists", w) || strings.HasSuffix(w, "n't")
}

// asEnglish writes phrases as one word, and words of scripts without blanks as
// their English ones.
var asEnglish = strings.NewReplacer(
	"’", "'", "instead of", "insteadof", "rather than", "insteadof", "no one", "noone", "anything but", "nothing but",
	"不要", " never ", "禁止", " never ", "切勿", " never ", "绝不", " never ", "避免", " avoid ", "不得", " never ", "防止", " prevent ",
	"拒绝", " refuse ", "检测", " detect ", "拦截", " block ", "忘记", " forget ", "担心", " worry ", "犹豫", " hesitate ", "运行", " run ",
	"，", ", ", "。", ". ", "：", ": ", "、", " or ")

// clausePart is a word, or a sign that ends a clause or may end one.
var clausePart = regexp.MustCompile(`=>|->|→|[\p{L}\p{N}_'@-]+|[.!?]+(?:\s|$)|[,:;\n—–]|\s-\s`)

// clause is what has been read of the clause that an act stands in.
type clause struct {
	forbidding int    // words that forbid, and words that undo them
	verb       string // the first word behind the last that forbids
	reports    bool   // it tells what becomes of the act
	past       bool   // it tells what was done
	tells      bool   // it is a sentence with a verb, or the act is a noun in it
	uses       bool   // it has a verb for what is done with commands
	comforts   bool   // it undoes what forbids, or a clause before it does
	order      bool   // it begins with an order
	words      []string
}

// forbids reports whether the clause forbids what follows. A word that forbids and
// one that undoes it make none: "never forget to", "not forbidden to".
func (c *clause) forbids() bool { return c.forbidding%2 == 1 }

// last returns the n-th word from the end, 0 being the last.
func (c *clause) last(n int) string {
	if n >= len(c.words) {
		return ""
	}
	return c.words[len(c.words)-1-n]
}

// readClause reads the text before an act, or a heading, up to its end, and returns
// its last clause.
func readClause(text string) *clause {
	text = asEnglish.Replace(strings.ToLower(text))
	comforts := false
	parts := clausePart.FindAllStringIndex(text, -1)
	c := &clause{}
	for i := 0; i < len(parts); i++ {
		w, next := text[parts[i][0]:parts[i][1]], ""
		if i+1 < len(parts) {
			next = text[parts[i+1][0]:parts[i+1][1]]
		}
		comforts = comforts || c.forbidding > 0 && !c.forbids()
		switch w[0] {
		case ',':
			if aside := c.aside(text, parts[i:]); aside > 0 {
				i += aside
			} else if !endsInCode(text[:parts[i][0]]) {
				*c = clause{}
			}
		case ':':
			if !c.labels() {
				*c = clause{}
			}
		case '\n':
			if next == "" && is("orders", c.last(0)) || next != "" && !isForbidding(next) && isLower(text[parts[i][1]:]) {
				continue // a line that is wrapped
			}
			*c = clause{}
		case '.', '!', '?', ';', ' ', '=', '\t':
			*c = clause{}
		case '-':
			if w == "->" {
				*c = clause{}
				continue
			}
			c.add(strings.Trim(w, "-"), next)
		default:
			if strings.ContainsAny(w, "—–→") {
				*c = clause{}
				continue
			}
			c.add(w, next)
		}
	}
	c.comforts = comforts || c.forbidding > 0 && !c.forbids()
	return c
}

// aside returns how many parts behind a comma are an aside between "never" and its
// verb: "never, under any circumstances, run".
func (c *clause) aside(text string, parts [][]int) int {
	const longest = 8
	w := c.last(0)
	if isAdverb(w) {
		w = c.last(1)
	}
	if w != "never" && w != "not" && !strings.HasSuffix(w, "n't") {
		return 0
	}
	for i := 1; i < min(len(parts), longest); i++ {
		if text[parts[i][0]] == ',' {
			return i
		}
	}
	return 0
}

// endsInCode reports whether a text ends in a quotation or a command: the comma
// behind it separates the items of a list.
func endsInCode(text string) bool {
	text = text[max(0, len(text)-40):]
	words := strings.Fields(text)
	return text != "" && strings.ContainsAny(text[len(text)-1:], "`\"'/|") ||
		len(words) > 1 && strings.ContainsAny(words[len(words)-1]+words[len(words)-2], "/=|")
}

func isLower(text string) bool {
	text = strings.TrimLeft(text, " \t")
	return text != "" && text[0] >= 'a' && text[0] <= 'z'
}

// labels reports whether a colon may follow the clause without ending it: "never
// run these: ...", "blocked commands: ...".
func (c *clause) labels() bool {
	for _, w := range c.words {
		if is("supposes", w) && !c.forbids() {
			return false
		}
	}
	return c.forbids() && (c.verb == "" || is("orders", c.verb) || c.verb == "let" || is("nouns", c.verb)) ||
		len(c.words) <= 8 && (c.reports || len(c.words) > 0 && (is("reports", c.words[0]) || is("labels", c.words[0]) || is("labels", c.last(0))))
}

// add reads a word; next is the part behind it.
func (c *clause) add(w, next string) {
	prev := c.last(0)
	c.uses = c.uses || is("orders", w) && !is("names", prev) || is("past", w) && next != "to"
	c.tells = c.tells || is("tells", w) || len(w) > 4 && strings.HasSuffix(w, "ed") && !is("names", prev)
	named := is("names", prev) || is("orders", prev)
	switch {
	case w == "":
		return
	case is("insists", w):
		c.forbidding |= 1
		c.verb = ""
	case isForbidding(w) && !(named && strings.HasSuffix(w, "ed")), is("halts", w) && strings.HasSuffix(next, "ing"):
		c.forbidding++
		c.verb = ""
	case is("undoes", w) && c.forbidding > 0, is("warns", w) && (next == "to" || next == "about" || next == "not"):
		c.forbidding++
	case is("reports", w) && !named && !(prev == "" && strings.HasSuffix(w, "ed")):
		if next == "to" || next == "you" {
			c.forbidding++
		} else {
			c.reports = true
		}
	case is("attacks", w):
		c.reports = true
	case is("orders", w) && !is("names", prev):
		if !c.governs(prev) {
			*c = clause{order: true, uses: true}
		} else if c.verb == "" {
			c.verb = w
		}
	default:
		c.past = c.past || is("past", w)
		if c.verb == "" && !isAdverb(w) && !is("takes", w) {
			c.verb = w
		}
	}
	c.words = append(c.words, w)
}

func isAdverb(w string) bool {
	return strings.HasSuffix(w, "ly") || w == "ever" || w == "even" || w == "also" || w == "just" || w == "then" || w == "please" || w == "now"
}

// governs reports whether a verb behind the word prev belongs to what stands
// before it. If it does not, it begins an order of its own: "don't wait, run".
func (c *clause) governs(prev string) bool {
	n := 0
	for isAdverb(prev) {
		n++
		prev = c.last(n)
	}
	switch {
	case prev == "":
		return false
	case isForbidding(prev) || is("takes", prev) || is("attacks", prev):
		return true
	case prev == "and":
		return is("orders", c.last(n+1))
	}
	for _, w := range c.words {
		if w == "let" || w == "lets" || w == "make" || w == "makes" || w == "made" {
			return true
		}
	}
	return false
}

// isNew reports whether the act behind the clause begins another one.
func (c *clause) isNew() bool {
	switch c.last(0) {
	case "and", "then", "so", "hence", "just", "simply", "please", "now", "therefore":
		return c.verb != "" && !is("orders", c.verb) && !(c.last(0) == "and" && c.reports)
	}
	return false
}
