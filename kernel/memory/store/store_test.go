package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
)

// stateProvider is a provider that is nothing but a State: what the store does
// is tested apart from how entries are kept.
type stateProvider struct {
	mu    sync.Mutex
	st    *memory.State
	recs  []memory.Record
	hooks memory.Hooks
	now   func() time.Time
}

func (p *stateProvider) Load(context.Context) (memory.View, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.st.View(), nil
}

func (p *stateProvider) Apply(_ context.Context, ch memory.Change) (memory.Result, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if res, ok, err := p.st.Replay(ch); ok || err != nil {
		return res, err
	}
	steps, err := p.st.Plan(ch)
	if err != nil || ch.Dry {
		return memory.Result{}, err
	}
	res := p.st.Commit(ch, steps, p.st.Sequence()+1)
	for _, s := range steps {
		e := s.After
		if e == nil {
			e = s.Before
		}
		p.recs = append(p.recs, memory.Record{Sequence: res.Sequence, Time: ch.At, Action: s.Action, Actor: ch.Actor, ID: e.ID, Before: s.Before, After: s.After})
	}
	if p.hooks.Changed != nil {
		p.hooks.Changed(steps)
	}
	return res, nil
}

func (p *stateProvider) History(_ context.Context, m memory.Match) ([]memory.Record, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []memory.Record
	for _, r := range p.recs {
		for _, e := range []*memory.Entry{r.Before, r.After} {
			if e != nil && (e.ID == m.ID || e.Key == m.Key) {
				out = append(out, r)
				break
			}
		}
	}
	if out == nil {
		return nil, memory.NotFound("history", m)
	}
	return out, nil
}

func (p *stateProvider) Changes(_ context.Context, most int, pass func(*memory.Record) bool) (out []memory.Record, _ error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.recs {
		if pass(&r) {
			out = append(out, r)
		}
	}
	return out[max(0, len(out)-most):], nil
}

func (p *stateProvider) Close() error { return nil }

// wordScanner finds the word "hunter2" and fails on the word "panic".
type wordScanner struct{}

func (wordScanner) Scan(_ context.Context, fields []memory.Field) (v memory.Verdict, err error) {
	for _, f := range fields {
		found := func(word string) []memory.Finding {
			if !strings.Contains(f.Text, word) {
				return nil
			}
			return []memory.Finding{{Rule: "word", Description: "a word", Field: f.Name, Preview: word[:1] + "******"}}
		}
		if strings.Contains(f.Text, "panic") {
			return v, errors.New("broken on " + f.Text)
		}
		v.Reject = append(v.Reject, found("hunter2")...)
		v.Mask = append(v.Mask, found("maskme")...)
		v.Warn = append(v.Warn, found("careful")...)
	}
	return v, nil
}

func (wordScanner) Redact(_ context.Context, s string) (string, error) {
	return strings.NewReplacer("hunter2", "*", "maskme", "*").Replace(s), nil
}

type fixture struct {
	*store.Store
	table      memory.Policies
	categories memory.Categories // nil: the default
	changed    int
	mu         sync.Mutex
	clock      time.Time
}

func (f *fixture) Opened(memory.ScopeID, []*memory.Entry) {}
func (f *fixture) Changed(memory.ScopeID, []memory.Step)  { f.changed++ }
func (f *fixture) Closed(memory.ScopeID)                  {}

// row changes a row of the table of scopes.
func (f *fixture) row(scope memory.Scope, change func(*memory.Policy)) {
	p := f.table[scope]
	change(&p)
	f.table[scope] = p
}

func newStore(t *testing.T, limit int, policy memory.Overflow) *fixture {
	t.Helper()
	f := &fixture{table: memory.DefaultPolicies()}
	for scope := range f.table {
		f.row(scope, func(p *memory.Policy) {
			p.Overflow = policy
			if scope != memory.ScopeUser {
				p.Runes = limit
			}
		})
	}
	f.clock = time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	now := func() time.Time { f.mu.Lock(); defer f.mu.Unlock(); f.clock = f.clock.Add(time.Second); return f.clock }
	n := 0
	f.Store = store.New(store.Options{
		Open: func(_ context.Context, _ memory.ScopeID, _ memory.Policy, h memory.Hooks) (memory.Provider, error) {
			return &stateProvider{st: memory.NewState(nil, 0), hooks: h, now: now}, nil
		},
		Scanner: wordScanner{}, Policies: func(context.Context, uint32, string) memory.Policies { return f.table },
		Categories: func() memory.Categories { return f.categories },
		Observers:  []memory.Observer{f}, Now: now,
		NewID: func() string { f.mu.Lock(); defer f.mu.Unlock(); n++; return fmt.Sprintf("id-%03d", n) },
	})
	t.Cleanup(func() { f.Close() })
	return f
}

var project = memory.ScopeID{Scope: memory.ScopeProject, Owner: "/p"}

// do sends a request as JSON and returns the reply as a front end would show it.
func (f *fixture) do(t *testing.T, id memory.ScopeID, request string) store.Reply {
	t.Helper()
	var req store.Request
	if err := memory.DecodeStrict([]byte(request), &req); err != nil {
		return store.Reply{Failure: store.Failure{Code: memory.KindOf(err).Code(), Error: memory.ReasonOf(err)}}
	}
	reply, err := f.Do(t.Context(), memory.Caller{Trust: memory.TrustAgent}, id, req)
	if reply.OK != (err == nil) || (err != nil && reply.Code != memory.KindOf(err).Code()) {
		t.Fatalf("%s: reply %+v does not agree with error %v", request, reply, err)
	}
	if reply.Remaining != max(reply.Limit-reply.Used, 0) || reply.Limit == 0 {
		t.Fatalf("%s: numbers %d of %d, %d left", request, reply.Used, reply.Limit, reply.Remaining)
	}
	return reply
}

func (f *fixture) snapshot(t *testing.T, id memory.ScopeID) string {
	t.Helper()
	r := f.do(t, id, `{"action":"snapshot"}`)
	if r.Snapshot == nil {
		t.Fatalf("no snapshot: %+v", r)
	}
	return *r.Snapshot
}

func TestActions(t *testing.T) {
	for _, tc := range []struct {
		name     string
		requests []string // all but the last must succeed
		code     string   // of the last
		text     string   // part of its message or error
		snapshot string   // afterwards
	}{
		{"add", []string{`{"action":"add","content":"a"}`}, "", "entry added to memory", "a"},
		{"add three", []string{`{"action":"add","content":"a"}`, `{"action":"add","content":"b"}`, `{"action":"add","content":"c"}`}, "", "added", "a\nb\nc"},
		{"replace", []string{`{"action":"add","content":"a"}`, `{"action":"replace","old":"a","new":"b"}`}, "", "entry replaced in memory", "b"},
		{"replace by id", []string{`{"action":"add","content":"a"}`, `{"action":"replace","id":"id-001","content":"b"}`}, "", "replaced", "b"},
		{"replace unknown", []string{`{"action":"replace","old":"a","new":"b"}`}, "not_found", `entry not found for Replace: "a"`, ""},
		{"replace keeps the rest", []string{`{"action":"add","content":"a"}`, `{"action":"replace","old":"a","tags":["x"]}`}, "", "replaced", "a"},
		{"replace with nothing", []string{`{"action":"add","content":"a"}`, `{"action":"replace","old":"a"}`}, "invalid", "nothing to replace", "a"},
		{"remove", []string{`{"action":"add","content":"a"}`, `{"action":"remove","content":"a"}`}, "", "entry removed from memory", ""},
		{"remove unknown", []string{`{"action":"remove","old":"zz"}`}, "not_found", `entry not found for Remove: "zz"`, ""},
		{"remove ambiguous", []string{`{"action":"add","content":"a"}`, `{"action":"add","content":"a","category":"x"}`, `{"action":"remove","old":"a"}`}, "invalid", "id-001, id-002", "a\na"},
		{"remove one of two", []string{`{"action":"add","content":"a"}`, `{"action":"add","content":"a"}`, `{"action":"remove","old":"a"}`, `{"action":"get","content":"a"}`}, "", "", "a"},
		{"replace one of two", []string{`{"action":"add","content":"a"}`, `{"action":"add","content":"a"}`, `{"action":"replace","old":"a","new":"b"}`}, "", "replaced", "a\nb"},
		{"long old is cut", []string{`{"action":"remove","old":"` + strings.Repeat("é", 50) + `"}`}, "not_found", strings.Repeat("é", 40) + `..."`, ""},
		{"secret old is withheld", []string{`{"action":"remove","old":"hunter2"}`}, "not_found", "withheld", ""},
		{"empty", []string{`{"action":"add","content":" \n"}`}, "invalid", "empty", ""},
		{"no content", []string{`{"action":"add"}`}, "invalid", "content is required", ""},
		{"secret", []string{`{"action":"add","content":"it is hunter2"}`}, "rejected", "security scan rejected: a word (word) in content", ""},
		{"secret tag", []string{`{"action":"add","content":"a","tags":["hunter2"]}`}, "rejected", "in tags", ""},
		{"secret key", []string{`{"action":"add","content":"a","key":"hunter2"}`}, "rejected", "in key", ""},
		{"secret metadata", []string{`{"action":"add","content":"a","metadata":{"x":{"y":["hunter2"]}}}`}, "rejected", "in metadata.x.y", ""},
		{"secret metadata name", []string{`{"action":"add","content":"a","metadata":{"hunter2":1}}`}, "rejected", "metadata", ""},
		{"secret idempotency key", []string{`{"action":"add","content":"a","idempotency_key":"hunter2"}`}, "rejected", "idempotency_key", ""},
		{"secret in new", []string{`{"action":"add","content":"a"}`, `{"action":"replace","old":"a","new":"hunter2"}`}, "rejected", "content", "a"},
		{"scanner fails closed", []string{`{"action":"add","content":"panic"}`}, "internal", "nothing was stored", ""},
		{"over the limit", []string{`{"action":"add","content":"short"}`, `{"action":"add","content":"this is far too long"}`}, "over_limit", "memory capacity limit exceeded: used=5, limit=20, needed=20 additional chars", "short"},
		{"at the limit", []string{`{"action":"add","content":"` + strings.Repeat("あ", 20) + `"}`}, "", "added", strings.Repeat("あ", 20)},
		{"replace over the limit", []string{`{"action":"add","content":"short"}`, `{"action":"replace","old":"short","new":"this is far too long!"}`}, "over_limit", "needed=16", "short"},
		{"key taken", []string{`{"action":"add","content":"a","key":"k"}`, `{"action":"add","content":"b","key":"k"}`}, "exists", `"k"`, "a"},
		{"by key", []string{`{"action":"add","content":"a","key":"k"}`, `{"action":"remove","key":"k"}`}, "", "removed", ""},
		{"conflict", []string{`{"action":"add","content":"a"}`, `{"action":"replace","old":"a","new":"b","expected_revision":1}`, `{"action":"replace","old":"b","new":"c","expected_revision":1}`}, "conflict", "revision 2", "b"},
		{"unknown action", []string{`{"action":"frobnicate"}`}, "invalid", `unknown action: "frobnicate"`, ""},
		{"no action", []string{`{}`}, "invalid", "action is required", ""},
		{"field out of place", []string{`{"action":"snapshot","content":"a"}`}, "invalid", `"content" has no meaning for snapshot`, ""},
		{"unknown field", []string{`{"action":"add","contents":"a"}`}, "invalid", `unknown field: "contents"; the fields are action, target, `, ""},
		{"wrong type", []string{`{"action":"add","content":7}`}, "invalid", `field "content"`, ""},
		{"bad importance", []string{`{"action":"add","content":"a","importance":1.5}`}, "invalid", "0 to 1", ""},
		{"bad expiry", []string{`{"action":"add","content":"a","expires":"soon"}`}, "invalid", "expires must be", ""},
		{"past expiry", []string{`{"action":"add","content":"a","expires":"2020-01-01T00:00:00Z"}`}, "invalid", "expired already", ""},
		{"bad ttl", []string{`{"action":"add","content":"a","ttl":"12parsecs"}`}, "invalid", "ttl must be", ""},
		{"lone surrogate", []string{`{"action":"add","content":"\ud800"}`}, "invalid", "surrogate", ""},
		{"surrogate pair", []string{`{"action":"add","content":"\ud83d\ude00"}`}, "", "added", "😀"},
		{"escaped backslash", []string{`{"action":"add","content":"\\ud800"}`}, "", "added", `\ud800`},
		{"markers and lines", []string{`{"action":"add","content":"one\n§two\n---\n"}`}, "", "added", "one\n§two\n---\n"},
		{"batch", []string{`{"action":"batch","ops":[{"action":"add","content":"a"},{"action":"replace","old":"a","new":"b"},{"action":"add","content":"c"}]}`}, "", "batch of 3 applied to memory", "b\nc"},
		{"batch is all or nothing", []string{`{"action":"add","content":"a"}`, `{"action":"batch","ops":[{"action":"remove","old":"a"},{"action":"remove","old":"zz"}]}`}, "not_found", "ops[1]: entry not found", "a"},
		{"batch secret", []string{`{"action":"batch","ops":[{"action":"add","content":"a"},{"action":"add","content":"hunter2"}]}`}, "rejected", "ops[1].content", ""},
		{"batch in batch", []string{`{"action":"batch","ops":[{"action":"batch"}]}`}, "invalid", "ops[0]", ""},
		{"empty batch", []string{`{"action":"batch","ops":[]}`}, "invalid", "1 to 1000", ""},
		{"restore after remove", []string{`{"action":"add","content":"a","key":"k"}`, `{"action":"remove","key":"k"}`, `{"action":"restore","id":"id-001"}`}, "", "entry restored in memory", "a"},
		{"restore after replace", []string{`{"action":"add","content":"a"}`, `{"action":"replace","old":"a","new":"b"}`, `{"action":"restore","id":"id-001"}`}, "", "restored", "a"},
		{"restore a revision", []string{`{"action":"add","content":"a"}`, `{"action":"replace","old":"a","new":"b"}`, `{"action":"replace","old":"b","new":"c"}`, `{"action":"restore","id":"id-001","revision":1}`}, "", "restored", "a"},
		{"restore an unknown revision", []string{`{"action":"add","content":"a"}`, `{"action":"restore","id":"id-001","revision":7}`}, "not_found", "no revision 7", "a"},
		{"batch restores nothing", []string{`{"action":"batch","ops":[{"action":"add","content":"a"},{"action":"restore","key":"none"}]}`}, "not_found", `ops[1]: entry not found: "none"`, ""},
		{"no revision is 0", []string{`{"action":"add","content":"a"}`, `{"action":"remove","old":"a","expected_revision":0}`}, "invalid", "expected_revision is 0", "a"},
		{"restore revision 0", []string{`{"action":"add","content":"a"}`, `{"action":"restore","id":"id-001","revision":0}`}, "invalid", "revision is 0", "a"},
		{"get what", []string{`{"action":"get"}`}, "invalid", "id, key, content", ""},
		{"restore what", []string{`{"action":"restore"}`}, "invalid", "one of id, key", ""},
		{"put", []string{`{"action":"put","key":"k","content":"a"}`}, "", "entry added to memory", "a"},
		{"put replaces", []string{`{"action":"put","key":"k","content":"a"}`, `{"action":"put","key":"k","content":"b"}`}, "", "entry replaced in memory", "b"},
		{"put refuses", []string{`{"action":"put","key":"k","content":"a"}`, `{"action":"put","key":"k","content":"b","on_key":"refuse"}`}, "exists", `"k"`, "a"},
		{"put what", []string{`{"action":"put","content":"a"}`}, "invalid", "key is required", ""},
		{"put how", []string{`{"action":"put","key":"k","content":"a","on_key":"merge"}`}, "invalid", "refuse, replace or append", ""},
		{"put a secret", []string{`{"action":"put","key":"k","content":"a"}`, `{"action":"put","key":"k","content":"hunter2","on_key":"append"}`}, "rejected", "in content", "a"},
		{"put masked", []string{`{"action":"put","key":"k","content":"maskme"}`}, "", "added", "*"},
		{"put in a batch", []string{`{"action":"batch","ops":[{"action":"put","key":"k","content":"a"},{"action":"put","key":"k","content":"b"}]}`}, "", "batch of 2", "b"},
		{"put none of a batch", []string{`{"action":"batch","ops":[{"action":"put","key":"k","content":"a"},{"action":"put","key":"k","content":"b","on_key":"refuse"}]}`}, "exists", "ops[1]", ""},
		{"also in a batch", []string{`{"action":"batch","ops":[{"action":"put","key":"k","content":"a","also":["session"]}]}`}, "invalid", "ops[0]: also", ""},
		{"outcome of a replace", []string{`{"action":"add","key":"k","content":"a"}`, `{"action":"replace","key":"k","outcome":"success"}`}, "", "replaced", "a"},
		{"outcome what", []string{`{"action":"add","key":"k","content":"a"}`, `{"action":"replace","key":"k","outcome":"hunter2"}`}, "invalid", "success or failure", "a"},
		{"outcome of what is no count", []string{`{"action":"put","key":"k","content":"a","metadata":{"uses":"many"}}`, `{"action":"replace","key":"k","outcome":"success"}`}, "invalid", "metadata.uses", "a"},
		{"set metadata twice", []string{`{"action":"add","key":"k","content":"a"}`, `{"action":"replace","key":"k","metadata":{},"set_metadata":{"a":1}}`}, "invalid", "not both", "a"},
		{"set metadata of a secret", []string{`{"action":"add","key":"k","content":"a"}`, `{"action":"replace","key":"k","set_metadata":{"a":"hunter2"}}`}, "rejected", "metadata.a", "a"},
		{"set too much metadata", []string{`{"action":"add","key":"k","content":"a","metadata":{"a":"` + strings.Repeat("x", 9000) + `"}}`, `{"action":"replace","key":"k","set_metadata":{"b":"` + strings.Repeat("x", 9000) + `"}}`}, "invalid", "16384 bytes", "a"},
		{"clear unconfirmed", []string{`{"action":"add","content":"a"}`, `{"action":"add","content":"b","pinned":true}`, `{"action":"clear"}`}, "invalid", "would remove 2 entries from memory, 1 of them pinned", "a\nb"},
		{"clear", []string{`{"action":"add","content":"a"}`, `{"action":"add","content":"b","pinned":true}`, `{"action":"clear","confirm":true}`}, "", "2 entries removed from memory", ""},
		{"clear in a batch", []string{`{"action":"batch","ops":[{"action":"clear","confirm":true}]}`}, "invalid", "part of a batch", ""},
		{"restore after a clear", []string{`{"action":"add","content":"a"}`, `{"action":"clear","confirm":true}`, `{"action":"restore","id":"id-001"}`}, "", "restored", "a"},
		{"append over the limit", []string{`{"action":"put","key":"k","content":"a"}`, `{"action":"put","key":"k","content":"b","on_key":"append"}`}, "over_limit", "needed=28", "a"},
		{"restore what never changed", []string{`{"action":"add","content":"a"}`, `{"action":"restore","id":"id-001"}`}, "not_found", "no earlier state", "a"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := newStore(t, 20, memory.OverflowError)
			var last store.Reply
			for i, r := range tc.requests {
				last = f.do(t, project, r)
				if i < len(tc.requests)-1 && !last.OK {
					t.Fatalf("%s: %+v", r, last)
				}
			}
			if last.Code != tc.code || !strings.Contains(last.Message+last.Error, tc.text) {
				t.Errorf("got code %q, %q; want %q, %q", last.Code, last.Message+last.Error, tc.code, tc.text)
			}
			if got := f.snapshot(t, project); got != tc.snapshot {
				t.Errorf("snapshot %q, want %q", got, tc.snapshot)
			}
			raw, err := json.Marshal(last)
			if err != nil || strings.Contains(string(raw), "hunter2") {
				t.Errorf("the reply shows the secret, or does not encode: %s %v", raw, err)
			}
		})
	}
}

func TestOverflow(t *testing.T) {
	adds := []string{
		`{"action":"add","content":"aaaaa","importance":0.9}`,
		`{"action":"add","content":"bbbbb","importance":0.1}`,
		`{"action":"add","content":"ccccc","importance":0.5,"pinned":true}`,
		`{"action":"add","content":"ddddd","importance":0.5}`,
	}
	for _, tc := range []struct {
		policy   memory.Overflow
		add      string
		code     string
		snapshot string
	}{
		{memory.OverflowError, "eeeee", "over_limit", "aaaaa\nbbbbb\nccccc\nddddd"},
		{memory.OverflowFIFO, "eeeee", "", "bbbbb\nccccc\nddddd\neeeee"},
		{memory.OverflowFIFO, "eeeeeeeeeeeeeee", "", "ccccc\neeeeeeeeeeeeeee"},
		{memory.OverflowFIFO, "eeeeeeeeeeeeeeee", "over_limit", "aaaaa\nbbbbb\nccccc\nddddd"}, // the pinned one stays
		{memory.OverflowRelevance, "eeeee", "", "aaaaa\nccccc\nddddd\neeeee"},
		{memory.OverflowRelevance, "eeeeeeeee", "", "aaaaa\nccccc\neeeeeeeee"},
	} {
		t.Run(fmt.Sprint(tc.policy, len(tc.add)), func(t *testing.T) {
			f := newStore(t, 20, tc.policy)
			for _, a := range adds {
				f.do(t, project, a)
			}
			r := f.do(t, project, `{"action":"add","content":"`+tc.add+`"}`)
			if r.Code != tc.code {
				t.Errorf("code %q (%s), want %q", r.Code, r.Error, tc.code)
			}
			if got := f.snapshot(t, project); got != tc.snapshot {
				t.Errorf("snapshot %q, want %q", got, tc.snapshot)
			}
			if tc.code == "" && len(r.Evicted) == 0 {
				t.Error("the reply does not tell what was evicted")
			}
		})
	}
}

func TestIdempotencyKey(t *testing.T) {
	f := newStore(t, 100, memory.OverflowError)
	first := f.do(t, project, `{"action":"add","content":"a","idempotency_key":"k"}`)
	again := f.do(t, project, `{"action":"add","content":"a","idempotency_key":"k"}`)
	if !again.OK || !again.Replayed || again.ID != first.ID {
		t.Errorf("replay: %+v", again)
	}
	if other := f.do(t, project, `{"action":"add","content":"b","idempotency_key":"k"}`); other.Code != "conflict" {
		t.Errorf("another request under the same key: %+v", other)
	}
	if got := f.snapshot(t, project); got != "a" {
		t.Errorf("snapshot %q", got)
	}
}

func TestScopesAreApart(t *testing.T) {
	f := newStore(t, 100, memory.OverflowError)
	user := memory.ScopeID{Scope: memory.ScopeUser, Owner: "0"}
	other := memory.ScopeID{Scope: memory.ScopeProject, Owner: "/q"}
	f.do(t, project, `{"action":"add","content":"`+strings.Repeat("x", 80)+`"}`)
	if r := f.do(t, other, `{"action":"add","content":"`+strings.Repeat("y", 80)+`"}`); !r.OK {
		t.Errorf("the limit of one project bounds another: %+v", r)
	}
	if r := f.do(t, user, `{"action":"add","content":"z"}`); r.Message != "user profile entry added" || r.Limit != 10000 {
		t.Errorf("profile: %+v", r)
	}
	if got := f.snapshot(t, project); strings.Contains(got, "y") || strings.Contains(got, "z") {
		t.Errorf("another scope's entries: %q", got)
	}
	if f.changed != 2 {
		t.Errorf("observers were told of %d changes, want 2: the profile is not recall's", f.changed)
	}
}

// TestRowsChangeWhileOpen: an open scope is kept and found as its row says now.
func TestRowsChangeWhileOpen(t *testing.T) {
	f := newStore(t, 100, memory.OverflowError)
	for i, recall := range []bool{true, false, true} {
		f.row(memory.ScopeProject, func(p *memory.Policy) { p.Recall = recall })
		f.changed = 0
		f.do(t, project, `{"action":"add","content":"a"}`)
		if told := f.changed > 0; told != recall {
			t.Errorf("%d: recall: %v, but observers are told: %v", i, recall, told)
		}
	}
}

func TestSwitchedOff(t *testing.T) {
	f := newStore(t, 100, memory.OverflowError)
	f.do(t, project, `{"action":"add","content":"a"}`)
	f.row(memory.ScopeProject, func(p *memory.Policy) { p.ReadOnly = true })
	if r := f.do(t, project, `{"action":"add","content":"b"}`); r.Code != "read_only" {
		t.Errorf("write while off: %+v", r)
	}
	if got := f.snapshot(t, project); got != "a" {
		t.Errorf("reads go on: %q", got)
	}
	f.row(memory.ScopeUser, func(p *memory.Policy) { p.ReadOnly = true })
	if r := f.do(t, memory.ScopeID{Scope: memory.ScopeUser}, `{"action":"add","content":"b"}`); r.Code != "read_only" {
		t.Errorf("profile write while off: %+v", r)
	}
}

func TestExpiry(t *testing.T) {
	f := newStore(t, 100, memory.OverflowError)
	f.do(t, project, `{"action":"add","content":"gone soon","ttl":"2s"}`)
	f.do(t, project, `{"action":"add","content":"stays"}`)
	f.do(t, project, `{"action":"capacity"}`)
	if got := f.snapshot(t, project); got != "stays" {
		t.Errorf("snapshot %q", got)
	}
	r := f.do(t, project, `{"action":"add","content":"more"}`)
	if r.Used != len("stays")+len("more") {
		t.Errorf("an expired entry still counts: used %d", r.Used)
	}
}

func TestDuplicatesAreTold(t *testing.T) {
	f := newStore(t, 100, memory.OverflowError)
	a := f.do(t, project, `{"action":"add","content":"same"}`)
	b := f.do(t, project, `{"action":"add","content":"same"}`)
	if a.Duplicate != "" || b.Duplicate != a.ID {
		t.Errorf("duplicate_of %q, %q; want none and %q", a.Duplicate, b.Duplicate, a.ID)
	}
}

func TestConcurrentAdds(t *testing.T) {
	f := newStore(t, 100000, memory.OverflowError)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			req := store.Request{Action: "add", Values: store.Values{Content: new(string)}}
			*req.Content = "0123456789"
			if _, err := f.Do(context.Background(), memory.Caller{}, project, req); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := strings.Count(f.snapshot(t, project), "0123456789"); got != 20 {
		t.Errorf("%d entries, want 20", got)
	}
}

// TestPolicies stores a text masked, or with a warning, as the scanner says.
func TestPolicies(t *testing.T) {
	s := newStore(t, 1000, memory.OverflowError)
	reply := s.do(t, project, `{"action":"add","content":"please maskme and be careful"}`)
	if !reply.OK || len(reply.Warnings) != 2 {
		t.Fatalf("reply is %+v", reply)
	}
	if got := s.do(t, project, `{"action":"get","id":"`+reply.ID+`"}`).Entry.Content; got != "please * and be careful" {
		t.Fatalf("stored is %q", got)
	}
	if reply := s.do(t, project, `{"action":"add","content":"fine","tags":["maskme"]}`); reply.OK || reply.Code != "rejected" {
		t.Fatalf("a tag was masked: %+v", reply)
	}
}

// TestHalves stores a word by halves: over two requests each half is a text of its
// own, within one request they are refused.
func TestHalves(t *testing.T) {
	for name, tc := range map[string]struct {
		requests []string
		rejected bool
	}{
		"two adds":      {[]string{`{"action":"add","content":"it is hun"}`, `{"action":"add","content":"ter2 it is"}`}, false},
		"backwards":     {[]string{`{"action":"add","content":"ter2 it is"}`, `{"action":"add","content":"it is hun"}`}, false},
		"replace":       {[]string{`{"action":"add","content":"it is hun"}`, `{"action":"add","key":"k","content":"x"}`, `{"action":"replace","key":"k","content":"ter2 it is"}`}, false},
		"batch":         {[]string{`{"action":"batch","ops":[{"action":"add","content":"it is \"hun\""},{"action":"add","content":"ter2 it is"}]}`}, true},
		"batch back":    {[]string{`{"action":"batch","ops":[{"action":"add","content":"ter2 it is"},{"action":"add","content":"it is hun"}]}`}, true},
		"batch of 3":    {[]string{`{"action":"batch","ops":[{"action":"add","content":"it is hu"},{"action":"add","content":"nt"},{"action":"add","content":"er2"}]}`}, true},
		"batch of many": {[]string{`{"action":"batch","ops":[{"action":"add","content":"hun is"},{"action":"add","content":"it"},{"action":"add","content":"is ter2"}]}`}, false},
	} {
		s := newStore(t, 1000, memory.OverflowError)
		for _, r := range tc.requests {
			if reply := s.do(t, project, r); reply.OK == tc.rejected || tc.rejected && reply.Code != "rejected" {
				t.Errorf("%s: %+v", name, reply)
			}
		}
	}
}

// TestSetMetadata: what a request leaves out stays.
func TestSetMetadata(t *testing.T) {
	f := newStore(t, 1000, memory.OverflowError)
	metadata := func(request string) string {
		t.Helper()
		if r := f.do(t, project, request); !r.OK {
			t.Fatalf("%s: %+v", request, r)
		}
		raw, err := json.Marshal(f.do(t, project, `{"action":"get","key":"k"}`).Entry.Metadata)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	for _, step := range [][2]string{
		{`{"action":"add","key":"k","content":"a","metadata":{"status":"active","priority":7,"x":null}}`, `{"priority":7,"status":"active","x":null}`},
		{`{"action":"replace","key":"k","set_metadata":{"status":"done"}}`, `{"priority":7,"status":"done","x":null}`},
		{`{"action":"replace","key":"k","set_metadata":{"x":null,"y":{"z":1}}}`, `{"priority":7,"status":"done","y":{"z":1}}`},
		{`{"action":"put","key":"k","content":"b","metadata":{"y":2}}`, `{"priority":7,"status":"done","y":2}`},
		{`{"action":"put","key":"k","content":"c","set_metadata":{"y":null},"outcome":"failure"}`, `{"priority":7,"status":"done","success_rate":0,"uses":1}`},
		{`{"action":"replace","key":"k","metadata":{"only":true}}`, `{"only":true}`},
		{`{"action":"replace","key":"k","set_metadata":{"only":null}}`, `null`},
	} {
		if got := metadata(step[0]); got != step[1] {
			t.Fatalf("%s: %s, want %s", step[0], got, step[1])
		}
	}
}

// TestAlso: nothing is written before every scope can take it, and what fails says which.
func TestAlso(t *testing.T) {
	f := newStore(t, 20, memory.OverflowError)
	f.table["notes"] = f.table[memory.ScopeGlobal]
	r := f.do(t, project, `{"action":"put","key":"k","content":"a","also":["notes","global_memory"]}`)
	if !r.OK || r.Message != "entry added to memory; also in notes, global_memory" || len(r.Results) != 3 || r.Results[1].Target != "notes" {
		t.Fatalf("%+v", r)
	}
	global, err := f.Resolve(t.Context(), memory.Caller{}, memory.ScopeGlobal)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.snapshot(t, global); got != "a" {
		t.Fatalf("global memory has %q", got)
	}
	again := `{"action":"put","key":"once","content":"b","on_key":"refuse","also":["notes"],"idempotency_key":"1"}`
	for _, request := range []string{again, again} {
		if r := f.do(t, project, request); !r.OK {
			t.Fatalf("%+v", r)
		}
	}
	f.do(t, global, `{"action":"add","content":"fills it almost"}`)
	for request, want := range map[string]string{
		`{"action":"add","content":"more than is left","also":["global_memory"]}`:  "over_limit global_memory: memory capacity",
		`{"action":"add","content":"x","also":["global_memory","global_memory"]}`:  "invalid also: global_memory is named twice",
		`{"action":"add","content":"x","also":["user"]}`:                           "invalid also: the profile",
		`{"action":"add","content":"x","also":["hunter2 is no scope of anybody"]}`: "invalid unknown target: (",
		`{"action":"remove","old":"a","also":["global_memory"]}`:                   `invalid field "also" has no meaning`,
	} {
		if r := f.do(t, project, request); r.OK || !strings.HasPrefix(r.Code+" "+r.Error, want) {
			t.Errorf("%s: %s %s", request, r.Code, r.Error)
		}
	}
	if got := f.snapshot(t, project); got != "a\nb" {
		t.Errorf("what failed elsewhere was written here: %q", got)
	}
}

// TestLearnedIsNotForItsCategory: the text of a conversation does not decide what can't
// be pushed out, and is not lost for metadata that nobody was asked for.
func TestLearnedIsNotForItsCategory(t *testing.T) {
	f := newStore(t, 100, memory.OverflowError)
	f.categories = memory.Categories{"restriction": {Pinned: true, Require: []string{"why"}, Type: "rule"}}
	content, category := "never on Fridays", "restriction"
	req := store.Request{Action: "add", Values: store.Values{Content: &content, Category: &category}}
	if _, err := f.Learn(t.Context(), memory.Source{}, time.Time{}, project, req); err != nil {
		t.Fatal(err)
	}
	e := f.do(t, project, `{"action":"get","content":"never on Fridays"}`).Entry
	if e.Pinned || e.Type != "rule" {
		t.Errorf("pinned %v, type %s", e.Pinned, e.Type)
	}
	if r := f.do(t, project, `{"action":"add","content":"a","category":"restriction"}`); r.Code != "invalid" || !strings.Contains(r.Error, "missing: why") {
		t.Errorf("an agent's: %+v", r)
	}
}
