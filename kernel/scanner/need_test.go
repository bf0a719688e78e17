package scanner

import (
	"encoding/base64"
	"regexp/syntax"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What an expression needs is in every text that it matches, of every expression of
// ours.
func TestNeedIsInEveryMatch(t *testing.T) {
	var rules []*rule
	eachOwn(t, func(_ ruleSpec, r *rule) {
		if tree, err := syntax.Parse(r.pattern, syntax.Perl); err == nil && r.find == nil && !needOf(tree).isNothing() {
			r.need = needOf(tree) // without what the row adds
			rules = append(rules, r)
		}
	})
	if len(rules) < 100 {
		t.Fatalf("%d rules need something", len(rules))
	}
	e := newEngine(rules)
	rapid.Check(t, func(t *rapid.T) {
		i := rapid.IntRange(0, len(rules)-1).Draw(t, "rule")
		text := rapid.StringMatching(strings.ReplaceAll(rules[i].pattern, `\b`, ``)).Draw(t, "text")
		if strings.ContainsAny(text, "ſ\u212A") {
			t.Skip("folds to ASCII: seen in the normalised view")
		}
		w := &windows{}
		w.read(e, text)
		if !e.needs[i].in(w, span{0, len(text)}) {
			t.Fatalf("%s matches %q", rules[i].id, text)
		}
	})
}

// A secret in the middle of much encoded text is found, however far from its ends.
func TestMiddleOfEncodedText(t *testing.T) {
	plain := strings.Repeat("a plain line\n", 1000) + githubToken(1) + "\n" + strings.Repeat("another line\n", 1000)
	if rep := scanText(t, scanner(t), base64.StdEncoding.EncodeToString([]byte(plain))); len(rep.Findings) == 0 {
		t.Error("not found")
	}
}
