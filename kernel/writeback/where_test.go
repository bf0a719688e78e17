package writeback_test

import (
	"path/filepath"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/writeback/spool"
)

// TestHandedOverFromElsewhere: whoever hands over a conversation of another project
// teaches nobody, and what was not learned then is learned when its own project
// hands it over.
func TestHandedOverFromElsewhere(t *testing.T) {
	e := newEnv(t)
	e.where = filepath.Dir // of /src/api/x it is /src/api
	e.open()
	e.talk("s", "user: Please remember that the gateway listens on port 9443.")
	code := 0
	for _, dir := range []string{"/src/web/x", "/src", ""} {
		d := e.finish(spool.Job{Agent: "test", External: "s", Event: "SessionEnd", ExitCode: &code, UID: uid, Project: dir})
		if d.Verdict != "the conversation is of another project" || len(d.Marks) > 0 || len(d.Entries) > 0 {
			t.Errorf("%q: %+v", dir, d)
		}
	}
	e.want()
	if all := e.entries("user"); len(all) > 0 {
		t.Errorf("the profile has %d entries", len(all))
	}
	e.finish(spool.Job{Agent: "test", External: "s", Event: "SessionEnd", ExitCode: &code, UID: uid, Project: project + "/x"})
	e.want("The gateway listens on port 9443.")

	// Who was let in by the device has been asked there.
	e.talk("t", "user: Please remember that the cache lives in Redis.")
	e.finish(spool.Job{Agent: "test", Process: process.ID(uid, "test", "t"), Event: "end", ExitCode: &code, UID: uid, Project: project})
	e.want("The gateway listens on port 9443.", "The cache lives in Redis.")
}
