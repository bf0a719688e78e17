package rules

import (
	_ "embed"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// source is the data of the rules. Its first lines say how it is written.
//
//go:embed rules.txt
var source string

// row is a test, the cause of a failure, or a rule.
type row struct {
	name          string
	category      Category // of a rule, as what follows
	importance    float64
	flags         string           // between spaces
	forms         []*regexp.Regexp // of which a text has one or none
	needs, unless *regexp.Regexp   // nil: anything, nothing
}

func (r *row) is(flag string) bool { return strings.Contains(r.flags, " "+flag+" ") }

// parts returns the groups of the first form that a text has, nil for none.
func (r *row) parts(text string) []string {
	for _, form := range r.forms {
		if m := form.FindStringSubmatch(text); m != nil {
			return m
		}
	}
	return nil
}

func (r *row) of(text string) bool { return r.parts(text) != nil }

// cut takes off what of a text has the form.
func (r *row) cut(text string) string {
	if m := r.parts(text); m != nil {
		return text[len(m[0]):]
	}
	return text
}

// drop leaves out all that has the first form.
func (r *row) drop(text string) string { return r.forms[0].ReplaceAllString(text, "") }

// table is the data, compiled.
type table struct {
	rules, causes []*row
	tests         map[string]*row
}

// data compiles the table when it is first used: every command of the program would
// wait for it at its start.
var data = sync.OnceValue(func() *table { return parse(source) })

// ask returns the test with a name.
func ask(name string) *row { return data().tests[name] }

// parse reads the data. A mistake in it panics in the first test that runs.
func parse(text string) *table {
	t := &table{tests: map[string]*row{}}
	var names []string
	var last *row
	for line := range strings.Lines(text) {
		word, rest, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
		field := strings.SplitN(rest+"   ", " ", 4)
		named := strings.NewReplacer(names...).Replace
		compile := func(from string) *regexp.Regexp {
			return regexp.MustCompile("(?i)" + from + "(?:" + named(rest) + ")")
		}
		switch word {
		case "let":
			names = append(names, "{"+field[0]+"}", named(strings.TrimSpace(rest[len(field[0]):])))
		case "test", "cause":
			last = &row{name: rest}
			t.tests[rest] = last
			if word == "cause" {
				t.causes = append(t.causes, last)
			}
		case "rule":
			last = &row{name: field[0], category: Category(field[1]), flags: " " + field[3]}
			last.importance, _ = strconv.ParseFloat(field[2], 64)
			t.rules = append(t.rules, last)
		case "is":
			last.forms = append(last.forms, compile("^"))
		case "has":
			last.forms = append(last.forms, compile(""))
		case "needs":
			last.needs = compile("")
		case "unless":
			last.unless = compile("")
		}
	}
	return t
}
