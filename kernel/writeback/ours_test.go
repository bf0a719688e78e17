package writeback

import (
	"testing"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// TestOurs: what a person or an agent wrote is not the writeback's to replace, nor what
// came with a repository.
func TestOurs(t *testing.T) {
	for source, want := range map[[2]string]bool{
		{"human", "commit"}: false, {"edit", "edit"}: false, {"agent", "commit"}: false, {"imported", "found"}: false,
		{"extracted", "writeback"}: true, {"imported", "legacy"}: true,
	} {
		e := &memory.Entry{Source: memory.Source{Trust: memory.Trust(source[0]), Road: source[1]}}
		if ours(e) != want {
			t.Errorf("%v: %v", source, !want)
		}
	}
}
