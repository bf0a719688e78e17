package config

import (
	"fmt"
	"strings"
)

// Explain returns the configuration as a memory.yaml that would load to it, with
// each value's origin as a comment.
func (l *Loaded) Explain() string {
	var b strings.Builder
	const width = 40
	render(&b, func(s setting, indent string) {
		line := indent + s.leaf() + ": " + s.show(&l.Config)
		origin := strings.NewReplacer("\n", `\n`, "\r", `\r`).Replace(l.Origin[s.key].String())
		fmt.Fprintf(&b, "%-*s # %s\n", width, line, origin)
	})
	return b.String()
}

// Difference is a key whose value changed.
type Difference struct {
	Key      string
	Old, New string // in YAML
	Restart  bool   // whether the new value waits for the next mount
}

// Differences returns the keys in which two configurations differ.
func Differences(old, now Config) []Difference {
	var all []Difference
	for _, s := range settings {
		if was, is := s.show(&old), s.show(&now); was != is {
			all = append(all, Difference{Key: s.key, Old: was, New: is, Restart: s.scope == atMount})
		}
	}
	return all
}

// Equal reports whether no key differs.
func (c Config) Equal(other Config) bool { return len(Differences(c, other)) == 0 }
