package rules

import (
	"regexp"
	"sync"
)

// pattern is a regular expression that is compiled when it is first used. There are
// hundreds, and every command of the program would wait for all of them at its start.
type pattern struct {
	text    string
	compile func() *regexp.Regexp
}

// patterns are all that there are, for the test that compiles them.
var patterns []*pattern

// lazily returns a pattern of a package variable: a test finds out that it is right.
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
func (p *pattern) FindStringSubmatchIndex(s string) []int {
	return p.compile().FindStringSubmatchIndex(s)
}
func (p *pattern) FindAllString(s string, n int) []string { return p.compile().FindAllString(s, n) }
func (p *pattern) FindAllStringIndex(s string, n int) [][]int {
	return p.compile().FindAllStringIndex(s, n)
}

func (p *pattern) ReplaceAllString(s, with string) string {
	return p.compile().ReplaceAllString(s, with)
}

func (p *pattern) ReplaceAllStringFunc(s string, with func(string) string) string {
	return p.compile().ReplaceAllStringFunc(s, with)
}
func (p *pattern) Split(s string, n int) []string { return p.compile().Split(s, n) }
func (p *pattern) String() string                 { return p.text }
