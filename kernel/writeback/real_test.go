package writeback_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/process/transcript"
	"github.com/rnixfs/rnixfs/kernel/writeback/spool"
)

// TestFixedPointOfRealConversations writes real conversations back again and
// again, as if they had not been learned from: the memory stays as it is.
func TestFixedPointOfRealConversations(t *testing.T) {
	data := os.Getenv("RNIXFS_EVAL_DATA")
	if data == "" {
		t.Skip("RNIXFS_EVAL_DATA names no folder with conversations")
	}
	e := newEnv(t)
	e.set.TriggerThreshold, e.set.RequireSuccess = 0, false
	var uuids []string
	must(t, filepath.WalkDir(filepath.Join(data, "histories"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || len(uuids) >= 50 {
			return err
		}
		if format, err := transcript.Detect(path); err == nil {
			uuids = append(uuids, e.keepFile(format, path)...)
		}
		return nil
	}))
	run := func() (stored int) {
		for _, uuid := range uuids {
			e.forget(uuid)
			stored += len(e.finish(spool.Job{Process: uuid, UID: uid}).Entries)
		}
		return stored
	}
	state := func() (out []string) {
		for _, target := range []memory.Scope{memory.ScopeProject, memory.ScopeGlobal, memory.ScopeUser} {
			for _, x := range e.entries(target) {
				out = append(out, x.ID+" "+strconv.FormatInt(x.Revision, 10)+" "+x.Content)
			}
		}
		return out
	}
	stored := run()
	want := state()
	t.Logf("%d conversations, %d stored, %d entries", len(uuids), stored, len(want))
	rounds, err := strconv.Atoi(os.Getenv("RNIXFS_WRITEBACK_ROUNDS"))
	if err != nil {
		rounds = 3
	}
	for round := range rounds {
		run()
		if diff := cmp.Diff(want, state()); diff != "" {
			t.Fatalf("round %d:\n%s", round, diff)
		}
	}
}

// keepFile keeps the conversations of a file, all in one project.
func (e *env) keepFile(format transcript.Format, path string) (uuids []string) {
	e.t.Helper()
	for c, err := range format.Read(e.t.Context(), path) {
		if errors.Is(err, transcript.ErrSkipped) {
			continue
		}
		must(e.t, err)
		c.UID, c.Project = uid, project
		if c.External == "" {
			c.External = path
		}
		p, err := e.talks.Begin(e.t.Context(), c.Conversation)
		must(e.t, err)
		if len(uuids) == 0 || uuids[len(uuids)-1] != p.UUID {
			uuids = append(uuids, p.UUID)
		}
		var ords process.Ordinals
		ords.Set(c.Turns)
		_, err = e.talks.Append(e.t.Context(), project, p.UUID, c.Turns)
		must(e.t, err)
	}
	return uuids
}
