package config

import (
	"strings"
	"sync"

	"github.com/rnixfs/rnixfs/kernel/yamldoc"
)

// Default returns the configuration without any memory.yaml.
func Default() Config { return defaults() }

var defaults = sync.OnceValue(func() Config {
	var c Config
	if problems := yamldoc.Decode([]byte(Reference()), &c); len(problems) > 0 {
		panic("config: a setting's default: " + problems[0].Error())
	}
	return c
})

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
