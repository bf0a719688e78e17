package config

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/yamldoc"
)

// ScopeRow is a row of the table of scopes. A cell that is not set has the value of
// the row that is built in; a scope that is added is a project's and kept in files,
// with the limits of store.
type ScopeRow struct {
	Owner    memory.Owner    `yaml:"owner"`
	Keep     memory.Keep     `yaml:"keep"`
	Chars    int             `yaml:"chars"`
	Entries  int             `yaml:"entries"`
	Overflow memory.Overflow `yaml:"overflow"`
	TTL      string          `yaml:"ttl"` // "never", or a lifetime such as 14d
	Then     memory.Then     `yaml:"then"`
	Text     memory.Form     `yaml:"text"`
	Recall   *bool           `yaml:"recall"`
	As       memory.Scope    `yaml:"as"` // another name of that scope; no other cell
}

// Score weighs what an entry is worth.
type Score struct {
	Importance float64 `yaml:"importance"`
	Recency    float64 `yaml:"recency"`
	DecayDays  float64 `yaml:"decay_days"`
}

// Policies is the table of scopes: the rows that are built in, the keys of store, and
// over them the rows of scopes.
func (c *Config) Policies() memory.Policies {
	table := memory.DefaultPolicies()
	for _, scope := range table.Scopes() {
		p := table[scope]
		switch scope {
		case memory.ScopeProject, memory.ScopeGlobal:
			p.Runes = c.Store.MemoryCharLimit
		case memory.ScopeUser:
			p.Runes = c.Store.UserCharLimit
		}
		if scope != memory.ScopeSession {
			p.Overflow = c.Store.OverflowPolicy
		}
		table[scope] = p
	}
	for name, row := range c.Scopes {
		scope := memory.Scope(name)
		p, known := table[scope]
		if row.As != "" {
			table[scope] = memory.Policy{As: row.As}
			continue
		}
		if !known {
			p = memory.Policy{Runes: c.Store.MemoryCharLimit, Overflow: c.Store.OverflowPolicy, Keep: memory.KeepFiles, Owner: memory.OwnerProject, Recall: true}
		}
		table[scope] = row.over(p)
	}
	for _, scope := range table.Scopes() {
		p := table[scope]
		p.Score = memory.Score(c.Score)
		p.ReadOnly = !c.Enabled || scope == memory.ScopeUser && !c.UserProfile.Enabled
		table[scope] = p
	}
	return table
}

// Policies is the table of scopes that holds. What a project's file says holds for the
// project's own scopes alone.
func (l *Loaded) Policies() memory.Policies {
	table, c := l.Own.Policies(), l.Config
	c.Enabled = c.Enabled && l.Own.Enabled
	for scope, p := range c.Policies() {
		if p.Owner == memory.OwnerProject {
			table[scope] = p
		}
	}
	return table
}

// AddedScopes returns the scopes that the rows add, sorted. A mount has a device for
// each.
func (c *Config) AddedScopes() (added []memory.Scope) {
	builtIn := memory.DefaultPolicies()
	for _, name := range slices.Sorted(maps.Keys(c.Scopes)) {
		if _, known := builtIn[memory.Scope(name)]; !known && c.Scopes[name].As == "" {
			added = append(added, memory.Scope(name))
		}
	}
	return added
}

// over lays the cells that are set over a policy.
func (r ScopeRow) over(p memory.Policy) memory.Policy {
	p.Owner, p.Keep, p.Overflow = cmp.Or(r.Owner, p.Owner), cmp.Or(r.Keep, p.Keep), cmp.Or(r.Overflow, p.Overflow)
	p.Runes, p.Entries = cmp.Or(r.Chars, p.Runes), cmp.Or(r.Entries, p.Entries)
	p.Then, p.Text = cmp.Or(r.Then, p.Then), cmp.Or(r.Text, p.Text)
	if r.TTL != "" {
		p.Lifetime, _ = lifetime(r.TTL)
	}
	if r.Recall != nil {
		p.Recall = *r.Recall
	}
	return p
}

// lifetime reads a lifetime, or "never", which is 0.
func lifetime(s string) (time.Duration, error) {
	if s == "never" {
		return 0, nil
	}
	return memory.ParseTTL(s)
}

// lifetimes checks a lifetime.
func lifetimes(value any) (at, reason string) {
	s := value.(string)
	if d, err := lifetime(s); err != nil || d < 0 || d == 0 && s != "never" || d > 36500*24*time.Hour {
		return "", "must be never, or a lifetime such as 90m, 12h or 14d"
	}
	return "", ""
}

const maxScopes = 64

// taken are the names in a mount that no scope can be added with: its device would
// hide another one.
var taken = []string{"commit", "recall", "profile", "context", "process", "status", "events", "search", "memories", "entries", "knowledge", "s"}

// Taken reports whether no scope can be added with the name.
func Taken(name string) bool { return slices.Contains(taken, name) }

// rows checks the table of scopes.
func rows(value any) (at, reason string) {
	table := value.(map[string]ScopeRow)
	if len(table) > maxScopes {
		return "", fmt.Sprintf("must be at most %d scopes", maxScopes)
	}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		if !memory.Scope(name).Valid() {
			return "." + name, "must be a name of small letters, digits, '_' and '-', at most 40"
		}
		if longWord(name) {
			return "." + name, "must have no word of more than 20 characters"
		}
		if Taken(name) {
			return "." + name, "is the name of a device"
		}
		if cell, reason := table[name].fault(memory.Scope(name)); reason != "" {
			return "." + name + "." + cell, reason
		}
	}
	return "", ""
}

// fault says which cell of a row is out of range, and why.
func (r ScopeRow) fault(scope memory.Scope) (cell, reason string) {
	builtIn, known := memory.DefaultPolicies()[scope]
	cell, reason = faultOf(r)
	only := ScopeRow{As: r.As}
	switch {
	case reason != "":
		return cell, reason
	case r.As != "" && (known || r != only):
		return "as", "is for a name that is not built in, in a row without other cells"
	case known && r.Owner != "" && r.Owner != builtIn.Owner:
		return "owner", "is always " + string(builtIn.Owner) + " for this scope"
	case scope == memory.ScopeUser && r.Recall != nil && *r.Recall:
		return "recall", "must be false: agents are given the profile whole"
	}
	return "", ""
}

// foreign takes out of the rows, which are laid over those before, and lists, what a
// project's file says that is not its to say: it has limits of the project's own scopes
// alone.
func foreign(doc *yamldoc.Document, rows map[string]ScopeRow, before *Config) (problems []yamldoc.Problem) {
	table := before.Policies()
	for name, row := range rows {
		at, p, old := "scopes."+name, table[memory.Scope(name)], before.Scopes[name]
		switch {
		case !doc.Has(at): // a row of a file before
			continue
		case p.Owner != memory.OwnerProject:
			problems = append(problems, doc.At(at, "a project's file has limits of the project's own scopes only; others are for your own memory.yaml"))
			row = old
		}
		for cell, other := range map[string]bool{
			".owner": cmp.Or(row.Owner, p.Owner) != p.Owner, ".keep": cmp.Or(row.Keep, p.Keep) != p.Keep,
			".recall": *cmp.Or(row.Recall, &p.Recall) != p.Recall,
		} {
			if other {
				problems = append(problems, doc.At(at+cell, "counts only in your own memory.yaml or the file of --config"))
			}
		}
		row.Owner, row.Keep, row.Recall = old.Owner, old.Keep, old.Recall
		if rows[name] = row; p == (memory.Policy{}) { // there is no such scope
			delete(rows, name)
		}
	}
	return problems
}
