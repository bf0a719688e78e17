package writeback_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/writeback"
	"github.com/rnixfs/rnixfs/kernel/writeback/rules"
	"github.com/rnixfs/rnixfs/kernel/writeback/spool"
)

func (e *env) want(texts ...string) {
	e.t.Helper()
	if diff := cmp.Diff(texts, e.texts()); diff != "" {
		e.t.Error(diff)
	}
}

// TestWhatIsWorthLearning holds the conditions of the reference system.
func TestWhatIsWorthLearning(t *testing.T) {
	one, zero := 1, 0
	for name, tc := range map[string]struct {
		calls int
		set   func(*writeback.Settings)
		job   spool.Job
		want  bool
	}{
		"enough":                      {calls: 6, job: spool.Job{ExitCode: &zero}, want: true},
		"just enough":                 {calls: 5, job: spool.Job{ExitCode: &zero}, want: true},
		"too few":                     {calls: 3, job: spool.Job{ExitCode: &zero}},
		"switched off":                {calls: 6, job: spool.Job{ExitCode: &zero}, set: func(s *writeback.Settings) { s.Enabled = false }},
		"failed":                      {calls: 6, job: spool.Job{ExitCode: &one}},
		"failed, and that is fine":    {calls: 6, job: spool.Job{ExitCode: &one}, set: func(s *writeback.Settings) { s.RequireSuccess = false }, want: true},
		"cancelled":                   {calls: 6, job: spool.Job{Reason: "context cancelled while paused"}},
		"cancelled, and that is fine": {calls: 6, job: spool.Job{Reason: "context cancelled while paused", ExitCode: &zero}, set: func(s *writeback.Settings) { s.RequireSuccess = false }, want: true},
		"nobody knows":                {calls: 6, want: true},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			e.set.TriggerThreshold = tc.calls
			e.talk("s", "user: In this repository we always use tabs, never spaces.")
			e.set.TriggerThreshold = 5
			if tc.set != nil {
				tc.set(&e.set)
			}
			tc.job.Agent, tc.job.External, tc.job.UID = "test", "s", uid
			e.finish(tc.job)
			if got := len(e.texts()) > 0; got != tc.want {
				t.Errorf("learned: %v, want %v", got, tc.want)
			}
		})
	}
}

func TestEntriesLandInTheirStores(t *testing.T) {
	e := newEnv(t)
	everywhere := said("Commits are signed off by their author.")
	everywhere.Target = memory.ScopeGlobal
	about := said("The user lives in Vienna.")
	about.Target = memory.ScopeUser
	d := e.learn("s", said("The API signs tokens with RS256."), everywhere, said("Redis listens on port 6380."), about)
	e.want("The API signs tokens with RS256.", "Redis listens on port 6380.")
	for target, want := range map[memory.Scope]string{memory.ScopeGlobal: everywhere.Content, memory.ScopeUser: about.Content} {
		if list := e.entries(target); len(list) != 1 || list[0].Content != want {
			t.Errorf("%s has %v", target, list)
		}
	}
	if len(d.Entries) != 4 || d.By != "rules" {
		t.Errorf("%+v", d)
	}
	src := e.entries(memory.ScopeProject)[0].Source
	if src.Trust != memory.TrustExtracted || src.Process != process.ID(uid, "test", "s") || src.Job != d.Job || len(src.Turns) != 1 || src.Road != "writeback" {
		t.Errorf("%+v", src)
	}
	// A new instance on the same folder sees them.
	e.close()
	e.open()
	e.want("The API signs tokens with RS256.", "Redis listens on port 6380.")
}

// TestProjectsAreApart learns in one project and looks into another.
func TestProjectsAreApart(t *testing.T) {
	e := newEnv(t)
	e.learn("s", said("The API signs tokens with RS256."))
	p := e.store.Reader(memory.ScopeID{Scope: memory.ScopeProject, Owner: "/src/other", UID: uid})
	if v, err := p.Load(t.Context()); err != nil || len(v.Entries) != 0 {
		t.Errorf("%v, %v", v.Entries, err)
	}
}

func TestNonsenseDoesNoHarm(t *testing.T) {
	e := newEnv(t)
	e.learn("nonsense",
		rules.Candidate{Target: "nowhere", Content: "x y z"}, rules.Candidate{}, rules.Candidate{Content: strings.Repeat("long ", 100000)}, rules.Candidate{Content: "bad \xff bytes here"})
	if len(e.texts()) != 0 {
		t.Errorf("%q", e.texts())
	}
	// A panic costs one attempt of one job, and the next job is done.
	e.first = func(process.Transcript) []rules.Candidate { panic("a secret text") }
	e.talk("panics")
	id := e.submit(spool.Job{Agent: "test", External: "panics", UID: uid})
	e.drain()
	it, err := e.queue.Item(context.Background(), id)
	must(t, err)
	if it.State != "retrying" || it.Attempts != 1 || strings.Contains(it.Reason+e.log.String(), "secret") {
		t.Errorf("%+v", it)
	}
	e.learn("next", said("Redis listens on port 6380."))
	e.want("Redis listens on port 6380.")
}

func TestRejectedOnesGoAlone(t *testing.T) {
	e := newEnv(t)
	d := e.learn("s", said("The password is "+secret+"."), said("Redis listens on port 6380."), said("The token is [redacted:test] for staging."))
	e.want("Redis listens on port 6380.")
	if diff := cmp.Diff(map[string]int{"rejected": 1, "masked": 1}, d.Dropped); diff != "" {
		t.Error(diff)
	}
}

func TestSecretReachesNoFile(t *testing.T) {
	e := newEnv(t)
	e.talk("s", "user: Please remember that the password is "+secret+" and that we deploy with Jenkins.", "assistant: The password "+secret+" is noted.")
	e.end("s")
	must(t, filepath.WalkDir(e.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), secret) {
			t.Errorf("%s has it", path)
		}
		return err
	}))
}

func TestLimits(t *testing.T) {
	e := newEnv(t)
	e.set.MaxEntries = 3
	var many []rules.Candidate
	for i, topic := range []string{"database", "queue", "gateway", "scheduler", "frontend"} {
		c := said(fmt.Sprintf("The %s runs in rack %d.", topic, 100+i))
		c.Importance = float64(i) / 10
		many = append(many, c)
	}
	d := e.learn("s", many...)
	e.want(many[4].Content, many[3].Content, many[2].Content)
	if d.Dropped["max_entries"] != 2 {
		t.Errorf("%v", d.Dropped)
	}
	// A full scope: nothing is evicted, whatever its policy is for others.
	e.row(memory.ScopeProject, func(p *memory.Policy) {
		p.Overflow, p.Runes = memory.OverflowFIFO, 3*len(many[0].Content)+20
	})
	d = e.learn("t", said("A text of such a length that it does not fit any more."), said("It is short 42."))
	if d.Dropped["over_limit"] != 1 || len(e.texts()) != 4 {
		t.Errorf("%v, %q", d.Dropped, e.texts())
	}
}

func TestProjectWithoutAFolder(t *testing.T) {
	e := newEnv(t)
	e.missing[project] = true
	about := said("The user lives in Vienna.")
	about.Target = memory.ScopeUser
	d := e.learn("s", said("Redis listens on port 6380."), about)
	if d.Dropped["project_gone"] != 1 || len(d.Entries) != 1 {
		t.Errorf("%+v", d)
	}
}

func TestGrowingConversation(t *testing.T) {
	e := newEnv(t)
	e.talk("s", "user: Please remember that Redis listens on port 6380.")
	first := e.end("s")
	again := e.end("s")
	e.talk("s", "user: Please remember that Postgres listens on port 5433.")
	second := e.end("s")
	if len(first.Entries) != 1 || len(again.Entries) != 0 || len(second.Entries) != 1 {
		t.Errorf("entries of the jobs: %d, %d, %d", len(first.Entries), len(again.Entries), len(second.Entries))
	}
	if len(e.texts()) != 2 {
		t.Errorf("%q", e.texts())
	}
}

func TestJobsWithoutAConversation(t *testing.T) {
	e := newEnv(t)
	for _, j := range []spool.Job{
		{Agent: "test", External: "never", UID: uid},
		{Process: "11111111-2222-5333-8444-555555555555", UID: uid},
		{Process: "../../etc/passwd", UID: uid},
		{Agent: "test", External: "s", UID: uid + 1},
	} {
		id := e.submit(j)
		e.drain()
		it, err := e.queue.Item(context.Background(), id)
		must(t, err)
		if it.State != "dead" && it.State != "retrying" || it.Reason == "" {
			t.Errorf("%+v: %+v", j, it)
		}
	}
	// One that was removed is done with.
	p := e.talk("gone", "user: Please remember that Redis listens on port 6380.")
	must(t, e.talks.Remove(t.Context(), p.Project, p.UUID))
	if d := e.end("gone"); len(d.Entries) != 0 || d.Verdict == "" {
		t.Errorf("%+v", d)
	}
}

func TestRunWakesAndEnds(t *testing.T) {
	e := newEnv(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		e.worker.Run(ctx)
	}()
	e.talk("s", "user: Please remember that Redis listens on port 6380.")
	id := e.submit(spool.Job{Agent: "test", External: "s", UID: uid})
	e.worker.Wake()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if _, err := e.queue.Record(id); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the job is not done")
		}
	}
	cancel()
	<-ended
}

// TestFixedPoint writes conversations back again and again, in any order: the
// memory stays as it is after the first time. RNIXFS_WRITEBACK_ROUNDS sets how often.
func TestFixedPoint(t *testing.T) {
	e := newEnv(t)
	topics := []string{"database", "queue", "gateway", "scheduler", "frontend", "billing service", "search index", "mail relay", "cache", "wiki"}
	lines := func(i int) []string {
		topic := topics[i/5%len(topics)]
		switch i % 5 {
		case 0:
			return []string{fmt.Sprintf("user: Please remember that the %s listens on port %d.", topic, 4000+i%3)}
		case 1:
			return []string{fmt.Sprintf("user: From now on, always restart the %s after a deploy.", topic)}
		case 2:
			return []string{"assistant: Shall I?", fmt.Sprintf("user: No, never restart the %s after a deploy.", topic)}
		case 3:
			return []string{fmt.Sprintf("user: We decided to move the %s to rack %d because it is closer.", topic, i%4), "user: I prefer short answers."}
		}
		return []string{fmt.Sprintf("user: Actually, the %s listens on port %d.", topic, 5000+i%2), "user: My name is Ada."}
	}
	var sessions []string
	for i := range 50 {
		s := fmt.Sprint("s", i)
		e.talk(s, lines(i)...)
		e.end(s)
		sessions = append(sessions, s)
	}
	state := func() (out []string) {
		for _, target := range []memory.Scope{memory.ScopeProject, memory.ScopeGlobal, memory.ScopeUser} {
			for _, x := range e.entries(target) {
				out = append(out, fmt.Sprintf("%s %s %d %s", target, x.ID, x.Revision, x.Content))
			}
		}
		return out
	}
	want := state()
	if len(want) < 10 {
		t.Fatalf("little was learned: %q", want)
	}
	rounds, err := strconv.Atoi(os.Getenv("RNIXFS_WRITEBACK_ROUNDS"))
	if err != nil {
		rounds = 4
	}
	for round := range rounds {
		if round%2 == 1 {
			slices.Reverse(sessions)
		}
		for _, s := range sessions {
			e.forget(process.ID(uid, "test", s))
			e.end(s)
		}
		if diff := cmp.Diff(want, state()); diff != "" {
			t.Fatalf("round %d:\n%s", round, diff)
		}
	}
}

// TestTheProjectOfTheConversationDecides whether and how it is learned from, not
// what else is handed in.
func TestTheProjectOfTheConversationDecides(t *testing.T) {
	e := newEnv(t)
	e.setOf = func(p string) writeback.Settings {
		return writeback.Settings{Enabled: p != project+"/off", TriggerThreshold: 1}
	}
	for _, at := range []string{project, project + "/off"} {
		p, err := e.talks.Begin(t.Context(), process.Conversation{Project: at, UID: uid, Agent: "a", External: at})
		must(t, err)
		_, err = e.talks.Append(t.Context(), at, p.UUID, []process.Turn{{Role: process.RoleUser, Content: "Please remember that the port is 8443."}})
		must(t, err)
		// The job itself was handed in for another project, as by an older version.
		_, err = e.spool.Submit(t.Context(), spool.Job{Agent: "a", Process: p.UUID, Project: "/elsewhere", Event: "end", UID: uid})
		must(t, err)
		_, _, err = e.worker.Drain(t.Context())
		must(t, err)
	}
	list, err := e.queue.List(t.Context())
	must(t, err)
	var got []string
	for _, it := range list {
		got = append(got, fmt.Sprintf("%s %d %s", it.Done.Project, len(it.Done.Entries), it.Done.Verdict))
	}
	slices.Sort(got)
	want := []string{project + "/off 0 writeback is switched off", project + " 1 fewer calls of tools than the threshold"}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
