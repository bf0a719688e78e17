package scanner

import (
	"math/rand/v2"
	"strings"
)

// madeUp returns a text of keywords, separators and token-like words: what the
// rules look for, in all sorts of neighbourhoods.
func madeUp(e *engine, seed uint64) string {
	rnd := rand.New(rand.NewPCG(11, seed))
	seps := []string{" = ", ": ", "=", ":", " is ", `": "`, " => ", "\n", " ", "; ", "_key=", "_token: ", "-secret = '", "\"", "'", `\n`, ", ", ".", "(", ")"}
	lengths := []int{8, 16, 20, 24, 32, 36, 40, 43, 56, 64, 80, 100, 300}
	var b strings.Builder
	for range 1 + rnd.IntN(24) {
		switch rnd.IntN(5) {
		case 0:
			b.WriteString(seps[rnd.IntN(len(seps))])
		case 1:
			b.WriteString(strings.Repeat("plain words ", rnd.IntN(30)))
		default:
			r := e.rules[rnd.IntN(len(e.rules))]
			if len(r.keywords) > 0 {
				b.WriteString(r.keywords[rnd.IntN(len(r.keywords))])
			}
			b.WriteString(seps[rnd.IntN(len(seps))])
			names := []string{"an", "AN", "hex", "dg", "b64"}
			b.WriteString(random(rnd, alphabets[names[rnd.IntN(len(names))]], lengths[rnd.IntN(len(lengths))]))
			b.WriteString(seps[rnd.IntN(len(seps))])
		}
	}
	return b.String()
}
