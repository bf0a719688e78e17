package config

import (
	_ "embed"
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

//go:embed memory.yaml
var reference string

// Reference returns the commented memory.yaml with every key at its default: what a new
// user gets.
func Reference() string { return reference }

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
