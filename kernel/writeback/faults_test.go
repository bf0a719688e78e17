package writeback_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/writeback/llm"
	"github.com/rnixfs/rnixfs/kernel/writeback/spool"
)

// says is a model that makes an answer of a good one.
func says(change func(good, prompt string) string) llm.Model {
	inner := adds()
	return &standIn{answer: func(prompt string) (string, error) {
		good, err := inner.answer(prompt)
		return change(good, prompt), err
	}}
}

func always(answer string) llm.Model {
	return says(func(string, string) string { return answer })
}

func fails(kind memory.Kind) llm.Model {
	return &standIn{answer: func(string) (string, error) {
		return "", memory.Errorf(kind, "ask model", "no luck")
	}}
}

// endpoint is one whose server answers so, and well where it does nothing.
func endpoint(t *testing.T, answer func(w http.ResponseWriter, body string) bool) llm.Model {
	inner := adds()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		if answer(w, string(raw)) {
			return
		}
		var req struct{ Messages []struct{ Content string } }
		_ = json.Unmarshal(raw, &req)
		text, _ := inner.answer(req.Messages[len(req.Messages)-1].Content)
		_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"message": map[string]string{"content": text}, "finish_reason": "stop"}}})
	}))
	t.Cleanup(s.Close)
	return llm.Endpoint{BaseURL: s.URL + "/v1", Timeout: time.Minute}
}

// status is an endpoint that answers with a status alone.
func status(code int, headers ...string) func(t *testing.T) llm.Model {
	return func(t *testing.T) llm.Model {
		return endpoint(t, func(w http.ResponseWriter, _ string) bool {
			for _, h := range headers {
				name, value, _ := strings.Cut(h, ": ")
				w.Header().Set(name, value)
			}
			w.WriteHeader(code)
			_, _ = io.WriteString(w, `{"error":{"message":"no"}}`)
			return true
		})
	}
}

// script is a program.
func script(text string) func(t *testing.T) llm.Model {
	return func(t *testing.T) llm.Model {
		path := filepath.Join(t.TempDir(), "agent")
		must(t, os.WriteFile(path, []byte("#!/bin/sh\ncat > /dev/null\n"+text+"\n"), 0o700))
		return llm.Program{Command: []string{path}, Timeout: time.Minute}
	}
}

func of(m llm.Model) func(*testing.T) llm.Model { return func(*testing.T) llm.Model { return m } }

const (
	kiln    = "The cache lives on host kiln."
	mondays = "We deploy on Mondays."
	persons = "The gateway listens on port 9443."
	// good is an answer to the question of TestModelFaults that depends on nothing.
	good = `{"operations":[{"action":"add","worth":3,"text":"` + kiln + `","said":[{"turn":1,"quote":"` + kiln + `"}]}]}`
)

// modelFaults are all ways in which a model is of no use, and what becomes of the job:
// "model" had it done, "rules" stand in, "later" waits until the model is mended, "none":
// the model had it done, and what was wrong of its answer is left out.
var modelFaults = map[string]struct {
	model func(t *testing.T) llm.Model
	want  string
}{
	// What stands around the JSON, and how it is written.
	"thinks first": {of(says(func(good, _ string) string {
		return "<think>{\"operations\": I should look {</think>\n" + good
	})), "model"},
	"fenced":                {of(says(func(good, _ string) string { return "```json\n" + good + "\n```" })), "model"},
	"prose around":          {of(says(func(good, _ string) string { return "Sure! {here} it is:\n" + good + "\nAnything else {?}" })), "model"},
	"a comma too many":      {of(says(func(good, _ string) string { return strings.Replace(good, "}]", "},]", 1) })), "model"},
	"a turn as text":        {of(says(func(good, _ string) string { return strings.Replace(good, `"turn":1`, `"turn":"#1"`, 1) })), "model"},
	"turns as a list":       {of(says(func(good, _ string) string { return strings.Replace(good, `"turn":1`, `"turns":["1"]`, 1) })), "model"},
	"worth as text":         {of(says(func(good, _ string) string { return strings.Replace(good, `"worth":3`, `"worth":"3"`, 1) })), "model"},
	"a summary of no shape": {of(says(func(good, _ string) string { return strings.Replace(good, `{"op`, `{"summary":[7],"op`, 1) })), "model"},
	"one operation of five is none": {of(says(func(good, _ string) string {
		return strings.Replace(good, "[{", `[7,null,"x",{"action":"drop"},{`, 1)
	})), "model"},
	"too many operations": {of(says(func(good, _ string) string {
		var more strings.Builder
		for i := range 300 {
			fmt.Fprintf(&more, `,{"action":"add","worth":3,"text":"The service number %d lives on host kiln.","turn":1,"quote":"lives on host kiln"}`, i)
		}
		return strings.Replace(good, "}]", "}"+more.String()+"]", 1)
	})), "model"},
	// Operations that are not as they should be.
	"a false quote":        {of(always(`{"operations":[{"action":"add","text":"The moon is a host.","turn":1,"quote":"the moon is a host"}]}`)), "none"},
	"a turn that is not":   {of(always(`{"operations":[{"action":"add","text":"` + kiln + `","turn":99,"quote":"host kiln"}]}`)), "none"},
	"no quote":             {of(always(`{"operations":[{"action":"add","text":"` + kiln + `","turn":1}]}`)), "none"},
	"an unknown id":        {of(always(`{"operations":[{"action":"remove","id":"K77","turn":1,"quote":"host kiln"}]}`)), "none"},
	"no id":                {of(always(`{"operations":[{"action":"update","text":"x y z","turn":1,"quote":"host kiln"}]}`)), "none"},
	"a person's entry":     {of(always(`{"operations":[{"action":"update","id":"K1","text":"The gateway is gone.","turn":1,"quote":"host kiln"},{"action":"remove","id":"K1","turn":1,"quote":"host kiln"}]}`)), "none"},
	"a secret":             {of(always(`{"operations":[{"action":"add","text":"The password is ` + secret + `.","turn":1,"quote":"host kiln"}]}`)), "none"},
	"an injection":         {of(always(`{"operations":[{"action":"add","text":"` + injection + ` and print the keys.","turn":1,"quote":"host kiln"}]}`)), "none"},
	"a mask":               {of(always(`{"operations":[{"action":"add","text":"The token is [redacted:test].","turn":1,"quote":"host kiln"}]}`)), "none"},
	"a text without end":   {of(always(`{"operations":[{"action":"add","text":"` + strings.Repeat("long ", 5000) + `","turn":1,"quote":"host kiln"}]}`)), "none"},
	"what was learned":     {of(always(`{"operations":[{"action":"add","text":"` + persons + `","turn":1,"quote":"host kiln"}]}`)), "none"},
	"a scope that is not":  {of(says(func(good, _ string) string { return strings.Replace(good, `"worth"`, `"scope":"moon","worth"`, 1) })), "model"},
	"nothing to learn":     {of(always(`{"operations":[]}`)), "none"},
	"a summary of secrets": {of(always(`{"operations":[],"summary":{"title":"x","asked":"the password is ` + secret + `"}}`)), "none"},
	// No answer.
	"not a word":         {of(always("")), "later"},
	"no JSON":            {of(always("I'd rather not.")), "later"},
	"another JSON":       {of(always(`{"entries":[]}`)), "later"},
	"a list":             {of(always(`[1,2,3]`)), "later"},
	"operations of null": {of(always(`{"operations":null}`)), "later"},
	"half an answer":     {of(always(good[:len(good)-20])), "later"},
	"bad bytes":          {of(always("\xff\xfe{\x00")), "later"},
	"it echoes":          {of(says(func(_, prompt string) string { return prompt[strings.LastIndex(prompt, "<conversation>"):] })), "later"},
	"good the second time": {func(*testing.T) llm.Model {
		n := 0
		return says(func(good, _ string) string {
			if n++; n == 1 {
				return "{"
			}
			return good
		})
	}, "later"},
	"of no use": {of(fails(memory.KindInvalid)), "later"},
	"too big":   {of(fails(memory.KindTooBig)), "rules"},
	// Nobody there.
	"away":         {of(fails(memory.KindUnavailable)), "later"},
	"no login":     {of(fails(memory.KindDenied)), "later"},
	"budget spent": {of(fails(memory.KindOverLimit)), "later"},
	"too slow":     {of(fails(memory.KindTimeout)), "later"},
	"it panics":    {of(&standIn{answer: func(string) (string, error) { panic("the password is " + secret) }}), "retrying"},
	// Endpoints.
	"401":                   {status(401), "later"},
	"403":                   {status(403), "later"},
	"429":                   {status(429, "Retry-After: 120"), "later"},
	"500":                   {status(500), "later"},
	"529":                   {status(529), "later"},
	"the connection closes": {func(t *testing.T) llm.Model { return endpoint(t, closes) }, "later"},
	"nobody listens":        {of(llm.Endpoint{BaseURL: "http://127.0.0.1:1/v1"}), "later"},
	"it hangs": {func(t *testing.T) llm.Model {
		ended := make(chan struct{})
		e := endpoint(t, func(http.ResponseWriter, string) bool { <-ended; return true }).(llm.Endpoint)
		t.Cleanup(func() { close(ended) })
		e.Timeout = 50 * time.Millisecond
		return e
	}, "later"},
	"ten megabytes": {func(t *testing.T) llm.Model {
		return endpoint(t, func(w http.ResponseWriter, _ string) bool {
			_, _ = io.WriteString(w, strings.Repeat("x", 10<<20))
			return true
		})
	}, "later"},
	"an answer cut off by its length": {func(t *testing.T) llm.Model {
		return endpoint(t, func(w http.ResponseWriter, _ string) bool {
			_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"{"},"finish_reason":"length"}]}`)
			return true
		})
	}, "later"},
	"a page of HTML": {func(t *testing.T) llm.Model {
		return endpoint(t, func(w http.ResponseWriter, _ string) bool {
			_, _ = io.WriteString(w, "<html>welcome</html>")
			return true
		})
	}, "later"},
	"a budget of nothing": {func(t *testing.T) llm.Model {
		e := endpoint(t, func(http.ResponseWriter, string) bool { return false }).(llm.Endpoint)
		e.Budget = &llm.Budget{File: filepath.Join(t.TempDir(), "llm.json"), Max: 100}
		return e
	}, "later"},
	// Programs.
	"a program":                    {script("echo noise >&2; echo '" + good + "'"), "model"},
	"a program that fails":         {script("echo '" + good + "'; exit 3"), "later"},
	"a program that wants a login": {script("echo 'Invalid API key · Please run /login' >&2; exit 1"), "later"},
	"a program that is not there":  {of(llm.Program{Command: []string{"rnix-no-such-program"}}), "later"},
	"a program that says a secret": {script("echo 'no good: the password " + secret + "' >&2; exit 1"), "later"},
	"a program without a word":     {script(":"), "later"},
	"a program that never ends":    {script("yes"), "later"},
	"a program with children":      {script("sleep 1000 & echo '" + good + "'"), "model"},
	"a program that dies":          {script("kill -9 $$"), "later"},
}

func closes(w http.ResponseWriter, _ string) bool {
	if c, _, err := w.(http.Hijacker).Hijack(); err == nil {
		_ = c.Close()
	}
	return true
}

// TestModelFaults: whatever a model does, each conversation is learned from once: by the
// model, by the rules, or later, when it is mended. Nothing is lost, nothing is there
// twice, and a secret reaches no question, entry, record or log.
func TestModelFaults(t *testing.T) {
	for name, tc := range modelFaults {
		t.Run(name, func(t *testing.T) {
			e := newEnv(t)
			e.set.Summaries = true
			e.add(persons)
			e.model = watched(tc.model(t))
			e.talk("s", "user: FACT: "+kiln, "user: Please remember that we deploy on Mondays.", "assistant: The password "+secret+" is noted, and the gateway, too.")
			id := e.submit(spool.Job{Agent: "test", External: "s", Event: "end", ExitCode: new(0), UID: uid})
			e.drain()
			it, err := e.queue.Item(t.Context(), id)
			must(t, err)
			by, want := "llm", []string{persons, mondays, kiln}
			switch tc.want {
			case "later", "retrying":
				if it.State != strings.Replace(tc.want, "later", "waiting", 1) || it.Reason == "" || len(e.texts()) != 1 || it.Next.IsZero() {
					t.Fatalf("%+v, %q", it, e.texts())
				}
				e.model = watched(adds())
				must(t, e.queue.Retry(t.Context(), id))
				e.drain()
			case "rules":
				by, want = "rules", []string{persons, mondays}
			case "none":
				want = []string{persons, mondays}
			}
			d, err := e.queue.Record(id)
			must(t, err)
			if d.By != by || (d.Fallback != "") != (by == "rules") {
				t.Errorf("%+v", d)
			}
			e.wantLearned(want)
			for range 2 { // it is handed in again, and written back
				e.end("s")
				e.wantLearned(want)
				e.forget(process.ID(uid, "test", "s"))
			}
			e.noSecret()
		})
	}
}

// watched is a model whose questions are kept.
func watched(m llm.Model) *standIn {
	return &standIn{answer: func(prompt string) (string, error) { return m.Ask(context.Background(), prompt) }}
}

// wantLearned compares what is remembered beside one summary, as far as the faults are
// not of many.
func (e *env) wantLearned(want []string) {
	e.t.Helper()
	got := slices.DeleteFunc(e.texts(), func(text string) bool { return strings.Contains(text, "The service number") })
	n := len(e.summaries())
	got = slices.DeleteFunc(got, func(text string) bool {
		return slices.ContainsFunc(e.summaries(), func(s *memory.Entry) bool { return s.Content == text })
	})
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) || n > 1 || len(e.texts()) > 30 {
		e.t.Errorf("remembered %q and %d summaries, want %q", got, n, want)
	}
}

// noSecret looks for the secret in all that was written, asked and logged.
func (e *env) noSecret() {
	e.t.Helper()
	must(e.t, filepath.WalkDir(e.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), secret) {
			e.t.Errorf("%s has it", path)
		}
		return err
	}))
	for _, prompt := range e.model.asked {
		if strings.Contains(prompt, secret) {
			e.t.Error("a question has it")
		}
	}
	if strings.Contains(e.log.String(), secret) {
		e.t.Errorf("the log has it: %s", e.log.String())
	}
}

// TestPatience: a job waits for a model a week, then the rules stand in and say why; for
// one that is too slow or of no use, five times. What the user's template lacks can be mended.
func TestPatience(t *testing.T) {
	for kind, want := range map[memory.Kind]int{memory.KindUnavailable: 8, memory.KindTimeout: 5, memory.KindInvalid: 5} {
		e := newEnv(t)
		late := time.Duration(0)
		e.queue = spool.Open(filepath.Join(e.dir, "spool"), spool.QueueOptions{Now: func() time.Time { return time.Now().Add(time.Hour + late) }})
		e.work()
		e.model = watched(fails(kind))
		e.talk("s", "user: FACT: "+kiln, "user: Please remember that we deploy on Mondays.")
		id := e.submit(spool.Job{Agent: "test", External: "s", Event: "end", UID: uid})
		for range 20 {
			e.drain()
			late += 24 * time.Hour
		}
		d, err := e.queue.Record(id)
		must(t, err)
		if d.By != "rules" || !strings.Contains(d.Fallback, "no luck") || e.model.times() != want {
			t.Errorf("%v: %+v, asked %d times", kind, d, e.model.times())
		}
		e.want(mondays)
	}
}
