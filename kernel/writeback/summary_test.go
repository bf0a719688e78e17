package writeback_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/writeback/spool"
)

// summaries are those of the project, the oldest first.
func (e *env) summaries() (out []*memory.Entry) {
	e.t.Helper()
	for _, x := range e.entries(memory.ScopeProject) {
		if x.Category == memory.CategorySummary {
			out = append(out, x)
		}
	}
	return out
}

func TestSummaryWithoutAModel(t *testing.T) {
	e := newEnv(t)
	e.set.Summaries = true
	long := "Please make the exporter faster. " + strings.Repeat("It reads each row on its own and that takes minutes. ", 10)
	p := e.talk("s", "user: "+long, "tool: Edit(file_path: export/rows.go)\nok", "assistant: Done.", "user: now the tests")
	d := e.end("s")
	list := e.summaries()
	if len(list) != 1 || len(d.Entries) != 1 {
		t.Fatalf("%+v, %+v", list, d)
	}
	x, s := list[0], memory.ParseSummary(list[0].Content)
	if x.Key != "summary-"+p.UUID || x.Importance > 0.3 || x.Source.Trust != memory.TrustExtracted || x.Source.Job != d.Job {
		t.Errorf("%+v", x)
	}
	if !strings.HasPrefix(s.Title, "Please make the exporter faster.") || !strings.HasSuffix(s.Title, " minutes.") || s.Asked != "Last: now the tests" || s.Files != "export/rows.go" || s.Ended != "exit 0" || len(x.Content) > 700 {
		t.Errorf("%+v", s)
	}
	// It goes on: the summary takes the other's place, and goes when the job is undone.
	e.talk("s", "user: and the docs")
	d = e.end("s")
	list = e.summaries()
	if len(list) != 1 || list[0].ID != x.ID || !strings.Contains(list[0].Content, "Last: and the docs") {
		t.Errorf("%+v", list)
	}
	e.undo(d.Job)
	e.talk("s", "user: and a release")
	if d = e.end("s"); len(e.summaries()) != 0 || d.Dropped["summary_removed"] != 1 {
		t.Errorf("it came back: %+v, %+v", e.summaries(), d)
	}
}

// TestWhoLeavesNoSummary: nobody spoke, too little was done, or it is switched off. A run
// that failed leaves one, whatever else is learned from it.
func TestWhoLeavesNoSummary(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(e *env)
		job    spool.Job
		lines  []string
		want   int
	}{
		"one":          {lines: []string{"user: go on"}, want: 1},
		"nobody spoke": {lines: []string{"assistant: hello"}},
		"little done":  {change: func(e *env) { e.set.TriggerThreshold = 9 }, lines: []string{"user: go on"}},
		"switched off": {change: func(e *env) { e.set.Summaries = false }, lines: []string{"user: go on"}},
		"failed":       {job: spool.Job{ExitCode: new(1)}, lines: []string{"user: go on"}, want: 1},
		"project gone": {change: func(e *env) { e.missing[project] = true }, lines: []string{"user: go on"}},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			e.set.Summaries = true
			e.talk("s", tc.lines...)
			if tc.change != nil {
				tc.change(e)
			}
			tc.job.Agent, tc.job.External, tc.job.UID, tc.job.Event = "test", "s", uid, "end"
			e.finish(tc.job)
			delete(e.missing, project)
			if got := len(e.summaries()); got != tc.want {
				t.Errorf("%d summaries, want %d", got, tc.want)
			}
		})
	}
	// Neither does a sub-agent, and nobody is asked about it.
	e := newEnv(t)
	e.set.Summaries, e.model = true, adds()
	p, err := e.talks.Begin(t.Context(), process.Conversation{UID: uid, Project: project, Agent: "test", External: "sub", Parent: process.ID(uid, "test", "s"), Start: e.now})
	must(t, err)
	_, err = e.talks.Append(t.Context(), project, p.UUID, []process.Turn{{Role: process.RoleUser, Content: "Look for it."}, {Role: process.RoleTool, Content: "$ ls"}, {Role: process.RoleTool, Content: "$ ls -l"}})
	must(t, err)
	if d := e.finish(spool.Job{Process: p.UUID, UID: uid, Event: "end"}); d.By != "rules" || len(e.texts()) != 0 || e.model.times() != 0 {
		t.Errorf("%+v, %q", d, e.texts())
	}
}

// TestSummariesAreBounded: the last fifty stay, in whichever order they come, and those
// that a person edited.
func TestSummariesAreBounded(t *testing.T) {
	e := newEnv(t)
	e.set.Summaries = true
	var names []string
	for i := range 56 {
		name := fmt.Sprint("s", i)
		names = append(names, name)
		e.talk(name, fmt.Sprintf("user: step %d of the plan", i))
		e.end(name)
		if i == 0 {
			x := e.summaries()[0]
			e.write(store.Request{Action: "replace", ID: x.ID, Values: store.Values{Content: new("It began.")}})
		}
	}
	want := e.texts()
	if len(want) != 51 || want[0] != "It began." || !strings.Contains(want[50], "step 55") {
		t.Fatalf("%d: %q", len(want), want)
	}
	for _, name := range names {
		e.forget(process.ID(uid, "test", name))
		e.end(name)
	}
	if got := e.texts(); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("after all were learned again: %q", got)
	}
}

// TestSummariesMakeRoom: they take a quarter of the memory at most, and one that does
// not fit beside entries is dropped.
func TestSummariesMakeRoom(t *testing.T) {
	e := newEnv(t)
	e.set.Summaries = true
	e.row(memory.ScopeProject, func(p *memory.Policy) { p.Runes = 1000 })
	for i := range 10 {
		name := fmt.Sprint("s", i)
		e.talk(name, fmt.Sprintf("user: step %d of the plan", i))
		e.end(name)
	}
	used := 0
	for _, x := range e.summaries() {
		used += x.Runes()
	}
	if used == 0 || used > 250 {
		t.Errorf("%d runes of summaries", used)
	}
	e = newEnv(t)
	e.set.Summaries = true
	e.row(memory.ScopeProject, func(p *memory.Policy) { p.Runes = 1000 })
	e.add(strings.Repeat("x", 990))
	e.talk("last", "user: one step more")
	if d := e.end("last"); d.Dropped["summary_over_limit"] != 1 {
		t.Errorf("%+v", d)
	}
}

// TestSummariesTeachNothing: what a summary says is no reason to leave a fact out.
func TestSummariesTeachNothing(t *testing.T) {
	e := newEnv(t)
	e.set.Summaries = true
	e.talk("a", "user: The gateway listens on port 9443.")
	e.end("a")
	d := e.learn("b", said("The gateway listens on port 9443."))
	if len(d.Entries) != 1 || d.Dropped["known"] != 0 {
		t.Errorf("%+v", d)
	}
}
