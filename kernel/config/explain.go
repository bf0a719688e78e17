package config

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"
)

// Explain returns the configuration as a memory.yaml that would load to it, with
// each value's origin as a comment.
func (l *Loaded) Explain() string {
	var b strings.Builder
	const width = 40
	line := func(text, origin string) {
		fmt.Fprintf(&b, "%-*s # %s\n", width, text, strings.NewReplacer("\n", `\n`, "\r", `\r`).Replace(origin))
	}
	render(&b, func(s setting, indent string) {
		rows := s.of(&l.Config)
		if rows.Kind() != reflect.Map || rows.Len() == 0 {
			line(indent+s.leaf()+": "+s.show(&l.Config), l.Origin[s.key].String())
			return
		}
		b.WriteString("\n" + indent + s.leaf() + ":\n")
		for _, name := range names(rows) {
			line(indent+"  "+name.String()+": "+inYAML(rows.MapIndex(name)), l.rowOrigin(s.key, name.String()))
		}
	})
	return b.String()
}

// rowOrigin is where the cells of a table's row came from, the least specific first.
func (l *Loaded) rowOrigin(table, name string) string {
	first := map[Place]int{} // lines, by file or preset
	for key, p := range l.Origin {
		if from := (Place{File: p.File, Preset: p.Preset}); strings.HasPrefix(key, table+"."+name+".") && (first[from] == 0 || p.Line < first[from]) {
			first[from] = p.Line
		}
	}
	var origins []string
	for _, preset := range l.Config.Preset {
		if _, ok := first[Place{Preset: preset}]; ok {
			origins = append(origins, Place{Preset: preset}.String())
		}
	}
	for _, file := range l.Files {
		if line, ok := first[Place{File: file}]; ok {
			origins = append(origins, Place{File: file, Line: line}.String())
		}
	}
	return cmp.Or(strings.Join(origins, ", "), l.Origin[table].String()) // a row without cells
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
