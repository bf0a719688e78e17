package scanner

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// The categories of findings. The list is closed; rules of users have one of
// these, too.
const (
	CategorySecret       = "secret"           // tokens, keys, recovery phrases
	CategoryCredential   = "credential"       // passwords, and what stands in URLs and headers
	CategoryInjection    = "prompt-injection" // orders to the reader of the memory
	CategoryExfiltration = "exfiltration"     // sends secrets away
	CategoryDangerous    = "dangerous-code"   // destroys, or gives a stranger a shell
	CategoryBackdoor     = "backdoor"         // lets a stranger come back
	CategoryUnicode      = "unicode"          // characters that a reader can't see
	CategoryPII          = "pii"              // addresses, numbers of cards and accounts
)

// Action is what a finding does to a text.
type Action string

// The actions, from the strictest on.
const (
	Reject Action = "reject" // the text must not be stored
	Mask   Action = "redact" // the text may be stored once it is redacted
	Warn   Action = "warn"   // the text may be stored; someone should know
	Off    Action = "off"    // not looked for
)

var actions = []Action{Reject, Mask, Warn, Off}

// DefaultPolicy has the action of each category for which [Options].Policy says nothing.
// Personal data is off: a memory of people consists of it.
func DefaultPolicy() map[string]Action {
	return map[string]Action{
		CategorySecret: Reject, CategoryCredential: Reject, CategoryInjection: Reject, CategoryExfiltration: Reject,
		CategoryDangerous: Reject, CategoryBackdoor: Reject, CategoryUnicode: Reject, CategoryPII: Off,
	}
}

// Categories returns the names of all categories, sorted.
func Categories() []string { return slices.Sorted(maps.Keys(DefaultPolicy())) }

// hints say how to go on, by category.
var hints = map[string]string{
	CategorySecret:       "store where the secret is kept, or a placeholder (<token>), not the secret",
	CategoryCredential:   "store where the credential is kept, or a placeholder (<password>), not the credential",
	CategoryInjection:    "store what is known as a fact, without orders to the reader",
	CategoryExfiltration: "store what must not be sent and where, without the order or the command",
	CategoryDangerous:    "say in the same sentence that the command must not be run, or leave it out",
	CategoryBackdoor:     "say in the same sentence that this must not be done, or leave it out",
	CategoryUnicode:      "write the text again without invisible and look-alike characters",
	CategoryPII:          "store a name or a reference instead of the number or address",
}

// policy is the policy in force.
type policy map[string]Action

func newPolicy(set map[string]Action) (policy, error) {
	p := policy(DefaultPolicy())
	for _, c := range slices.Sorted(maps.Keys(set)) {
		if _, ok := p[c]; !ok {
			return nil, fmt.Errorf("policy: no category %q: want one of %s", c, strings.Join(Categories(), ", "))
		}
		if !slices.Contains(actions, set[c]) {
			return nil, fmt.Errorf("policy: %s: no action %q: want reject, redact, warn or off", c, set[c])
		}
		p[c] = set[c]
	}
	return p, nil
}

// of returns what a rule's findings do: what its category says, or less if the
// rule says so.
func (p policy) of(category string, own Action) Action {
	return actions[max(slices.Index(actions, p[category]), slices.Index(actions, own))]
}

// Exception lets pass what a rule would find. All that is set must agree, and a
// reason is required.
type Exception struct {
	Rule   string // id of the rule
	Match  string // expression that the whole value must match
	SHA256 string // of the value, in hexadecimal
	// Fingerprint is that of the finding.
	Fingerprint string
	Reason      string // why it is no secret, for readers of the configuration
}

// exception is an [Exception] with its expression compiled.
type exception struct {
	Exception
	match *regexp.Regexp
}

func newExceptions(list []Exception, known map[string]bool) ([]exception, error) {
	var out []exception
	for i, e := range list {
		x, err := newException(e, known)
		if err != nil {
			return nil, fmt.Errorf("allow %d: %w", i+1, err)
		}
		out = append(out, x)
	}
	return out, nil
}

func newException(e Exception, known map[string]bool) (x exception, err error) {
	switch {
	case strings.TrimSpace(e.Reason) == "":
		return x, errors.New("a reason is required")
	case e.Rule == "" && e.Match == "" && e.SHA256 == "" && e.Fingerprint == "":
		return x, errors.New("want a rule, an expression, a SHA-256 or a fingerprint")
	case e.Rule != "" && !known[e.Rule]:
		return x, fmt.Errorf("no rule %q", e.Rule)
	}
	x.Exception = e
	if e.Match != "" {
		if x.match, err = regexp.Compile(`^(?s:` + e.Match + `)$`); err != nil {
			return x, fmt.Errorf("match: %w", err)
		}
	}
	if raw, err := hex.DecodeString(e.SHA256); e.SHA256 != "" && (err != nil || len(raw) != sha256.Size) {
		return x, errors.New("sha256: want 64 hexadecimal digits")
	}
	return x, nil
}

func (x *exception) allows(f *Finding, value string) bool {
	return (x.Rule == "" || x.Rule == f.Rule) && (x.Fingerprint == "" || x.Fingerprint == f.Fingerprint) && (x.match == nil || x.match.MatchString(value)) &&
		(x.SHA256 == "" || strings.EqualFold(x.SHA256, fmt.Sprintf("%x", sha256.Sum256([]byte(value)))))
}
