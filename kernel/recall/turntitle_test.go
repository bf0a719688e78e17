package recall

import (
	"slices"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// TestTitle finds a conversation by the words of its title, as it is called now, after
// the index was opened again, and not once it was removed.
func TestTitle(t *testing.T) {
	s := turnStore{
		"a": {{Role: process.RoleUser, Content: "have a look at this file"}, {Role: process.RoleAssistant, Content: "done"}},
		"b": {{Role: process.RoleUser, Content: "the weather is fine"}},
	}
	dir := t.TempDir()
	c := openIndex(t, dir, s)
	feed(t, c, s)
	if got := names(find(t, "zebra stripes", c)); len(got) > 0 {
		t.Errorf("before it has a title: %v", got)
	}
	must(t, c.Add(t.Context(), process.Conversation{UUID: "a", Title: "Painting the zebra"}, nil))
	must(t, c.Flush())
	must(t, c.Close())
	c = openIndex(t, dir, s)
	if got := names(find(t, "zebra stripes", c)); !slices.Contains(got, "a 0") || slices.Contains(got, "b 0") {
		t.Errorf("by its title: %v", got)
	}
	must(t, c.Remove("a"))
	if got := names(find(t, "zebra stripes", c)); len(got) > 0 {
		t.Errorf("after it was removed: %v", got)
	}
}
