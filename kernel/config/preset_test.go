package config_test

import (
	"strings"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/config"
	"github.com/rnixfs/rnixfs/kernel/memory"
)

// TestEachPresetLoads as a file of its own, and named by one, to the same, and what is
// printed of it loads to the same again.
func TestEachPresetLoads(t *testing.T) {
	if len(config.Presets()) < 5 {
		t.Fatalf("there are %v", config.Presets())
	}
	for _, name := range config.Presets() {
		text, err := config.Preset(name)
		must(t, err)
		alone, err := load(t, text)
		must(t, err)
		named, err := load(t, "preset: "+name+"\n")
		must(t, err)
		named.Config.Preset = alone.Config.Preset
		if d := config.Differences(alone.Config, named.Config); len(d) > 0 {
			t.Errorf("%s: alone and named differ: %v", name, d)
		}
		if again, err := load(t, alone.Explain()); err != nil || !again.Config.Equal(alone.Config) {
			t.Errorf("%s: what is printed does not load to the same: %v", name, err)
		}
		for key := range alone.Origin {
			scope, cell, row := strings.Cut(strings.TrimPrefix(key, "scopes."), ".")
			if row && strings.HasPrefix(key, "scopes.") && (cell == "overflow" || cell == "chars") && memory.DefaultPolicies()[memory.Scope(scope)].Overflow != "" && scope != "session" {
				t.Errorf("%s: %s would win over the user's key of store", name, key)
			}
		}
	}
}

func TestOwnRowsWinOverPresets(t *testing.T) {
	l, err := load(t, `preset: [rnix, infraware, a3s]
store: {overflow_policy: relevance}
scopes: {working: {entries: 3}, session: {ttl: 1d}}
categories: {preference: {text: any}, restriction: {pinned: false}, metric: {on_key: replace}}
`)
	must(t, err)
	table, kinds := l.Own.Policies(), l.Own.CategoryTable()
	if p := table["working"]; p.Entries != 3 || p.Overflow != memory.OverflowRelevance || p.Keep != memory.KeepRAM || p.Owner != memory.OwnerSession {
		t.Errorf("working is %+v", p)
	}
	if p := table[memory.ScopeProject]; p.Entries != 200 || p.Overflow != memory.OverflowRelevance {
		t.Errorf("memory is %+v", p)
	}
	if c := kinds["restriction"]; c.Pinned || c.Text != memory.FormLine {
		t.Errorf("restriction is %+v", c)
	}
	if kinds["preference"].Text != memory.FormAny || kinds["success"].Type != "procedural" || kinds["metric"].OnKey != memory.KeyReplace {
		t.Errorf("categories are %+v", kinds)
	}
	text := l.Explain()
	for _, want := range []string{
		"  overflow_policy: relevance             # " + l.Files[0] + ":2\n",
		"  memory_char_limit: 50000               # preset rnix\n",
		"  working: {owner: session, keep: ram, entries: 3, overflow: relevance} # preset a3s, " + l.Files[0] + ":3\n",
		"  host_info: {scope: session, text: line} # preset infraware\n",
		"  metric: {on_key: replace}              # " + l.Files[0] + ":4\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}
