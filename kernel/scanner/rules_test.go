package scanner

import (
	"context"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Every rule of ours finds its positive examples alone, and lets its negative
// ones pass. (Alone: a finding by another rule in the same text hides a rule
// that never fires.)
func TestRulesOnTheirExamples(t *testing.T) {
	eachOwn(t, func(spec ruleSpec, r *rule) {
		e := newEngine([]*rule{r})
		for i, c := range spec.Tests {
			text := expand(c.Text)
			if got := fires(t, e, text); got != c.Want {
				t.Errorf("%s: test %d: found %v, want %v in %q", spec.ID, i, got, c.Want, text)
			}
		}
	})
}

// eachOwn calls f with each rule of ours.
func eachOwn(t testing.TB, f func(spec ruleSpec, r *rule)) {
	t.Helper()
	files, err := ownFiles()
	if err != nil {
		t.Fatal(err)
	}
	specs, err := loadOwn(files)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range specs {
		r, err := newRule(spec)
		if err != nil {
			t.Fatal(err)
		}
		f(spec, r)
	}
}

func fires(t *testing.T, e *engine, text string) bool {
	t.Helper()
	found := false
	list, err := views(context.Background(), Field{Name: "content", Text: text}, &prefixes{})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range list {
		if err := e.run(context.Background(), v, &windows{}, func(*match) bool { found = true; return true }); err != nil {
			t.Fatal(err)
		}
	}
	return found
}

var templated = regexp.MustCompile(`\{\{(an|AN|lan|al|hex|HEX|dg|b32|lb32|b64|b64u|words|open):?(\d*)\}\}`)

var alphabets = map[string]string{
	"an":   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
	"AN":   "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
	"al":   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
	"lan":  "abcdefghijklmnopqrstuvwxyz0123456789",
	"hex":  "0123456789abcdef",
	"HEX":  "0123456789ABCDEF",
	"b32":  "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
	"lb32": "abcdefghijklmnopqrstuvwxyz234567",
	"b64u": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-",
	"dg":   "0123456789",
	"b64":  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/",
}

// expand makes up the secrets of a test, the same in every run.
func expand(text string) string {
	rnd := rand.New(rand.NewPCG(1, uint64(len(text))))
	return templated.ReplaceAllStringFunc(text, func(tag string) string {
		m := templated.FindStringSubmatch(tag)
		n, _ := strconv.Atoi(m[2])
		switch m[1] {
		case "open":
			return "{{"
		case "words":
			return strings.TrimSpace(strings.Repeat("river stone apple ", n/3))
		}
		return random(rnd, alphabets[m[1]], n)
	})
}

func random(rnd *rand.Rand, alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[rnd.IntN(len(alphabet))]
	}
	// A letter and a digit, whatever the dice say.
	if n >= 2 && strings.ContainsAny(alphabet, "a") && strings.Contains(alphabet, "7") {
		b[0], b[n/2] = 'a', '7'
	}
	return string(b)
}
