package scanner

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// allowList is what a rule of gitleaks lets pass, with gitleaks' meaning: by
// default any of its checks is enough, and stop words look into the value.
type allowList struct {
	all       bool // every check must agree
	target    string
	regexes   []*regexp.Regexp
	stopWords []string // lower case
}

func newAllowList(s allowSpec) (allowList, error) {
	a := allowList{target: s.RegexTarget}
	switch strings.ToUpper(s.Condition) {
	case "", "OR", "||":
	case "AND", "&&":
		a.all = true
	default:
		return a, fmt.Errorf("allow list condition %q", s.Condition)
	}
	switch s.RegexTarget {
	case "", "secret", "match", "line":
	default:
		return a, fmt.Errorf("allow list target %q", s.RegexTarget)
	}
	for _, p := range s.Regexes {
		re, err := regexp.Compile(p)
		if err != nil {
			return a, fmt.Errorf("allow list: %w", err)
		}
		a.regexes = append(a.regexes, re)
	}
	for _, w := range s.StopWords {
		a.stopWords = append(a.stopWords, strings.ToLower(w))
	}
	// A list that also asks for a path or a commit is never satisfied here:
	// memory has neither.
	if a.all && (len(s.Paths) > 0 || len(s.Commits) > 0) {
		a.regexes, a.stopWords = nil, nil
	}
	return a, nil
}

// allows reports whether the list lets a match pass.
func (a *allowList) allows(m *match) bool {
	target := m.value
	switch a.target {
	case "match":
		target = m.whole
	case "line":
		target = m.line()
	}
	byRegex := matchesAny(a.regexes, target)
	byWord := containsAny(strings.ToLower(m.value), a.stopWords)
	if !a.all {
		return byRegex || byWord
	}
	return len(a.regexes)+len(a.stopWords) > 0 &&
		(byRegex || len(a.regexes) == 0) && (byWord || len(a.stopWords) == 0)
}

func matchesAny(res []*regexp.Regexp, s string) bool {
	return slices.ContainsFunc(res, func(re *regexp.Regexp) bool { return re.MatchString(s) })
}

func containsAny(s string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, w) })
}
