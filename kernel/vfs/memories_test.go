package vfs

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// TestPathOfKey: each key has a path of its own that leads back to it, whatever the others
// are, and no file is at the path of a folder.
func TestPathOfKey(t *testing.T) {
	for key, want := range map[string]string{
		"style": "style", "a/b.md": "a/b.md", "../evil": "%2E.%2Fevil", "..": "%2E.", ".env": "%2Eenv", "a//b": "a%2F%2Fb", "/etc": "%2Fetc",
		"INDEX.md": "%49NDEX.md", "100%": "100%", "a%2Fb": "a%252Fb", "x~": "%78%7E", "メモ/私": "メモ/私", "a/.git/b": "a%2F.git%2Fb", "sed123abc": "%73ed123abc",
	} {
		if got := pathOf(key, false); got != want {
			t.Errorf("%q lies at %q, want %q", key, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfDistinct(rapid.StringMatching(`[a/.%~#I2Fé]{1,5}|INDEX\.md|x\.swp`), rapid.ID[string]).Draw(t, "keys")
		var entries []*memory.Entry
		for _, k := range keys {
			entries = append(entries, &memory.Entry{Key: k, Content: k})
		}
		l := listing("project", entries)
		files := l.Below("")
		if len(files) != len(keys) {
			t.Fatalf("%d files of %d entries: %v", len(files), len(keys), files)
		}
		for path, e := range files {
			if l.File(path) != e || keyOf(path) != e.Key {
				t.Fatalf("%q: at %q is %v", e.Key, path, l.File(path))
			}
			if l.HasFolder(path) {
				t.Fatalf("%q is a file and a folder", path)
			}
			for name := range strings.SplitSeq(path, "/") {
				if name == "" || IsScratch(name) || path == IndexName {
					t.Fatalf("%q has no path: %q", e.Key, path)
				}
			}
		}
	})
}
