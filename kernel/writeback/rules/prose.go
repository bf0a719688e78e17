package rules

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A turn above these sizes is a task, a template or a paste rather than an answer.
const (
	maxTurn      = 32 << 10 // bytes
	maxProse     = 900      // runes of what is said
	maxBlocks    = 8
	maxShown     = 12 // lines that were left out, where they are more than what is said
	minWrapWidth = 60 // runes of a line that its next one continues
)

// straight makes typographic apostrophes and quotes the ones that the rules know.
var straight = strings.NewReplacer("’", "'", "‘", "'", "ʼ", "'", "“", `"`, "”", `"`, "„", `"`, "\u00a0", " ", "\r\n", "\n", "\t", " ")

// prose returns what a person says in a turn, a block for each paragraph and each
// point of a list, without what they only show: code, quotations, logs, tables,
// elements. It returns nothing of a turn that is a document.
func prose(s string) []string {
	if len(s) > maxTurn || ask("prompt").of(s) {
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
	blocks []string
	until  string // what closes the code or the element that the line is in
	block  []string
	open   bool // the last line of block was wide: the next one continues it
	runes  int  // of blocks
	heads  int  // headings
	shown  int  // lines that were left out
}

func (p *reader) line(s string) {
	trimmed := strings.TrimSpace(s)
	switch {
	case p.until != "":
		p.shown++
		if strings.Contains(s, p.until) {
			p.until = ""
		}
	case strings.Trim(trimmed, "-=*_ ") == "": // nothing, or a rule
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
	if trimmed[0] == '#' || ask("heading").of(trimmed) {
		p.heads++
	}
	if strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") {
		p.until = trimmed[:3]
		return true
	}
	if m := ask("element").parts(s); m != nil {
		if closing := "</" + m[1] + ">"; !strings.Contains(s, closing) {
			p.until = closing
		}
		return true
	}
	if strings.HasPrefix(s, "    ") && p.block == nil && !ask("bullet").of(s) {
		return true // CommonMark 4.4, indented code
	}
	return strings.ContainsRune("#>|", rune(trimmed[0])) || ask("shown").of(s) || dense(trimmed)
}

// dense says whether a line has more signs than words have: code, a table of
// numbers.
func dense(s string) bool {
	signs, letters := 0, 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			letters++
		} else if !strings.ContainsRune(" .,'`", r) {
			signs++
		}
	}
	return signs > letters
}

func (p *reader) say(s, trimmed string) {
	if rest := ask("bullet").cut(s); rest != s {
		p.flush()
		trimmed = rest
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
