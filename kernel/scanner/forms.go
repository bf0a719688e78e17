package scanner

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// tokenSpec is a vendor's token in short: rules/vendors_*.toml has some two
// hundred. Each becomes a rule rnix-token-<id> with tests of its own.
//
// A form is a text that begins with a prefix of two characters or more, in
// which {an:36} stands for 36 letters and digits and {an:20,40} for 20 to 40; at
// the end of a form there may be more. The classes are those of [formClasses];
// {uuid} is a UUID.
type tokenSpec struct {
	ID     string   `toml:"id"`
	Vendor string   `toml:"vendor"`
	Forms  []string `toml:"forms"`
}

var formClasses = map[string]string{
	"an":   `[A-Za-z0-9]`,
	"lan":  `[a-z0-9]`,
	"AN":   `[A-Z0-9]`,
	"al":   `[A-Za-z]`,
	"dg":   `[0-9]`,
	"hex":  `[0-9a-f]`,
	"HEX":  `[0-9A-F]`,
	"b32":  `[A-Z2-7]`,
	"b64":  `[A-Za-z0-9+/=]`,
	"b64u": `[\w-]`,
}

const uuidForm = `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`

var formPart = regexp.MustCompile(`\{(?:(uuid)|(\w+):(\d+)(?:,(\d+))?)\}`)

// leastPrefix is how long the literal beginning of a form is at least: it is the
// keyword.
const leastPrefix = 2

// rule turns a token into a rule as it could have been written by hand.
func (t tokenSpec) rule() (ruleSpec, error) {
	s := ruleSpec{
		gitleaksKeys: gitleaksKeys{ID: "rnix-token-" + t.ID, Description: t.Vendor + " token"},
		placeKeys: placeKeys{
			Near: "token", Window: []int{2, 240},
			Views: []string{"raw", "normalised", "unescaped", "joined", "decoded", "pair"},
		},
		Category: CategorySecret, Filter: "token",
	}
	if t.Vendor == "" || len(t.Forms) == 0 {
		return s, errors.New("vendor and forms are required")
	}
	var all []string
	for _, f := range t.Forms {
		re, prefix, err := form(f)
		if err != nil {
			return s, fmt.Errorf("form %q: %w", f, err)
		}
		all = append(all, re)
		s.Keywords = append(s.Keywords, strings.ToLower(prefix))
		s.Tests = append(s.Tests,
			ruleTest{Text: "the key (" + example(f) + "), of course", Want: true},
			ruleTest{Text: "tokens begin with " + prefix + ", then come letters", Want: false})
	}
	s.Regex = `\b(` + strings.Join(all, "|") + `)`
	return s, nil
}

// form returns the expression of a form and its prefix.
func form(f string) (re, prefix string, err error) {
	parts := formPart.FindAllStringSubmatchIndex(f, -1)
	if len(parts) == 0 || parts[0][0] < leastPrefix {
		return "", "", fmt.Errorf("want a prefix of %d characters, and a class", leastPrefix)
	}
	var b strings.Builder
	at := 0
	for i, m := range parts {
		b.WriteString(regexp.QuoteMeta(f[at:m[0]]))
		at = m[1]
		if m[2] >= 0 {
			b.WriteString(uuidForm)
			continue
		}
		class, ok := formClasses[f[m[4]:m[5]]]
		if !ok {
			return "", "", fmt.Errorf("no class %s", f[m[4]:m[5]])
		}
		count := f[m[6]:m[7]]
		switch {
		case i == len(parts)-1 && at == len(f):
			count += ","
		case m[8] >= 0:
			count += "," + f[m[8]:m[9]]
		}
		b.WriteString(class + "{" + count + "}")
	}
	b.WriteString(regexp.QuoteMeta(f[at:]))
	return b.String(), f[:parts[0][0]], nil
}

// example returns the form as a rule's test has it: the test makes up what the
// classes stand for.
func example(f string) string {
	return formPart.ReplaceAllStringFunc(f, func(part string) string {
		m := formPart.FindStringSubmatch(part)
		if m[1] != "" {
			return "{{hex:8}}-{{hex:4}}-{{hex:4}}-{{hex:4}}-{{hex:12}}"
		}
		return "{{" + m[2] + ":" + m[3] + "}}"
	})
}
