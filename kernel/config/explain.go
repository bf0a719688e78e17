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

// Reference returns the commented memory.yaml with every key at its default: the
// one in the repository, and what a new user gets.
func Reference() string {
	var b strings.Builder
	b.WriteString(preamble)
	render(&b, func(s setting, indent string) {
		if s.section() == "" && b.Len() > len(preamble) {
			b.WriteByte('\n')
		}
		for line := range strings.SplitSeq(s.doc, "\n") {
			b.WriteString(indent + "# " + line + "\n")
		}
		b.WriteString(indent + s.leaf() + ": " + s.def + "\n")
	})
	return b.String()
}

const preamble = `# memory.yaml: the configuration of rnixfs, with every key at its default.
# Leave out what you do not want to change. See docs/configuration.md.

`

// render writes the headings of the sections and calls line for each key.
func render(b *strings.Builder, line func(s setting, indent string)) {
	section := ""
	for _, s := range settings {
		indent := ""
		if name := s.section(); name != "" {
			indent = "  "
			if name != section {
				b.WriteString("\n" + name + ":\n")
			}
			section = name
		}
		line(s, indent)
	}
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
