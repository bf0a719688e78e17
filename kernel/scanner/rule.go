package scanner

import (
	"cmp"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
)

// redaction is how much of a text a finding's mask covers.
type redaction uint8

const (
	redactValue     redaction = iota // the value: the secret group, or the match
	redactMatch                      // the whole match
	redactBlock                      // the match up to the end of the key block
	redactURL                        // the match up to the next blank
	redactParagraph                  // the paragraph of the match
)

// redactions are the names that a rule may use.
var redactions = map[string]redaction{
	"value": redactValue, "match": redactMatch, "block": redactBlock, "url": redactURL, "paragraph": redactParagraph,
}

// rule is a rule ready to run. All but its expression is set at load.
type rule struct {
	id, description, category string
	action                    Action // what the rule says; then what the policy says
	redact                    redaction
	user                      bool // a user's
	foreign                   bool // gitleaks': our global allow list applies

	place
	find func(string, func(span)) // instead of an expression

	group   int // of the value; 0 is the first one that is not empty
	entropy float64
	lead    int    // characters of a name before the match that belong to it
	filter  filter // nil accepts everything
	steers  bool   // in a longer text, only where the model of words half agrees
	expression
}

// place is where a rule looks.
type place struct {
	views    viewSet
	keywords []string
	atWord   bool // keywords count at the beginning of a word only
	near     near // nil accepts every keyword
	then     []string
	need     need // of a window
	reach    reach
	word     func(string) bool // for a rule that runs over words
}

// expression is what a rule compiles when it is needed for the first time.
type expression struct {
	pattern string
	allowed []allowSpec
	once    sync.Once
	re      *regexp.Regexp
	allow   []allowList
	err     error
}

// newRule checks a rule's expression and finds out how far it reaches, but
// does not compile it: most rules never run. What compile accepts and what
// syntax.Parse accepts is the same, so nothing can fail later that does not
// fail here; if it did, compile's error fails the scan.
func newRule(s ruleSpec) (*rule, error) {
	r := &rule{
		id: s.ID, description: s.Description, category: s.Category, user: s.file != "", foreign: s.foreign,
		place:      place{keywords: s.Keywords, then: s.Then, atWord: s.Word},
		expression: expression{pattern: s.Regex, allowed: s.Allowlists},
		group:      s.SecretGroup, entropy: s.Entropy, steers: s.Steers,
	}
	r.cutLead()
	tree, err := syntax.Parse(r.pattern, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("rule %s: %w", s.ID, err)
	}
	if s.SecretGroup > tree.MaxCap() {
		return nil, fmt.Errorf("rule %s: no group %d", s.ID, s.SecretGroup)
	}
	r.need = both(needOf(tree), anyWord(s.Also))
	if s.Filter == "secretnear" {
		r.need = both(r.need, secretNear())
	}
	if len(s.Keywords) == 0 && s.Runs == "" && s.Finder == "" {
		r.reach.whole = true // a user's rule: it runs over every text
	} else if len(s.Window) == 2 {
		r.reach = reach{left: s.Window[0], right: s.Window[1]}
	} else {
		r.reach = analyse(tree, s.Keywords)
	}
	if r.lead > 0 && !r.reach.whole && atStart(tree, s.Keywords) {
		r.reach.anchored = true
		r.pattern = "^(?:" + r.pattern + ")"
	}
	if err := r.policy(s); err != nil {
		return nil, fmt.Errorf("rule %s: %w", s.ID, err)
	}
	r.views |= viewToken
	if r.category != CategorySecret || r.lead > 0 || r.word != nil || len(s.Keywords) == 0 || !atStart(tree, s.Keywords) {
		r.views &^= viewToken
	}
	if namesValue(tree, r.pattern, s.Keywords) {
		r.near = nears["assignment"]
	}
	return r, nil
}

// cutLead takes the optional name off the front of an expression, as half of
// gitleaks' rules have it, and leaves it to match to put it back: with it, a
// match may begin anywhere, and every position has to be tried fifty times.
func (r *rule) cutLead() {
	const lead = `[\w.-]{0,50}?`
	for _, flags := range []string{`(?i)`, ``} {
		if rest, ok := strings.CutPrefix(r.pattern, flags+lead); ok {
			r.pattern, r.lead = flags+rest, 50
			return
		}
	}
}

func (r *rule) policy(s ruleSpec) (err error) {
	if r.action = cmp.Or(Action(s.Severity), Reject); !slices.Contains(actions, r.action) {
		return fmt.Errorf("severity %q: want reject, redact, warn or off", s.Severity)
	}
	if r.views, err = parseViews(s.Views); err != nil {
		return err
	}
	return cmp.Or(
		named(&r.redact, redactions, "redaction", s.Redact),
		named(&r.near, nears, "test of what is near", s.Near),
		named(&r.word, wordTests, "test of words", s.Runs),
		named(&r.find, finders, "finder", s.Finder),
		named(&r.filter, filters, "filter", s.Filter),
	)
}

// named sets what a rule names, if it names one.
func named[T any](to *T, table map[string]T, what, name string) error {
	if name == "" {
		return nil
	}
	f, ok := table[name]
	if !ok {
		return fmt.Errorf("no %s %q", what, name)
	}
	*to = f
	return nil
}

// compile makes the expression ready to match. It is called by every scan that
// needs the rule; its error fails the scan.
func (e *expression) compile() error {
	e.once.Do(func() {
		if e.re, e.err = regexp.Compile(e.pattern); e.err != nil {
			return
		}
		for _, a := range e.allowed {
			var l allowList
			if l, e.err = newAllowList(a); e.err != nil {
				return
			}
			e.allow = append(e.allow, l)
		}
		e.allowed = nil
	})
	return e.err
}
