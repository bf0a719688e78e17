package writeback_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestMarksGoWithTheirConversations: what is kept of how far a conversation was
// learned from goes when the conversation was removed, and only then.
func TestMarksGoWithTheirConversations(t *testing.T) {
	e := newEnv(t)
	kept := e.talk("kept", "user: Please remember that the cache lives in Redis.")
	gone := e.talk("gone", "user: Please remember that the gateway listens on port 9443.")
	e.end("kept")
	e.end("gone")
	marks := filepath.Join(e.dir, "spool", "learned")
	old := time.Now().Add(-200 * 24 * time.Hour)
	for _, p := range []string{kept.UUID + ".json", gone.UUID + ".json", ".pruned"} {
		must(t, os.Chtimes(filepath.Join(marks, p), old, old))
	}
	must(t, e.talks.Remove(t.Context(), gone.Project, gone.UUID))
	e.talk("other", "user: The linter is run before each push.")
	e.end("other")
	for uuid, want := range map[string]bool{kept.UUID: true, gone.UUID: false} {
		if _, err := os.Stat(filepath.Join(marks, uuid+".json")); (err == nil) != want {
			t.Errorf("%s: %v", uuid, err)
		}
	}
	e.want("The cache lives in Redis.", "The gateway listens on port 9443.")
	if d := e.end("kept"); len(d.Entries) > 0 || len(d.Dropped) > 0 {
		t.Errorf("learned again: %+v", d)
	}
}
