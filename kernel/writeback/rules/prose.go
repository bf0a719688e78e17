package rules

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds on what is read of a conversation, so that time and memory do not grow
// with it without end.
const (
	maxTurn  = 32 << 10 // bytes of one turn's text
	maxTotal = 1 << 20  // bytes of all of the user's turns, the newest ones
)

// A turn above these sizes is a task, a template or a paste rather than an answer.
const (
	maxProse     = 900 // runes
	maxBlocks    = 8
	maxShown     = 12 // lines that were left out, where they are more than what is said
	minWrapWidth = 60 // runes of a line that its next one continues
)

var (
	bullet    = lazily(`^\s*(?:[-*+•]|\(?\d{1,2}[.)]|\[[ xX]\])\s+(?:\[[ xX]\]\s+)?`)
	opensTag  = lazily(`^\s*<([A-Za-z][\w-]*)(?:\s[^>]*)?>`)
	shoutHead = lazily(`^[A-Z][A-Z ()/&-]{3,60}:`)
	logLine   = lazily(`^\s*(?:\d{4}-\d\d-\d\d[T ]\d\d:|\[?\d\d:\d\d:\d\d|at \S+ ?\(|File "|Traceback |\w*(?:Error|Exception): |[$>%#] \S|\w+@[\w-]+[ :~%$]|\+\+\+ |--- |@@ |diff --git |index [0-9a-f]{6}|(?:error|warning|info|debug|fatal|npm ERR!)[\[:! ])`)
	codeLine  = lazily(`(?:[;{}]|=>|\)\s*:|\\)\s*$|^\s*(?:import [\w{*]+|from \S+ import |def \w+\(|class \w+[:({]|func \w*\(|(?:const|let|var) \w+ ?[:=]|return .*[;({]|#include |if \(|for \(|while \(|SELECT |</)`)
	// role opens a template of a prompt, or a summary that an agent wrote itself.
	role = lazily(`(?i)^\s*(?:you are (?:an? |the )|act as |your (?:role|task|job|goal) is|this session is being continued|please continue the conversation from)`)
)

// straight makes typographic apostrophes and quotes the ones that the rules know.
var straight = strings.NewReplacer("’", "'", "‘", "'", "ʼ", "'", "“", `"`, "”", `"`, "„", `"`, "\u00a0", " ", "\r\n", "\n", "\t", " ")

// prose returns what a person says in a turn, a block for each paragraph and each
// point of a list, without what they only show: code, quotations, logs, tables,
// elements. It returns nothing of a turn that is a document.
func prose(s string) []string {
	if len(s) > maxTurn || role.MatchString(s) {
		return nil
	}
	p := reader{}
	for line := range strings.Lines(straight.Replace(strings.ToValidUTF8(s, ""))) {
		p.line(strings.TrimRight(line, " \n\r"))
	}
	p.flush()
	if p.runes > maxProse || len(p.blocks) > maxBlocks || p.heads > 0 || p.shown > maxShown && p.shown > 2*len(p.blocks) {
		return nil
	}
	return p.blocks
}

// reader takes the lines of a turn.
type reader struct {
	blocks  []string
	fence   string // what closes the code that the line is in
	element string // what closes the element that the line is in
	block   []string
	open    bool // the last line of block was wide: the next one continues it
	runes   int  // of blocks
	heads   int  // headings
	shown   int  // lines that were left out
}

func (p *reader) line(s string) {
	trimmed := strings.TrimSpace(s)
	switch {
	case p.fence != "":
		p.shown++
		if strings.HasPrefix(trimmed, p.fence) {
			p.fence = ""
		}
	case strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~"):
		p.flush()
		p.shown++
		p.fence = trimmed[:3]
	case p.element != "":
		p.shown++
		if strings.Contains(s, p.element) {
			p.element = ""
		}
	case trimmed == "":
		p.flush()
	case p.hides(s, trimmed):
		p.flush()
		p.shown++
	default:
		p.say(s, trimmed)
	}
}

// hides says whether a line is shown rather than said.
func (p *reader) hides(s, trimmed string) bool {
	switch trimmed[0] {
	case '#':
		p.heads++
		return true
	case '>', '|':
		return true
	}
	if m := opensTag.FindStringSubmatch(s); m != nil {
		if closing := "</" + m[1] + ">"; !strings.Contains(s, closing) {
			p.element = closing
		}
		return true
	}
	if strings.HasPrefix(s, "    ") && p.block == nil && !bullet.MatchString(s) {
		return true // CommonMark 4.4, indented code
	}
	return logLine.MatchString(s) || codeLine.MatchString(s) || dense(trimmed)
}

// dense says whether a line has more signs than words have: code, a table of
// numbers, an encoded text.
func dense(s string) bool {
	signs, letters, longest, run := 0, 0, 0, 0
	for _, r := range s {
		switch {
		case unicode.IsLetter(r):
			letters++
		case r != ' ' && r != '.' && r != ',' && r != '\'' && r != '`':
			signs++
		}
		if run++; r == ' ' || r > unicode.MaxLatin1 {
			run = 0
		}
		longest = max(longest, run)
	}
	return signs > letters || longest > 120
}

func (p *reader) say(s, trimmed string) {
	if shoutHead.MatchString(trimmed) {
		p.heads++
	}
	if strings.Trim(trimmed, "-=*_ ") == "" { // a rule
		p.flush()
		return
	}
	if at := bullet.FindString(s); at != "" {
		p.flush()
		trimmed = s[len(at):]
	} else if !p.open {
		p.flush()
	}
	p.block = append(p.block, trimmed)
	p.open = utf8.RuneCountInString(trimmed) >= minWrapWidth
}

func (p *reader) flush() {
	if s := oneLine(strings.Join(p.block, " ")); s != "" {
		p.runes += utf8.RuneCountInString(s)
		p.blocks = append(p.blocks, s)
	}
	p.block, p.open = nil, false
}

// oneLine leaves out what can't be seen, and all spaces but single ones.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}
