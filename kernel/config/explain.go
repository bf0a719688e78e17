package config

import (
	"fmt"
	"strings"
)

// Setting is one key and what is known about it.
type Setting struct {
	Key     string `json:"key"`     // dotted
	Value   string `json:"value"`   // in YAML
	Default string `json:"default"` // in YAML
	Origin  Place  `json:"origin"`
	Restart bool   `json:"restart"` // whether a change waits for the next mount
	Doc     string `json:"doc"`
}

// Settings returns every key, in the order of the reference.
func (l *Loaded) Settings() []Setting {
	def := Default()
	all := make([]Setting, len(settings))
	for i, s := range settings {
		all[i] = Setting{
			Key: s.name, Value: s.show(&l.Config), Default: s.show(&def),
			Origin: l.Origin[s.name], Restart: s.restart, Doc: s.doc,
		}
	}
	return all
}

// Explain returns the configuration as a memory.yaml that would load to it, with
// each value's origin as a comment.
func (l *Loaded) Explain() string {
	var b strings.Builder
	const width = 40
	render(&b, func(s setting, indent string) {
		line := indent + s.leaf() + ": " + s.show(&l.Config)
		origin := strings.NewReplacer("\n", `\n`, "\r", `\r`).Replace(l.Origin[s.name].String())
		fmt.Fprintf(&b, "%-*s # %s\n", width, line, origin)
	})
	return b.String()
}

// Reference returns the commented memory.yaml with every key at its default: the
// one in the repository, and what a new user gets.
func Reference() string {
	var b strings.Builder
	b.WriteString(preamble)
	def := Default()
	first := true
	render(&b, func(s setting, indent string) {
		if !first && s.section() == "" {
			b.WriteByte('\n')
		}
		first = false
		for line := range strings.SplitSeq(s.doc, "\n") {
			b.WriteString(indent + "# " + line + "\n")
		}
		b.WriteString(indent + s.leaf() + ": " + s.show(&def) + "\n")
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
			all = append(all, Difference{Key: s.name, Old: was, New: is, Restart: s.restart})
		}
	}
	return all
}

// Equal reports whether no key differs.
func (c Config) Equal(other Config) bool { return len(Differences(c, other)) == 0 }
