package spool

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestNotes: the last hand-over of a run is found once, under the run's id alone.
func TestNotes(t *testing.T) {
	dir := t.TempDir()
	s := New(dir, Options{})
	const run = "0197a3c2-5a77-7d1e-8b6e-2f0f5b1c9a44"
	if _, err := s.Submit(context.Background(), Job{Agent: "claude", External: "1"}); err != nil {
		t.Fatal(err)
	}
	for _, external := range []string{"1", "2"} {
		if err := s.Note(run, Job{Agent: "claude", External: external}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ session, agent string }{
		{run, "codex"}, {"0197a3c2-5a77-7d1e-8b6e-2f0f5b1c9a45", "claude"}, {"", "claude"}, {"../../x", "claude"}, {run, ""}, {run, "../x"},
	} {
		if job, ok := s.TakeNote(c.session, c.agent); ok {
			t.Errorf("%q, %q: %+v", c.session, c.agent, job)
		}
		if _, ok := s.note(c.session, c.agent); !ok {
			if err := s.Note(c.session, Job{Agent: c.agent}); err != nil {
				t.Errorf("%q, %q: %v", c.session, c.agent, err)
			}
		}
	}
	if job, ok := s.TakeNote(run, "claude"); !ok || job.External != "2" {
		t.Errorf("%+v, %v", job, ok)
	}
	if job, ok := s.TakeNote(run, "claude"); ok {
		t.Errorf("again: %+v", job)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil || len(left) != 1 { // the job
		t.Errorf("files %q, %v", left, err)
	}
}

// TestNotesOfKilledRuns: they go with the next job that is done, those of runs that
// go on stay.
func TestNotesOfKilledRuns(t *testing.T) {
	b := newBench(t)
	b.now = time.Now()
	s := New(b.dir, Options{})
	const killed, alive = "0197a3c2-5a77-7d1e-8b6e-2f0f5b1c9a44", "0197a3c2-5a77-7d1e-8b6e-2f0f5b1c9a45"
	b.submit(Job{Agent: "a", External: "1"})
	for _, run := range []string{killed, alive} {
		b.must(s.Note(run, Job{Agent: "a"}))
	}
	old := b.now.Add(-staleNote - time.Minute)
	b.must(os.Chtimes(filepath.Join(b.dir, runsDir, killed+".a"), old, old))
	b.must(b.claim().Done(Done{}))
	if _, ok := s.TakeNote(killed, "a"); ok {
		t.Error("the note of a run that was killed is still there")
	}
	if _, ok := s.TakeNote(alive, "a"); !ok {
		t.Error("the note of a run that goes on is gone")
	}
}
