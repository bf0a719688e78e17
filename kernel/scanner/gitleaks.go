package scanner

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/zricethezav/gitleaks/v8/config"
)

// foreignRules is the number of rules in the default configuration of
// gitleaks 8.30.1. Another number means another version: look at what changed,
// run the parity test, then change this.
const foreignRules = 222

// foreignGeneric is gitleaks' rule for any value next to a word such as key. It
// takes names of programs (tls13.NewEarlySecret, make-test) for values.
const foreignGeneric = "generic-api-key"

// takesNames are other rules of gitleaks that do so, or whose prefix names have.
var takesNames = map[string]bool{
	foreignGeneric: true, "hashicorp-tf-password": true, "curl-auth-header": true, "curl-auth-user": true, "vault-service-token": true,
}

// isForeignName reports whether a value of one of gitleaks' rules is such a name.
func isForeignName(id, v string) bool { return takesNames[id] && (isIdentifier(v) || isPlainName(v)) }

// publicKey is what that rule takes for a key, and no secret: a line of go.sum and the
// fingerprint of an SSH key, too.
var publicKey = regexp.MustCompile(`(?i)public[ _-]?key|\sh1:|_hash\b|\bsha256:[\w+/]{43}`)

// foreignHints say what the proof of analyse.go can't find out about some of
// gitleaks' rules: how far they reach from a keyword in any text that a person
// writes, and what stands there, too. Without them these rules run over the
// whole text, and cost as much as all others together.
var foreignHints = map[string]placeKeys{
	"kubernetes-secret-yaml": {Window: []int{4096, 4096}, Also: []string{"data:"}},
	"curl-auth-user":         {Window: []int{8, 4096}, Also: []string{"-u"}},
	"curl-auth-header":       {Window: []int{8, 4096}, Also: []string{"-h"}},
	"slack-webhook-url":      {Window: []int{24, 96}},
	"private-key":            {Window: []int{8, 16 << 10}, Also: []string{"private key"}},
	"jwt":                    {Near: "long"},
	"vault-service-token":    {Near: "long"},
}

// loadForeign reads gitleaks' default rules. They are decoded here and not by
// config.Translate, because that one
//
//   - panics on a bad expression (regexp.MustCompile),
//   - lets a rule silently replace another of the same id,
//   - counts the extensions of all loads in a package variable, such that a
//     later load in the same process has lost its rules without an error,
//   - compiles all expressions, one after another, at every start.
//
// Its global allow list is not taken over: its first expression,
// (?i)^true|false|null$, lacks a group, so the word "false" anywhere in a match
// hides it. See [globalAllow].
func loadForeign(src string) ([]ruleSpec, error) {
	f, err := parseRules(src)
	if err != nil {
		return nil, fmt.Errorf("gitleaks: %w", err)
	}
	if len(f.Rules) != foreignRules {
		return nil, fmt.Errorf("gitleaks: %d rules, want %d", len(f.Rules), foreignRules)
	}
	specs := slices.DeleteFunc(f.Rules, func(s ruleSpec) bool { return s.Regex == "" }) // only a path
	for i := range specs {
		s := &specs[i]
		s.Category, s.foreign = CategorySecret, true
		for j, k := range s.Keywords {
			s.Keywords[j] = strings.ToLower(k)
		}
		s.placeKeys = foreignHints[s.ID]
		if s.ID == "private-key" {
			s.Redact = "block"
		}
	}
	return specs, nil
}

// defaultForeign is gitleaks' own file, from its module.
func defaultForeign() string { return config.DefaultConfig }

// globalAllow is what no rule of gitleaks reports: a value that as a whole is a
// reference to a secret or no value at all. Every expression is anchored at
// both ends.
var globalAllow = []*regexp.Regexp{
	regexp.MustCompile(`^(?i:true|false|null|nil|none|undefined)$`),
	regexp.MustCompile(`^\$(?:\d+|\w+|\{[^{}]*\}|\([^()]*\)|\{\{[^{}]*\}\})$`), // $NAME, ${NAME}, $(cmd), ${{ x }}
	regexp.MustCompile(`^(?:\{\{[^{}]*\}\}|%\w+%|@\w+@|\{\d{0,2}\})$`),
	regexp.MustCompile(`^%[+\-# 0]?[a-zA-Z]$`),
	regexp.MustCompile(`^/(?:bin|etc|home|opt|tmp|usr|var|Users)/[\w ./-]+$`),
}

// allowedEverywhere reports whether a value of a foreign rule is no secret.
func allowedEverywhere(value string) bool {
	return oneCharacter(value) || matchesAny(globalAllow, value) ||
		strings.Contains(strings.ToLower(value), "abcdefghijklmnopqrstuvwxyz")
}

func oneCharacter(s string) bool {
	return s != "" && strings.Count(s, s[:1]) == len(s)
}
