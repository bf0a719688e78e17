package recall

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed kinds.txt
var kindTable string

// questionKind is what a question asks for, by its words.
type questionKind struct {
	roles   [3]float64 // what the words of user, assistant and tool count
	sign    string
	phrases []string
}

var (
	kinds, signs = map[string]*questionKind{}, map[string][]string{}
	kindNames    []string // in their order
)

func init() {
	for line := range strings.Lines(kindTable) {
		head, list, _ := strings.Cut(strings.TrimSpace(line), ": ")
		f := strings.Fields(head)
		phrases := strings.Split(list, ", ")
		switch {
		case len(f) == 0 || f[0] == "#":
		case f[0] == "kind":
			k := &questionKind{sign: f[5]}
			if _, err := fmt.Sscan(strings.Join(f[2:5], " "), &k.roles[0], &k.roles[1], &k.roles[2]); err != nil {
				panic("kinds.txt: " + line)
			}
			kinds[f[1]], kindNames = k, append(kindNames, f[1])
		case f[0] == "is":
			kinds[f[1]].phrases = phrases
		case f[0] == "sign":
			signs[f[1]] = phrases
		}
	}
}

// kindOf returns the kind of a question and its name, or nil.
func kindOf(question string) *questionKind {
	text := plain(question)
	for _, name := range kindNames {
		if saysAny(text, kinds[name].phrases) {
			return kinds[name]
		}
	}
	return nil
}

// plain is a text in small letters whose words stand between single spaces.
func plain(text string) string {
	return " " + strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return strings.ContainsRune(" \t\n,.;:?!()\"*-", r)
	}), " ") + " "
}

// saysAny reports whether a plain text has one of the phrases. One without letters
// may be anywhere.
func saysAny(text string, phrases []string) bool {
	for _, p := range phrases {
		if strings.Contains(text, " "+p+" ") || len(p) == 1 && strings.Contains(text, p) {
			return true
		}
	}
	return false
}

// signed reports whether a passage has the sign of an answer of this kind.
func (k *questionKind) signed(places []turnPlace, i int) bool {
	p := &places[i]
	switch k.sign {
	case "end":
		return int(p.row.turn) >= p.of.Turns-lastTurns
	case "closing":
		for at := p.next; p.row.role == assistantRole; at = places[at].next {
			if at < 0 {
				return int(p.row.turn) == p.of.Turns-1
			}
			if places[at].row.turn != p.row.turn {
				return places[at].row.role == userRole
			}
		}
		return false
	}
	return (k.sign != "standing" || p.row.role == userRole) && saysAny(plain(passageText(p.turn.Content, &p.row)), signs[k.sign])
}

// lastTurns is how many turns are the end of a conversation.
const lastTurns = 6
