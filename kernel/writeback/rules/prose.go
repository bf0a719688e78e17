package rules

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds on what is read of a conversation, so that time and memory do not grow
// with it without end.
const (
	maxTurn      = 32 << 10 // bytes of one turn's text
	maxTotal     = 1 << 20  // bytes of all turns' text, the newest ones
	maxSentence  = 600      // bytes of one sentence
	minSentence  = 4
	maxPlain     = 2200 // runes of prose above which a turn is a document that was pasted
	minWrapWidth = 60   // runes of a line that its next one continues
)

var (
	bullet     = lazily(`^\s*(?:[-*+•]|\(?\d{1,2}[.)]|\[[ xX]\])\s+(?:\[[ xX]\]\s+)?`)
	answerItem = lazily(`^re \d+,\s*`)
	opensTag   = lazily(`^\s*<([A-Za-z][\w-]*)(?:\s[^>]*)?>`)
	shoutHead  = lazily(`^[A-Z][A-Z ()/&-]{3,60}:`)
	logLine    = lazily(`^\s*(?:\d{4}-\d\d-\d\d[T ]\d\d:|\[?\d\d:\d\d:\d\d|at \S+ ?\(|File "|Traceback |\w*(?:Error|Exception): |[$>%#] \S|\w+@[\w-]+[ :~%$]|\+\+\+ |--- |@@ |diff --git |index [0-9a-f]{6}|(?:error|warning|info|debug|fatal|npm ERR!)[\[:! ])`)
	codeLine   = lazily(`(?:[;{}]|=>|\)\s*:|\\)\s*$|^\s*(?:import [\w{*]+|from \S+ import |def \w+\(|class \w+[:({]|func \w*\(|(?:const|let|var) \w+ ?[:=]|return .*[;({]|#include |if \(|for \(|while \(|SELECT |</)`)
	mdImage    = lazily(`!\[[^\]]*\]\([^)]*\)`)
	mdLink     = lazily(`\[([^\]\n]+)\]\([^)\s]*\)`)
	mdBold     = lazily(`(?:\*\*|__)([^*_\n]+)(?:\*\*|__)`)
	mdItalic   = lazily(`(^|[\s(])[*_]([^*_\n]+)[*_]([\s).,;:!?]|$)`)
	// What stands in quotation marks is somebody else's, if it is long enough to be
	// more than a name.
	speech   = lazily(`"[^"]+(?:"|$)|«[^»]+(?:»|$)|「[^」]+(?:」|$)`)
	sentence = lazily(`[.!?。！？]["»」]?$`)
	htmlTag  = lazily(`</?[A-Za-z][^<>\n]{0,80}>`)
)

// straight makes typographic apostrophes and quotes the ones that the rules know.
var straight = strings.NewReplacer("’", "'", "‘", "'", "ʼ", "'", "“", `"`, "”", `"`, "„", `"`, "\u00a0", " ", "\r\n", "\n", "\t", " ")

// text is what a person or an agent says in a turn, without what they only show:
// code, quotations, logs, tables, mark-up. Each paragraph and each point of a list
// is a block.
type text struct {
	blocks []string
	// pasted says that it is a document rather than somebody's own words: a
	// template of a prompt, a specification, an issue.
	pasted bool
	runes  int // of the prose
}

// prose reads the Markdown of a turn.
func prose(s string) text {
	p := proser{}
	if len(s) > maxTurn {
		s, p.out.pasted = s[:maxTurn], true
	}
	s = straight.Replace(strings.ToValidUTF8(s, ""))
	for line := range strings.Lines(s) {
		p.line(strings.TrimRight(line, " \n\r"))
	}
	p.flush()
	p.out.runes = p.runes
	if p.runes > maxPlain || p.heads >= 2 || p.shown > 12 && p.shown > 2*len(p.out.blocks) {
		p.out.pasted = true
	}
	return p.out
}

type proser struct {
	out     text
	fence   string // what closes the code we are in
	element string // what closes the element we are in
	block   []string
	open    bool // the last line of block was wide: the next one continues it
	runes   int
	heads   int // headings in capitals
	shown   int // lines that were left out
}

func (p *proser) line(s string) {
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
func (p *proser) hides(s, trimmed string) bool {
	switch trimmed[0] {
	case '>', '|', '#':
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

func (p *proser) say(s, trimmed string) {
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

func (p *proser) flush() {
	if p.block == nil {
		return
	}
	s := answerItem.ReplaceAllString(plain(strings.Join(p.block, " ")), "")
	p.block, p.open = nil, false
	if s != "" {
		p.runes += utf8.RuneCountInString(s)
		p.out.blocks = append(p.out.blocks, s)
	}
}

// plain takes the mark-up out of a block. What stands in back quotes keeps them:
// they say that it is to be taken literally.
func plain(s string) string {
	s = mdImage.ReplaceAllString(s, "")
	s = mdLink.ReplaceAllString(s, "$1")
	s = mdBold.ReplaceAllString(s, "$1")
	s = mdItalic.ReplaceAllString(s, "$1$2$3")
	if !strings.Contains(s, "`") {
		s = htmlTag.ReplaceAllString(s, "")
	}
	s = speech.ReplaceAllStringFunc(s, func(q string) string {
		if len(strings.Fields(q)) >= 5 && !titled(q) || sentence.MatchString(q) {
			return `"…"`
		}
		return q
	})
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// maxTitle is how many words a title has at most.
const maxTitle = 8

// titled says whether what is quoted is a title: each word begins with a capital
// but the small ones.
func titled(q string) bool {
	w := strings.Fields(strings.Trim(q, "\"«»"))
	for n, t := range w {
		r, _ := utf8.DecodeRuneInString(t)
		if !unicode.IsUpper(r) && (n == 0 || !smallWords[t]) {
			return false
		}
	}
	return len(w) <= maxTitle && len(w) > 0 && !orders[strings.ToLower(w[0])]
}

var (
	smallWords = words(`a an and as at by de for from in la of on or the to with & vs`)
	// orders begin what would be an order rather than a title.
	orders = words(`always never remember use run do don't please from ignore disable enable`)
)
