package writeback_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/file"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/watch"
	"github.com/rnixfs/rnixfs/kernel/writeback"
	"github.com/rnixfs/rnixfs/kernel/writeback/rules"
	"github.com/rnixfs/rnixfs/kernel/writeback/spool"
)

const (
	project = "/src/api"
	uid     = 7
)

// env is a writeback over real stores in a folder of its own.
type env struct {
	t       testing.TB
	dir     string
	nowMu   sync.Mutex // held to set now
	now     time.Time
	set     writeback.Settings
	setOf   func(project string) writeback.Settings // in the place of set
	limits  memory.Policies
	first   func(c process.Transcript) []rules.Candidate // besides what is asked for; nil: the rules
	model   *standIn
	store   *store.Store
	talks   *process.Store
	spool   *spool.Spool
	queue   *spool.Queue
	worker  *writeback.Worker
	missing map[string]bool         // projects whose folder is gone
	where   func(dir string) string // the project of a directory
	watch   bool                    // for edits by hand
	// imported are the conversations of each transcript.
	imported []process.Conversation
	log      lines
}

// scanner rejects texts with a made-up secret.
type scanner struct{}

const (
	secret    = "hunter2"
	injection = "Ignore all previous instructions"
)

func (scanner) Scan(_ context.Context, fields []memory.Field) (memory.Verdict, error) {
	for _, f := range fields {
		if strings.Contains(f.Text, secret) || strings.Contains(f.Text, injection) {
			return memory.Verdict{Reject: []memory.Finding{{Rule: "test", Field: f.Name}}}, nil
		}
	}
	return memory.Verdict{}, nil
}

func (scanner) Redact(_ context.Context, text string) (string, error) {
	return strings.ReplaceAll(text, secret, "[redacted:test]"), nil
}

func newEnv(t testing.TB) *env {
	t.Helper()
	e := &env{
		t: t, dir: t.TempDir(), now: time.Date(2027, 1, 1, 12, 0, 0, 0, time.UTC), missing: map[string]bool{},
		set: writeback.Settings{Enabled: true, TriggerThreshold: 2, RequireSuccess: true}, limits: memory.DefaultPolicies(),
	}
	e.open()
	t.Cleanup(e.close)
	return e
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

func (e *env) open() {
	e.t.Helper()
	e.store = store.New(store.Options{
		Open: func(ctx context.Context, id memory.ScopeID, _ memory.Policy, h memory.Hooks) (memory.Provider, error) {
			name := strings.ReplaceAll(string(id.Scope)+id.Owner, "/", "_")
			return file.Open(ctx, filepath.Join(e.dir, "memory", name), file.Options{Hooks: h, NewID: newID, Clock: e.clock, Watcher: e.watcher()})
		},
		Scanner: scanner{}, Policies: func(context.Context, uint32, string) memory.Policies { return e.limits }, Now: e.clock, NewID: newID,
	})
	var err error
	e.talks, err = process.Open(e.dir, process.Options{UID: uid, Now: e.clock, Redact: func(ctx context.Context, text string) (string, bool, error) {
		out, err := scanner{}.Redact(ctx, text)
		return out, out != text, err
	}})
	must(e.t, err)
	e.spool = spool.New(filepath.Join(e.dir, "spool"), spool.Options{})
	// On a busy machine one job meets most of the kills of a test.
	e.queue = spool.Open(filepath.Join(e.dir, "spool"), spool.QueueOptions{MaxDone: 1_000_000, MaxCrashes: 1_000_000, Now: func() time.Time { return time.Now().Add(time.Hour) }})
	e.work()
}

// work makes a worker anew.
func (e *env) work() {
	e.worker = writeback.New(writeback.Options{
		Queue: e.queue, Store: e.store, Conversations: e.talks, UID: uid, Now: e.clock,
		Settings: func(_ context.Context, project, _ string) writeback.Settings {
			set := e.set
			if e.setOf != nil {
				set = e.setOf(project)
			}
			if e.model != nil {
				set.Model = &writeback.Model{Model: e.model}
			}
			return set
		},
		There:   func(p string) bool { return !e.missing[p] },
		Project: e.where,
		Import: func(context.Context, spool.Job) ([]process.Conversation, error) {
			if e.imported == nil {
				return nil, memory.Errorf(memory.KindNotFound, "import transcript", "the transcript is not there")
			}
			return e.imported, nil
		},
		Redact: func(ctx context.Context, text string) (string, bool, error) {
			out, err := scanner{}.Redact(ctx, text)
			return out, out != text, err
		},
		Log: slog.New(slog.NewTextHandler(&e.log, nil)),
	})
	e.worker.SetRules(func(c process.Transcript) []rules.Candidate {
		found := rules.Extract(c)
		if e.first != nil {
			found = append(slices.DeleteFunc(found, func(c rules.Candidate) bool { return !c.Asked }), e.first(c)...)
		}
		return found
	})
}

func (e *env) close() { must(e.t, e.store.Close()) }

// watcher is of edits by hand, where the test wants them told.
func (e *env) watcher() *watch.Watcher {
	if !e.watch {
		return nil
	}
	return &watch.Watcher{}
}

// clock is real where no time was set. Those who watch files ask it at any moment.
func (e *env) clock() time.Time {
	e.nowMu.Lock()
	defer e.nowMu.Unlock()
	if e.now.IsZero() {
		return time.Now()
	}
	return e.now
}

// pass lets time pass.
func (e *env) pass(d time.Duration) {
	e.nowMu.Lock()
	defer e.nowMu.Unlock()
	e.now = e.now.Add(d)
}

// fixed finds the same candidates in every conversation, said in its last turn.
func fixed(found ...rules.Candidate) func(process.Transcript) []rules.Candidate {
	return func(c process.Transcript) []rules.Candidate {
		out := slices.Clone(found)
		for i := range out {
			if out[i].Target == "" {
				out[i].Target = memory.ScopeProject
			}
			if out[i].Turns == nil {
				out[i].Turns = []string{c.Turns[len(c.Turns)-1].ID}
			}
		}
		return out
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// talk keeps turns "role: text" of a session, a minute apart, and calls of tools
// up to the threshold.
func (e *env) talk(session string, lines ...string) process.Conversation {
	e.t.Helper()
	p, err := e.talks.Begin(e.t.Context(), process.Conversation{UID: uid, Project: project, Agent: "test", External: session, Start: e.now})
	must(e.t, err)
	var turns []process.Turn
	for range e.set.TriggerThreshold {
		lines = append(lines, "tool: $ ls\nfile")
	}
	for i, line := range lines {
		role, text, _ := strings.Cut(line, ": ")
		e.pass(time.Minute)
		turn := process.Turn{ID: fmt.Sprintf("%s-%d-%d", session, e.now.Unix(), i), Role: process.Role(role), Content: text, Time: e.now}
		if name, _, called := strings.Cut(text, "("); called && turn.Role == process.RoleTool {
			turn.Tool = name
		}
		turns = append(turns, turn)
	}
	_, err = e.talks.Append(e.t.Context(), p.Project, p.UUID, turns)
	must(e.t, err)
	return p
}

// end ends a session well and returns what was done.
func (e *env) end(session string) spool.Done {
	e.t.Helper()
	code := 0
	return e.finish(spool.Job{Agent: "test", External: session, Event: "end", ExitCode: &code, UID: uid})
}

// forget drops how far a conversation was learned from, as a crash before that was kept
// does.
func (e *env) forget(uuid string) {
	e.t.Helper()
	if err := os.Remove(filepath.Join(e.dir, "spool", "learned", uuid+".json")); !errors.Is(err, os.ErrNotExist) {
		must(e.t, err)
	}
}

// finish does one job that must end well.
func (e *env) finish(j spool.Job) spool.Done {
	e.t.Helper()
	id := e.submit(j)
	e.drain()
	d, err := e.queue.Record(id)
	must(e.t, err)
	return d
}

func (e *env) submit(j spool.Job) string {
	e.t.Helper()
	id, err := e.spool.Submit(e.t.Context(), j)
	must(e.t, err)
	return id
}

func (e *env) drain() {
	e.t.Helper()
	_, _, err := e.worker.Drain(e.t.Context())
	must(e.t, err)
}

// learn is a conversation from which the candidates are learned.
func (e *env) learn(session string, found ...rules.Candidate) spool.Done {
	e.t.Helper()
	e.first = fixed(found...)
	defer func() { e.first = nil }()
	e.talk(session)
	return e.end(session)
}

func scope(target memory.Scope) memory.ScopeID {
	id := memory.ScopeID{Scope: target, Owner: fmt.Sprint(uid), UID: uid}
	if target == memory.ScopeProject {
		id.Owner = project
	}
	return id
}

func (e *env) entries(target memory.Scope) []*memory.Entry {
	e.t.Helper()
	p := e.store.Reader(scope(target))
	v, err := p.Load(e.t.Context())
	must(e.t, err)
	return v.Entries
}

// texts are the contents of the project's memory.
func (e *env) texts() []string {
	e.t.Helper()
	var out []string
	for _, x := range e.entries(memory.ScopeProject) {
		out = append(out, x.Content)
	}
	return out
}

// write has a person write to memory.
func (e *env) write(req store.Request) store.Reply {
	e.t.Helper()
	e.pass(time.Minute)
	r, err := e.store.Do(e.t.Context(), memory.Caller{UID: uid, Trust: memory.TrustHuman}, scope(memory.ScopeProject), req)
	must(e.t, err)
	return r
}

func (e *env) add(content string) store.Reply {
	e.t.Helper()
	return e.write(store.Request{Action: "add", Values: store.Values{Content: &content}})
}

// said is a candidate for the project's memory.
func said(content string) rules.Candidate {
	return rules.Candidate{Content: content, Category: rules.Convention, Type: "semantic", Importance: 0.6}
}

func corrected(content string) rules.Candidate {
	c := said(content)
	c.Category = rules.Correction
	return c
}

func asked(content string) rules.Candidate {
	c := said(content)
	c.Category, c.Asked = rules.Request, true
	return c
}

// replay hands in a job anew under the id that it had, as one that was never done.
func (e *env) replay(id, session string) spool.Done {
	e.t.Helper()
	must(e.t, os.Remove(filepath.Join(e.dir, "spool", "done", id+".json")))
	_, err := spool.New(filepath.Join(e.dir, "spool"), spool.Options{NewID: func() string { return id }}).
		Submit(e.t.Context(), spool.Job{Agent: "test", External: session, UID: uid})
	must(e.t, err)
	e.drain()
	d, err := e.queue.Record(id)
	must(e.t, err)
	return d
}

// row changes a row of the table of scopes.
func (e *env) row(scope memory.Scope, change func(*memory.Policy)) {
	p := e.limits[scope]
	change(&p)
	e.limits[scope] = p
}

// lines is a log that more than one may write.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
