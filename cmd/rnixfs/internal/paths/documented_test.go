package paths

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// TestDocumentedFolders holds docs/protocol.md to the folders that are used.
func TestDocumentedFolders(t *testing.T) {
	t.Setenv("HOME", "/home/ada")
	t.Setenv("XDG_CONFIG_HOME", "")
	p, err := Find()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../../../docs/protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	uid := uint32(os.Getuid())
	for _, scope := range []memory.Scope{memory.ScopeGlobal, memory.ScopeUser} {
		dir := p.Folder(memory.ScopeID{Scope: scope, Owner: fmt.Sprint(uid), UID: uid}, memory.OwnerUser)
		if want := "| `" + strings.Replace(dir, "/home/ada", "~", 1) + "/` |"; !strings.Contains(string(text), want) {
			t.Errorf("docs/protocol.md does not name %s as the folder of %s", want, scope)
		}
	}
}
