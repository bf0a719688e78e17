package rules

import (
	"regexp"
	"strings"
	"sync"
)

// pattern is a regular expression that is compiled when it is first used: every
// command of the program would wait for all of them at its start.
type pattern struct {
	text    string
	compile func() *regexp.Regexp
}

// patterns are all that there are, for the test that compiles them.
var patterns []*pattern

// lazily returns the pattern of a package variable; a test compiles them all.
func lazily(text string) *pattern {
	p := &pattern{text: text}
	p.compile = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(p.text) })
	patterns = append(patterns, p)
	return p
}

func (p *pattern) MatchString(s string) bool            { return p.compile().MatchString(s) }
func (p *pattern) FindString(s string) string           { return p.compile().FindString(s) }
func (p *pattern) FindStringIndex(s string) []int       { return p.compile().FindStringIndex(s) }
func (p *pattern) FindStringSubmatch(s string) []string { return p.compile().FindStringSubmatch(s) }

func (p *pattern) ReplaceAllString(s, with string) string {
	return p.compile().ReplaceAllString(s, with)
}

// firstMatch returns the groups of the first of several patterns that matches.
func firstMatch(list []*pattern, s string) []string {
	for _, p := range list {
		if m := p.FindStringSubmatch(s); m != nil {
			return m
		}
	}
	return nil
}

// words makes a set of the words of a text.
func words(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}
