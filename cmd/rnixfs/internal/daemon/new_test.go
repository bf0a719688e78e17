package daemon

import (
	"testing"

	"github.com/rnixfs/rnixfs/kernel/config"
	"github.com/rnixfs/rnixfs/kernel/memory"
)

// TestScopeNames: no scope can be added whose device would hide another one.
func TestScopeNames(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("XDG_DATA_HOME", "")
	k, err := New(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = k.Close() })
	names := []string{"s"}
	for _, d := range k.Table.Devices() {
		names = append(names, d.Name())
	}
	for _, f := range k.Table.Folders() {
		names = append(names, f.Name())
	}
	for _, name := range names {
		if name == "metrics" || name == "turns" {
			continue // scopes were called so before; their device stays
		}
		if _, builtIn := memory.DefaultPolicies()[memory.Scope(name)]; !builtIn && !config.Taken(name) {
			t.Errorf("a scope can be called %s, as a device is", name)
		}
	}
}
