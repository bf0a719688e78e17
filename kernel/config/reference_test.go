package config_test

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rnixfs/rnixfs/kernel/config"
)

var root = filepath.Join("..", "..")

// TestReferenceFile: memory.yaml has every key, in the order of the settings, with its
// default below a comment, and is the file at the repository's root.
func TestReferenceFile(t *testing.T) {
	path := filepath.Join(root, "memory.yaml")
	data, err := os.ReadFile(path)
	must(t, err)
	if string(data) != config.Reference() {
		t.Error("memory.yaml at the root is not that of the settings")
	}
	names := config.Presets()
	if list := strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]; !strings.Contains(string(data), list) {
		t.Errorf("memory.yaml does not name the presets: %s", list)
	}
	l, err := config.Load(context.Background(), config.Sources{Explicit: path})
	must(t, err)
	if !l.Config.Equal(config.Default()) {
		t.Errorf("it loads to %+v, not to the defaults", l.Config)
	}
	lines, before := strings.Split(string(data), "\n"), 0
	for _, s := range config.Settings() {
		at := l.Origin[s.Key].Line
		if at <= before || !strings.HasPrefix(strings.TrimSpace(lines[at-2]), "# ") || strings.Contains(lines[at-1], "#") {
			t.Errorf("%s: line %d, after line %d, is out of order or has no comment above it", s.Key, at, before)
		}
		before = at
	}
	if n := leaves(reflect.TypeFor[config.Config]()); len(l.Origin) != n || len(config.Settings()) != n {
		t.Errorf("the file has %d keys, the settings %d, the struct %d", len(l.Origin), len(config.Settings()), n)
	}
}

// leaves counts the fields of a struct and of the structs in it.
func leaves(t reflect.Type) int {
	n := 0
	for i := range t.NumField() {
		if f := t.Field(i).Type; f.Kind() == reflect.Struct && f != reflect.TypeFor[config.Embeddings]() {
			n += leaves(f)
		} else {
			n++
		}
	}
	return n
}

// TestEachSettingHasAFieldOfItsOwn changes one key at a time and looks what else
// changes.
func TestEachSettingHasAFieldOfItsOwn(t *testing.T) {
	other := map[string]string{
		"store.overflow_policy": "fifo", "writeback.model": `"m"`, "inject.order": "project_first",
		"mount.deadline": "7s", "rpc.socket": `"sock"`, "context.max_tokens": "777",
		"context.share": "none", "context.order": "[session, memory]", "context.header": `"<a>\n"`, "context.footer": `"</a>"`, "context.line": `"- {content}"`,
		"writeback.command": `["claude", "-p", ""]`, "writeback.prompt": `"f"`, "llm.api": `"anthropic"`, "mcp.tools": `"rnix"`,
		"llm.base_url": `"https://x/v1"`, "llm.model": `"m"`, "llm.api_key_env": `"KEY"`, "llm.timeout": "7s", "llm.max_input_tokens": "7777", "log.level": "debug", "scanner.rules": `"f"`,
		"scopes": `{global: {as: global_memory}, notes: {owner: user, keep: ram, chars: 7, entries: 7, overflow: fifo, ttl: "14d", then: archive, recall: false}}`, "score.importance": "0.77", "score.recency": "0.77",
		"categories":        `{note: {scope: memory, pinned: false, ttl: "never", then: remove, on_key: append, require: ["a"], type: "episodic", importance: 0, text: page}}`,
		"tools":             `{t: {device: "commit", description: "d", args: {a: {type: "string", required: true, one_of: ["b"], default: "b", as: {"c: d": "b"}}}, request: {"action": "add", "content": "$a # <x>\x7f"}, reply: {"all": {"$each": "$entries", "n": [1.5, true, null]}}}}`,
		"preset":            `["rnix"]`,
		"recall.embeddings": `{base_url: "http://[::1]:8080/v1", model: "m", api_key_env: "KEY", document_prefix: "d: ", query_prefix: "Instruct: x\nQuery: ", allow_remote: true}`,
		"knowledge":         `[{man: [1, 5], path: "/p"}, {dir: "~/d", glob: "**/*.md"}]`,
		"scanner.allow":     `[{match: "[a-z]+ # x", reason: "as \"documented\""}]`,
	}
	for _, s := range config.Settings() {
		value := other[s.Key]
		switch {
		case value != "":
		case s.Default == "reject":
			value = "warn"
		case s.Default == "off":
			value = "redact"
		case s.Default == "true":
			value = "false"
		case s.Default == "false":
			value = "true"
		default:
			value = "77"
		}
		doc := s.Key + ": " + value
		if section, leaf, dotted := strings.Cut(s.Key, "."); dotted {
			doc = section + ": {" + leaf + ": " + value + "}"
		}
		if s.Key == "mcp.tools" { // of a preset that is in force
			doc = "preset: [rnix]\n" + doc
		}
		got, err := load(t, doc)
		must(t, err)
		want := []config.Difference{{Key: s.Key, Old: s.Default, New: value, Restart: s.Restart}}
		brought := func(d config.Difference) bool {
			return d.Key != s.Key && strings.Contains(doc, "preset") && (d.Key == "preset" || d.Key == "tools")
		}
		if diff := cmp.Diff(want, slices.DeleteFunc(config.Differences(config.Default(), got.Config), brought)); diff != "" {
			t.Errorf("%s: %s", doc, diff)
		}
	}
}

func TestDocumentedKeys(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, "docs", "configuration.md"))
	must(t, err)
	rows := 0
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "| `") {
			rows++
		}
	}
	for _, s := range config.Settings() {
		if row := "| `" + s.Key + "` | `" + s.Default + "` |"; !strings.Contains(string(data), row) {
			t.Errorf("docs/configuration.md has no row %s", row)
		}
	}
	if rows != len(config.Settings()) {
		t.Errorf("docs/configuration.md has %d rows, there are %d keys", rows, len(config.Settings()))
	}
}
