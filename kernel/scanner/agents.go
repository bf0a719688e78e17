package scanner

import (
	_ "embed"
	"strings"
)

//go:embed rules/agents.txt
var agentsText string

// agents is the grammar of rules/agents.txt.
var agents = readGrammar(agentsText)

const (
	// signsBefore and signsBehind are how far about a word the signs of an order to an
	// agent are looked for.
	signsBefore, signsBehind = 120, 400
	// signsStep is how far apart two looks are at least.
	signsStep = 200
)

// weights are those of the kinds of signs; a text of enough of them
// poisons.
var weights = map[string]int{"poison": 4, "strong": 3, "sign": 2, "hint": 1}

const enough = 4

// isPoisonous reports whether the text about a word shows enough signs of an order
// to the agent that reads it: consent to everything, no questions, silence, secrets sent
// away.
func isPoisonous(m *match) bool {
	if m.all.start < m.view.weighed {
		return false
	}
	m.view.weighed = m.all.start + signsStep
	text := m.text()
	start, end := max(0, m.all.start-signsBefore), min(len(text), m.all.start+signsBehind)
	s := string(agents.classes(strings.ToValidUTF8(text[start:end], "")))
	seen, weight := map[string]bool{}, 0
	for _, f := range agents.forms {
		if !seen[f.verdict] && f.re.MatchString(s) {
			seen[f.verdict] = true
			kind, _, _ := strings.Cut(f.verdict, "-")
			if weight += weights[kind]; weight >= enough {
				return true
			}
		}
	}
	return false
}
