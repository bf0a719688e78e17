package config

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/yamldoc"
)

// CategoryRow is a row of the table of categories. A cell that is not set has the
// value of the row that is built in, if there is one.
type CategoryRow struct {
	Scope      memory.Scope `yaml:"scope"`
	Pinned     *bool        `yaml:"pinned"`
	TTL        string       `yaml:"ttl"` // "never", or a lifetime such as 14d
	Then       memory.Then  `yaml:"then"`
	OnKey      memory.OnKey `yaml:"on_key"`
	Require    []string     `yaml:"require"`
	Type       string       `yaml:"type"`
	Importance *float64     `yaml:"importance"`
	Text       memory.Form  `yaml:"text"`
}

// CategoryTable is the table of categories: the rows that are built in, and over them the rows
// of categories.
func (c *Config) CategoryTable() memory.Categories {
	table := memory.DefaultCategories()
	for name, row := range c.Categories {
		table[name] = row.over(table[name])
	}
	return table
}

// over lays the cells that are set over a category.
func (r CategoryRow) over(c memory.Category) memory.Category {
	c.Scope, c.Type, c.Importance = cmp.Or(r.Scope, c.Scope), cmp.Or(r.Type, c.Type), cmp.Or(r.Importance, c.Importance)
	c.Then, c.OnKey, c.Text = cmp.Or(r.Then, c.Then), cmp.Or(r.OnKey, c.OnKey), cmp.Or(r.Text, c.Text)
	if r.Pinned != nil {
		c.Pinned = *r.Pinned
	}
	if r.TTL != "" {
		d, _ := lifetime(r.TTL)
		c.Lifetime = cmp.Or(d, memory.Forever)
	}
	if r.Require != nil {
		c.Require = r.Require
	}
	return c
}

const maxRequired = 32

// categoryRows checks the table of categories.
func categoryRows(value any) (at, reason string) {
	table := value.(map[string]CategoryRow)
	for _, name := range slices.Sorted(maps.Keys(table)) {
		if !word(name) || name != strings.ToLower(name) {
			return "." + name, "must be a name of small letters, digits, '_' and '-', at most 40, with no word of more than 20 characters"
		}
		if cell, reason := faultOf(table[name]); reason != "" {
			return "." + name + "." + cell, reason
		}
	}
	return "", ""
}

// word reports whether s can be a name that is shown in messages.
func word(s string) bool {
	n := len([]rune(s))
	return n > 0 && n <= 40 && !longWord(s) && unicode.IsLetter([]rune(s)[0]) && !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-'
	})
}

var amount = within(1, 100_000_000)

// cellChecks are the checks of the cells of scopes and categories that may be left out.
var cellChecks = map[string]check{
	"owner":      oneOf(memory.OwnerProject, memory.OwnerUser, memory.OwnerSession, memory.OwnerAgent),
	"keep":       oneOf(memory.KeepFiles, memory.KeepRAM),
	"chars":      amount,
	"entries":    amount,
	"overflow":   oneOf(memory.OverflowError, memory.OverflowFIFO, memory.OverflowRelevance),
	"ttl":        lifetimes,
	"then":       oneOf(memory.ThenRemove, memory.ThenArchive),
	"on_key":     oneOf(memory.KeyRefuse, memory.KeyReplace, memory.KeyAppend),
	"text":       oneOf(memory.FormAny, memory.FormLine, memory.FormPage),
	"type":       line(memory.MaxWordRunes),
	"importance": between(0., 1),
	"require":    required,
}

func required(value any) (at, reason string) {
	names := value.([]string)
	if len(names) > maxRequired || slices.ContainsFunc(names, func(name string) bool { return !word(name) }) {
		return "", "must be at most 32 names of metadata, of letters, digits, '_' and '-'"
	}
	return "", ""
}

// faultOf is the first fault of the cells of a row that are set.
func faultOf(row any) (cell, reason string) {
	v := reflect.ValueOf(row)
	for i := range v.NumField() {
		name, value := v.Type().Field(i).Tag.Get("yaml"), v.Field(i)
		if cellChecks[name] == nil || value.IsZero() {
			continue
		}
		if _, reason := cellChecks[name](reflect.Indirect(value).Interface()); reason != "" {
			return name, reason
		}
	}
	return "", ""
}

// homeless are the rows, and the places of context.order, that name a scope which is none,
// or a device.
func homeless(doc *yamldoc.Document, c *Config) (problems []yamldoc.Problem) {
	table := c.Policies()
	scopes := table.Scopes()
	for name, row := range c.Scopes {
		if row.As != "" && !slices.Contains(scopes, row.As) {
			problems = append(problems, doc.At("scopes."+name+".as", "is no scope; a row of scopes adds one"))
		}
	}
	for name, row := range c.Categories {
		switch scope, at := table.Named(row.Scope), "categories."+name+".scope"; {
		case scope == "":
		case scope == memory.ScopeUser:
			problems = append(problems, doc.At(at, "can't be the profile, which has a device of its own"))
		case !slices.Contains(scopes, scope):
			problems = append(problems, doc.At(at, "is no scope; a row of scopes adds one"))
		}
	}
	for name, row := range c.Tools {
		if !slices.Contains(devices, row.Device) && !slices.Contains(c.AddedScopes(), memory.Scope(row.Device)) {
			at := "tools." + name
			if doc.Has(at + ".device") {
				at += ".device"
			}
			problems = append(problems, doc.At(at, "must have a device: %s, or a scope that a row adds", strings.Join(devices, ", ")))
		}
	}
	for i, scope := range c.Context.Order {
		if !slices.Contains(scopes, scope) {
			problems = append(problems, doc.At(fmt.Sprintf("context.order[%d]", i), "is no scope; a row of scopes adds one"))
		}
	}
	return problems
}
