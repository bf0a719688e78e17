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
		if cell, reason := table[name].fault(); reason != "" {
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

var (
	thens  = oneOf(memory.ThenRemove, memory.ThenArchive)
	onKeys = oneOf(memory.KeyRefuse, memory.KeyReplace, memory.KeyAppend)
	forms  = oneOf(memory.FormAny, memory.FormLine, memory.FormPage)
)

// fault says which cell of a row is out of range, and why.
func (r CategoryRow) fault() (cell, reason string) {
	if cell, reason = faultOf([]cellCheck{{"then", thens, r.Then}, {"on_key", onKeys, r.OnKey}, {"text", forms, r.Text}, {"ttl", lifetimes, r.TTL}}); reason != "" {
		return cell, reason
	}
	if _, reason := line(memory.MaxWordRunes)(r.Type); reason != "" {
		return "type", reason
	}
	if r.Importance != nil {
		if _, reason := between(0., 1)(*r.Importance); reason != "" {
			return "importance", reason
		}
	}
	if len(r.Require) > maxRequired || slices.ContainsFunc(r.Require, func(name string) bool { return !word(name) }) {
		return "require", "must be at most 32 names of metadata, of letters, digits, '_' and '-'"
	}
	return "", ""
}

// cellCheck is the check of a cell that may be left out.
type cellCheck struct {
	name  string
	check check
	value any
}

// faultOf is the first fault of the cells that are set.
func faultOf(cells []cellCheck) (cell, reason string) {
	for _, c := range cells {
		if reflect.ValueOf(c.value).IsZero() {
			continue
		}
		if _, reason := c.check(c.value); reason != "" {
			return c.name, reason
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
