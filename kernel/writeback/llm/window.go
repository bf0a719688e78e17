package llm

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// tokens estimates how many tokens a text has, rather too many than too few: four
// characters of ASCII are about one, and so is each other character.
func tokens(text string) int {
	ascii, other := 0, 0
	for _, r := range text {
		if r < utf8.RuneSelf {
			ascii++
		} else {
			other++
		}
	}
	return (ascii+3)/4 + other
}

// runesOf is how much of a turn is shown, by who speaks.
var runesOf = map[process.Role]int{
	process.RoleUser: 2000, process.RoleAssistant: 1200, process.RoleTool: 400, process.RoleSystem: 200,
}

const (
	before  = 6 // turns before the new ones, so that they are understood
	ends    = 4 // turns of the beginning and of the end that come first
	perTurn = 8 // tokens of a turn's heading
)

// window renders the turns that fit into a number of tokens: of the new ones the
// first and the last, then what the user said, then the rest, the latest first;
// and some before them. Each has its index in turns in front of it.
func window(turns []process.Turn, after, budget int) string {
	first := max(0, after-before)
	n := len(turns)
	shown := map[int]string{}
	add := func(i int) {
		if i < first || i >= n || shown[i] != "" || strings.TrimSpace(turns[i].Content) == "" {
			return
		}
		text := clip(turns[i].Content, runesOf[turns[i].Role])
		if cost := tokens(text) + perTurn; cost <= budget {
			budget -= cost
			shown[i] = text
		}
	}
	for i := range ends {
		add(after + i)
		add(n - 1 - i)
	}
	for i := n - 1; i >= after; i-- {
		if turns[i].Role == process.RoleUser {
			add(i)
		}
	}
	for i := n - 1; i >= first; i-- {
		add(i)
	}
	var b strings.Builder
	last := first - 1
	for i := first; i < n; i++ {
		text, ok := shown[i]
		if !ok {
			continue
		}
		if i > last+1 {
			b.WriteString("(...)\n")
		}
		last = i
		who := string(turns[i].Role)
		if turns[i].Tool != "" {
			who += " " + clip(turns[i].Tool, 40)
		}
		if turns[i].Failed {
			who += ", failed"
		}
		if i < after {
			who += ", known already"
		}
		fmt.Fprintf(&b, "[%d] %s: %s\n", i, who, text)
	}
	return b.String()
}

// clip keeps the beginning and the end of a long text.
func clip(text string, most int) string {
	r := []rune(text)
	if len(r) <= most {
		return text
	}
	head := most * 2 / 3
	return string(r[:head]) + " (...) " + string(r[len(r)-(most-head):])
}
