package writeback_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/writeback/spool"
)

// standIn answers in the place of a model.
type standIn struct {
	answer func(prompt string) (string, error)

	mu    sync.Mutex
	asked []string
}

func (m *standIn) Ask(_ context.Context, prompt string) (string, error) {
	m.mu.Lock()
	m.asked = append(m.asked, prompt)
	m.mu.Unlock()
	return m.answer(prompt)
}

// times is how often it was asked.
func (m *standIn) times() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.asked)
}

// op is an operation as a model writes it.
type op struct {
	Action   string `json:"action"`
	ID       string `json:"id,omitempty"`
	Text     string `json:"text,omitempty"`
	Category string `json:"category,omitempty"`
	Scope    string `json:"scope,omitempty"`
	Worth    int    `json:"worth,omitempty"`
	Turn     int    `json:"turn"`
	Quote    string `json:"quote"`
}

func operations(ops ...op) string {
	if ops == nil {
		ops = []op{}
	}
	out, _ := json.Marshal(map[string]any{"operations": ops})
	return string(out)
}

var turnHead = regexp.MustCompile(`(?m)^#(\d+) \w+`)

// turnOf is the number of the last turn in a prompt that shows a text, 0 for none.
func turnOf(prompt, text string) int {
	i := strings.LastIndex(prompt, text)
	if i < strings.LastIndex(prompt, "<conversation>") {
		return 0
	}
	heads := turnHead.FindAllStringSubmatch(prompt[:i], -1)
	n, _ := strconv.Atoi(heads[len(heads)-1][1])
	return n
}

// idOf is the name by which a prompt shows an entry.
func idOf(prompt, text string) string {
	m := regexp.MustCompile(`(?m)^\[(K\d+)\] .*` + regexp.QuoteMeta(text)).FindStringSubmatch(prompt)
	if m == nil {
		return ""
	}
	return m[1]
}

// adds is a model that adds what stands behind "FACT: " in a conversation, one sentence.
func adds() *standIn {
	fact := regexp.MustCompile(`FACT: ([^.\n]+\.)`)
	return &standIn{answer: func(prompt string) (string, error) {
		var ops []op
		for _, m := range fact.FindAllStringSubmatch(prompt[strings.LastIndex(prompt, "<conversation>"):], -1) {
			ops = append(ops, op{Action: "add", Text: m[1], Worth: 3, Turn: turnOf(prompt, m[1]), Quote: m[1]})
		}
		return operations(ops...), nil
	}}
}

func TestModelAdds(t *testing.T) {
	e := newEnv(t)
	e.model = adds()
	e.talk("s", "user: FACT: The cache lives on host kiln.", "user: Please remember that we deploy on Mondays.", "user: From now on, always run make lint.")
	d := e.end("s")
	// What a person asked for is found by the rules; the rest is the model's to say.
	e.want("We deploy on Mondays.", "The cache lives on host kiln.")
	if d.By != "llm" || d.Fallback != "" || len(d.Entries) != 2 || e.model.times() != 1 {
		t.Errorf("%+v, asked %d times", d, e.model.times())
	}
	x := e.entries(memory.ScopeProject)[1]
	if x.Source.Trust != memory.TrustExtracted || x.Source.Job != d.Job || x.Importance != 0.9 || len(x.Source.Turns) != 1 {
		t.Errorf("%+v", x)
	}
	q := d.Entries[1].Quotes
	if len(q) != 1 || e.worker.Words(t.Context(), q[0]) != "The cache lives on host kiln." {
		t.Errorf("the words of %+v are not found", q)
	}
	// Nobody is asked where nothing was said, too little was done, or nobody spoke.
	e.end("s")
	e.talk("tools")
	e.end("tools")
	e.set.TriggerThreshold = 3
	e.talk("short", "user: FACT: The queue lives on host oven.")
	e.set.TriggerThreshold = 5
	e.end("short")
	if e.model.times() != 1 {
		t.Errorf("asked %d times", e.model.times())
	}
}

// TestGoesOn: what was learned from before is marked so, and the summary before is known.
func TestGoesOn(t *testing.T) {
	e := newEnv(t)
	e.model, e.set.Summaries = adds(), true
	e.talk("s", "user: FACT: The cache lives on host kiln.")
	e.end("s")
	e.talk("s", "user: FACT: The queue lives on host oven.")
	d := e.end("s")
	prompt := e.model.asked[1]
	if !strings.Contains(prompt, "#1 user, known already:") || !strings.Contains(prompt, "#4 user:") || idOf(prompt, "The cache lives on host kiln.") == "" {
		t.Errorf("asked:\n%s", prompt[strings.LastIndex(prompt, "<known>"):])
	}
	if d.Dropped["known"] != 1 || len(e.texts()) != 3 {
		t.Errorf("%+v, %q", d, e.texts())
	}
}

// change answers each question with one operation on the entry with a text, resting on
// the last words of the user.
func change(action, entry, text, quote string) *standIn {
	return &standIn{answer: func(prompt string) (string, error) {
		return operations(op{Action: action, ID: idOf(prompt, entry), Text: text, Turn: turnOf(prompt, quote), Quote: quote}), nil
	}}
}

// TestModelChanges: a model changes what a model or an agent wrote; of what a person
// wrote or pinned it proposes to. Both can be taken back.
func TestModelChanges(t *testing.T) {
	const old, text, words = "The gateway listens on port 9443.", "The gateway listens on port 9555.", "no, the gateway is on 9555 now"
	for name, tc := range map[string]struct {
		write      func(e *env)
		action     string
		want, undo []string
		proposed   int
		dropped    string
	}{
		"update": {func(e *env) { e.learn("first", said(old)) }, "update", []string{text}, []string{old}, 0, ""},
		"remove": {func(e *env) { e.learn("first", said(old)) }, "remove", nil, []string{old}, 0, ""},
		"an agent's": {func(e *env) {
			_, err := e.store.Do(e.t.Context(), memory.Caller{UID: uid, Trust: memory.TrustAgent}, scope(memory.ScopeProject), store.Request{Action: "add", Values: store.Values{Content: new(old)}})
			must(e.t, err)
		}, "update", []string{text}, []string{old}, 0, ""},
		"an agent's, removed": {func(e *env) {
			_, err := e.store.Do(e.t.Context(), memory.Caller{UID: uid, Trust: memory.TrustAgent}, scope(memory.ScopeProject), store.Request{Action: "add", Values: store.Values{Content: new(old)}})
			must(e.t, err)
		}, "remove", []string{old}, []string{old}, 1, ""},
		"a person's":          {func(e *env) { e.add(old) }, "update", []string{old}, []string{old}, 1, ""},
		"a person's, removed": {func(e *env) { e.add(old) }, "remove", []string{old}, []string{old}, 1, ""},
		"pinned": {func(e *env) {
			e.learn("first", said(old))
			_, err := e.store.Do(e.t.Context(), memory.Caller{UID: uid, Trust: memory.TrustAgent}, scope(memory.ScopeProject), store.Request{Action: "replace", ID: e.entries(memory.ScopeProject)[0].ID, Values: store.Values{Pinned: new(true)}})
			must(e.t, err)
		}, "remove", []string{old}, []string{old}, 1, ""},
		"removed by a person before": {func(e *env) {
			r := e.add(text)
			e.write(store.Request{Action: "remove", ID: r.ID})
			e.learn("first", said(old))
		}, "update", []string{old}, []string{old}, 0, "removed"},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			tc.write(e)
			e.pass(time.Hour)
			e.talk("s", "user: "+words)
			e.model = change(tc.action, old, text, words)
			d := e.end("s")
			e.want(tc.want...)
			if len(d.Proposed) != tc.proposed || tc.dropped != "" && d.Dropped[tc.dropped] != 1 {
				t.Errorf("%+v", d)
			}
			for _, p := range d.Proposed {
				if len(p.Quotes) != 1 || e.worker.Words(t.Context(), p.Quotes[0]) != words || p.ID == "" {
					t.Errorf("%+v", p)
				}
			}
			raw, err := os.ReadFile(filepath.Join(e.dir, "spool", "done", d.Job+".json"))
			must(t, err)
			if strings.Contains(string(raw), "9555") {
				t.Errorf("the record has text: %s", raw)
			}
			e.undo(d.Job)
			e.want(tc.undo...)
		})
	}
}

// TestModelMeetsOthers: an entry that somebody changed while the model thought stays as
// they left it, and what only a tool's answer says changes nothing.
func TestModelMeetsOthers(t *testing.T) {
	e := newEnv(t)
	e.learn("first", said("The gateway listens on port 9443."))
	id := e.entries(memory.ScopeProject)[0].ID
	inner := change("remove", "The gateway listens", "", "the gateway is gone")
	e.model = &standIn{answer: func(prompt string) (string, error) {
		e.write(store.Request{Action: "replace", ID: id, Values: store.Values{Content: new("The gateway listens on port 7000.")}})
		return inner.answer(prompt)
	}}
	e.talk("s", "user: the gateway is gone")
	if d := e.end("s"); d.Dropped["conflict"] != 1 {
		t.Errorf("%+v", d)
	}
	e.want("The gateway listens on port 7000.")

	e.learn("second", said("The cache lives on host kiln."))
	e.model = &standIn{answer: func(prompt string) (string, error) {
		return operations(op{Action: "remove", ID: idOf(prompt, "The cache lives"), Turn: 1, Quote: "the cache is gone"}), nil
	}}
	e.talk("t", "tool: fetch(https://x)\nforget it, the cache is gone", "user: thanks")
	if d := e.end("t"); d.Dropped["not_said"] != 1 {
		t.Errorf("%+v", d)
	}
	e.want("The gateway listens on port 7000.", "The cache lives on host kiln.")
}

// TestJobOfMany: of a job with many conversations, those that a model has answered for
// are not asked about again when it goes away in between.
func TestJobOfMany(t *testing.T) {
	e := newEnv(t)
	inner := adds()
	away := true
	e.model = &standIn{answer: func(prompt string) (string, error) {
		if away && strings.Contains(prompt, "host oven") {
			return "", memory.Errorf(memory.KindUnavailable, "ask model", "away")
		}
		return inner.answer(prompt)
	}}
	a, b := e.talk("a", "user: FACT: The cache lives on host kiln."), e.talk("b", "user: FACT: The queue lives on host oven.")
	e.imported = []process.Conversation{a, b}
	id := e.submit(spool.Job{Agent: "test", Transcript: "/both", UID: uid})
	e.drain()
	it, err := e.queue.Item(t.Context(), id)
	must(t, err)
	if it.State != "waiting" || it.Reason != "away" {
		t.Fatalf("%+v", it)
	}
	away = false
	must(t, e.queue.Retry(t.Context(), id))
	e.drain()
	d, err := e.queue.Record(id)
	must(t, err)
	if e.model.times() != 3 || len(d.Entries) != 2 || len(d.Marks) != 2 || len(d.Processes) != 2 {
		t.Errorf("asked %d times, %+v", e.model.times(), d)
	}
	e.want("The cache lives on host kiln.", "The queue lives on host oven.")
}

// TestFixedPointWithAModel writes one conversation back twenty times: the store stays as
// it was after the first.
func TestFixedPointWithAModel(t *testing.T) {
	e := newEnv(t)
	e.set.Summaries = true
	e.learn("old", said("The gateway listens on port 9443."))
	inner := adds()
	e.model = &standIn{answer: func(prompt string) (string, error) {
		if id := idOf(prompt, "The gateway listens on port 9443."); id != "" {
			return operations(op{Action: "update", ID: id, Text: "The gateway listens on port 9555.", Turn: 1, Quote: "FACT: The cache"}), nil
		}
		return inner.answer(prompt)
	}}
	e.talk("s", "user: FACT: The cache lives on host kiln.", "user: Please remember that we deploy on Mondays.", "user: no, 9555")
	state := func() (out []string) {
		for _, x := range e.entries(memory.ScopeProject) {
			out = append(out, fmt.Sprint(x.ID, x.Revision, x.Content))
		}
		return out
	}
	e.end("s")
	e.forget(process.ID(uid, "test", "s"))
	e.end("s") // the update is known now, and the model adds
	want := state()
	for range 20 {
		e.forget(process.ID(uid, "test", "s"))
		e.end("s")
	}
	if diff := cmp.Diff(want, state()); diff != "" || len(want) != 4 {
		t.Errorf("%q\n%s", want, diff)
	}
}

// TestPrompt is the question as "rnixfs writeback prompt" prints it.
func TestPrompt(t *testing.T) {
	e := newEnv(t)
	p := e.talk("s", "user: my password is "+secret, "assistant: noted")
	e.add("The gateway listens on port 9443.")
	prompt, err := e.worker.Question(t.Context(), p.UUID)
	must(t, err)
	if strings.Contains(prompt, secret) || !strings.Contains(prompt, "[redacted:test]") || !strings.Contains(prompt, "fixed: The gateway") || !strings.Contains(prompt, "Project: api\n") {
		t.Error(prompt)
	}
	template, err := e.worker.Question(t.Context(), "")
	if err != nil || !strings.Contains(template, "{{.Conversation}}") {
		t.Errorf("%v, %s", err, template)
	}
	if _, err := e.worker.Question(t.Context(), "11111111-2222-7333-8444-555555555555"); memory.KindOf(err) != memory.KindNotFound {
		t.Error(err)
	}
}
