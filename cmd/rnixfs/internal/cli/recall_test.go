package cli

import (
	"strings"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/vfs"
)

// Who reads the results from the top hears first that they are not the last word.
func TestBehindFirst(t *testing.T) {
	var b strings.Builder
	showResults(&b, &vfs.RecallReply{Behind: true, Results: []vfs.RecallResult{{Summary: "the gateway uses port 8443"}}}, false)
	if !strings.HasPrefix(b.String(), "more is still being indexed") {
		t.Error(b.String())
	}
}
