package config

import (
	"embed"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/tool"
	"github.com/rnixfs/rnixfs/kernel/yamldoc"
)

// presets are memory.yaml files, one of each system whose ways rows can say.
//
//go:embed presets/*.yaml
var presets embed.FS

// Presets returns the names of the presets, sorted.
func Presets() (names []string) {
	files, _ := presets.ReadDir("presets") // it is embedded
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".yaml"))
	}
	return names
}

// Preset returns the text of a preset, with its comments.
func Preset(name string) (string, error) {
	if !slices.Contains(Presets(), name) {
		return "", memory.Errorf(memory.KindInvalid, "config print", "unknown preset: %s; it is %s", memory.QuoteName(name), presetNames())
	}
	text, _ := presets.ReadFile(path.Join("presets", name+".yaml"))
	return string(text), nil
}

func presetNames() string {
	names := Presets()
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// presetRows checks the names of presets.
func presetRows(value any) (at, reason string) {
	for i, name := range value.(Words) {
		if !slices.Contains(Presets(), name) {
			return "[" + strconv.Itoa(i) + "]", "must be " + presetNames() + " (got " + shown(name) + ")"
		}
	}
	return "", ""
}

// under lays the presets that a user's own file names under it, and returns which one
// each key came from. Where two disagree about a key, the file must say what holds.
func under(doc *yamldoc.Document, c *Config) (origin map[string]Place, problems []yamldoc.Problem) {
	own := *c
	_ = doc.Decode(&own) // its problems are told of when it is laid over
	origin = map[string]Place{}
	said := map[string]any{}
	for i, name := range own.Preset {
		text, err := Preset(name)
		if err != nil || slices.Contains(own.Preset[:i], name) { // told of by the check; laid already
			continue
		}
		fragment, _ := yamldoc.Parse([]byte(text)) // without problems: a test loads each
		_ = fragment.Decode(c)
		var disputed []string
		for key, value := range cells(fragment) {
			if before, twice := said[key]; twice && !reflect.DeepEqual(before, value) && !doc.Has(key) {
				values := fmt.Sprintf("%v, and %v", value, before)
				if len(values) > 40 {
					values = "otherwise"
				}
				disputed = append(disputed, key+" ("+values+" in "+origin[key].Preset+")")
			}
			said[key], origin[key] = value, Place{Preset: name}
		}
		for _, s := range settings {
			if fragment.Has(s.key) {
				origin[s.key] = Place{Preset: name}
			}
		}
		if slices.Sort(disputed); len(disputed) > 0 {
			problems = append(problems, doc.At("preset["+strconv.Itoa(i)+"]", "contradicts another preset; say in this file what holds of %s", strings.ReplaceAll(strings.Join(disputed, ", "), "\n", `\n`)))
		}
	}
	if named := own.MCP.Tools; slices.Contains(Presets(), named) && !slices.Contains(own.Preset, named) {
		problems = append(problems, doc.At("mcp.tools", "needs the preset itself, whose scopes its tools ask for: preset: [%s]", named))
	}
	return origin, problems
}

// OfferedTools are the tools that mcp.tools names, nil where it names none.
func (c *Config) OfferedTools() map[string]tool.Tool {
	if c.MCP.Tools == "" {
		return nil
	}
	var preset Config
	text, _ := Preset(c.MCP.Tools) // the check knows it
	rows, _ := yamldoc.Parse([]byte(text))
	_ = rows.Decode(&preset) // without problems: a test loads each
	offered := maps.Clone(c.Tools)
	maps.DeleteFunc(offered, func(name string, _ tool.Tool) bool { _, its := preset.Tools[name]; return !its })
	return offered
}

// cells returns the values of a document that are no mappings, by their paths.
func cells(doc *yamldoc.Document) map[string]any {
	var root map[string]any
	_ = doc.Decode(&root) // what it can't be is told of elsewhere
	cells := map[string]any{}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		m, ok := v.(map[string]any)
		if !ok {
			cells[path] = v
			return
		}
		for name, v := range m {
			walk(strings.TrimPrefix(path+"."+name, "."), v)
		}
	}
	walk("", root)
	return cells
}
