package vfs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
)

// processBench is a process device over a store of its own.
type processBench struct {
	t     *testing.T
	dev   *processDevice
	store *process.Store
	ended []string
	fail  error
}

func newProcessBench(t *testing.T) *processBench {
	t.Helper()
	b := &processBench{t: t}
	var err error
	b.store, err = process.Open(t.TempDir(), process.Options{Redact: func(_ context.Context, s string) (string, bool, error) {
		out := strings.ReplaceAll(s, "hunter2", "***")
		return out, out != s, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	b.dev, _ = NewProcess(ProcessOptions{
		Store:   func(uint32) (*process.Store, error) { return b.store, nil },
		Project: func(_ memory.Caller, dir string) (string, memory.Folder, bool) { return dir, memory.Folder{}, true },
		Ended: func(_ context.Context, p process.Conversation) (string, error) {
			b.ended = append(b.ended, p.UUID)
			return "job", b.fail
		},
	}).(*processDevice)
	return b
}

// do runs a request in a project and returns the reply.
func (b *processBench) do(project, request string) (map[string]any, Result) {
	b.t.Helper()
	res := b.dev.Exec(context.Background(), memory.Caller{Project: project, Trust: memory.TrustAgent}, []byte(request))
	var reply map[string]any
	if err := json.Unmarshal(res.Body, &reply); err != nil {
		b.t.Fatalf("%s: %v", res.Body, err)
	}
	return reply, res
}

func (b *processBench) turns(project, uuid string) (out []string) {
	b.t.Helper()
	for turn, err := range b.store.Turns(context.Background(), project, uuid, process.Position{}) {
		if err != nil {
			b.t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%s %s", turn.Role, turn.Content))
	}
	return out
}

func TestProcessConversation(t *testing.T) {
	b := newProcessBench(t)
	started, _ := b.do("/p", `{"action":"start","agent":"a","session":"1","title":"T","model":"m"}`)
	uuid, _ := started["uuid"].(string)
	for _, request := range []string{
		`{"action":"turn","agent":"a","session":"1","role":"user","content":"the password is hunter2"}`,
		`{"action":"turn","agent":"a","external":"1","role":"assistant","content":"noted","id":"x"}`,
		`{"action":"turn","uuid":"` + uuid + `","role":"assistant","content":"noted","id":"x"}`,
		`{"action":"turns","uuid":"` + uuid + `","turns":[{"role":"tool","tool":"Bash","content":"ls","failed":true},{"role":"system","content":"s","time":"2027-01-01T00:00:00Z"}]}`,
	} {
		if reply, res := b.do("/p", request); !res.OK || reply["uuid"] != uuid {
			t.Errorf("%s: %s", request, res.Body)
		}
	}
	want := []string{"user the password is ***", "assistant noted", "tool ls", "system s"}
	if diff := cmp.Diff(want, b.turns("/p", uuid)); diff != "" {
		t.Error(diff)
	}
	reply, _ := b.do("/p", `{"action":"end","agent":"a","session":"1","exit_code":3,"reason":"error"}`)
	if reply["job"] != "job" || len(b.ended) != 1 || reply["turns"] != 4.0 {
		t.Errorf("%v, %v", reply, b.ended)
	}
	p, err := b.store.Conversation(context.Background(), "/p", uuid)
	if err != nil || p.ExitCode == nil || *p.ExitCode != 3 || p.Title != "T" || p.Trust != memory.TrustAgent || p.End.IsZero() {
		t.Errorf("%+v, %v", p, err)
	}
	for _, action := range []string{"get", "status"} {
		if reply, res := b.do("/p", `{"action":"`+action+`","uuid":"`+uuid+`"}`); !res.OK || reply["turns"] != 4.0 {
			t.Errorf("%s", res.Body)
		}
	}
	// One that can't be handed over has not ended for its caller.
	b.fail = errors.New("disk")
	if _, res := b.do("/p", `{"action":"end","uuid":"`+uuid+`"}`); res.OK {
		t.Error("acknowledged")
	}
}

// TestProcessesOfOthers: a conversation of another project is not there.
func TestProcessesOfOthers(t *testing.T) {
	b := newProcessBench(t)
	reply, _ := b.do("/p", `{"action":"turn","agent":"a","session":"1","role":"user","content":"x"}`)
	uuid := fmt.Sprint(reply["uuid"])
	for _, request := range []string{
		`{"action":"get","uuid":"` + uuid + `"}`,
		`{"action":"get","agent":"a","session":"1"}`,
		`{"action":"turn","uuid":"` + uuid + `","role":"user","content":"y"}`,
		`{"action":"end","agent":"a","session":"1"}`,
		`{"action":"end","uuid":"` + uuid + `"}`,
	} {
		if reply, res := b.do("/other", request); res.Kind != memory.KindNotFound || reply["code"] != "not_found" {
			t.Errorf("%s: %s", request, res.Body)
		}
	}
	// Whoever would begin one is told that its name is taken.
	for _, request := range []string{
		`{"action":"turn","agent":"a","session":"1","role":"user","content":"y"}`,
		`{"action":"turns","agent":"a","session":"1","turns":[{"role":"user","content":"y"}]}`,
		`{"action":"start","agent":"a","session":"1"}`,
	} {
		if reply, res := b.do("/other", request); res.Kind != memory.KindExists || !strings.Contains(fmt.Sprint(reply["error"]), "another project") {
			t.Errorf("%s: %s", request, res.Body)
		}
	}
	if got := b.turns("/p", uuid); len(got) != 1 || len(b.ended) != 0 {
		t.Errorf("%q, %v", got, b.ended)
	}
	if err := b.store.Remove(context.Background(), "/p", uuid); err != nil {
		t.Fatal(err)
	}
	if _, res := b.do("/p", `{"action":"turn","agent":"a","session":"1","role":"user","content":"again"}`); res.Kind != memory.KindNotFound {
		t.Errorf("a removed one: %s", res.Body)
	}
}

func TestProcessRefuses(t *testing.T) {
	b := newProcessBench(t)
	for request, kind := range map[string]memory.Kind{
		`{}`:                 memory.KindInvalid,
		`{"action":"begin"}`: memory.KindInvalid,
		`{"action":"turn","session":"1","role":"king","content":"x"}`:                                               memory.KindInvalid,
		`{"action":"turn","session":"1","role":"user"}`:                                                             memory.KindInvalid,
		`{"action":"turn","session":"1","role":"user","content":"x","time":"now"}`:                                  memory.KindInvalid,
		`{"action":"turn","session":"1","role":"user","content":"x","turns":[]}`:                                    memory.KindInvalid,
		`{"action":"turn","role":"user","content":"x"}`:                                                             memory.KindInvalid,
		`{"action":"turn","session":"1","uuid":"11111111-2222-5333-8444-555555555555","role":"user","content":"x"}`: memory.KindInvalid,
		`{"action":"turn","uuid":"../x","role":"user","content":"x"}`:                                               memory.KindInvalid,
		`{"action":"turns","session":"1","turns":[]}`:                                                               memory.KindInvalid,
		`{"action":"turns","session":"1","turns":[{"role":"user","content":"x"},{"role":"user"}]}`:                  memory.KindInvalid,
		`{"action":"turns","session":"1","turns":[{"role":"user","content":"x","uid":0}]}`:                          memory.KindInvalid,
		`{"action":"start","session":"1","external":"2"}`:                                                           memory.KindInvalid,
		`{"action":"start","session":"1","exit_code":0}`:                                                            memory.KindInvalid,
		`{"action":"end","session":"1","content":"x"}`:                                                              memory.KindInvalid,
		`{"action":"end","session":"unknown"}`:                                                                      memory.KindNotFound,
		`{"action":"get","session":"1","uid":0}`:                                                                    memory.KindInvalid,
		`{"action":"turn","session":"1","project":"/elsewhere","role":"user","content":"x"}`:                        memory.KindDenied,
	} {
		if reply, res := b.do("/p", request); res.OK || res.Kind != kind || reply["error"] == "" {
			t.Errorf("%s: %s", request, res.Body)
		}
	}
	sum, err := b.store.Counters(context.Background())
	if err != nil || sum.Turns != 0 {
		t.Errorf("%+v, %v", sum, err)
	}
}

// TestProcessSessionTree: in s/<id>/ the id is the session.
func TestProcessSessionTree(t *testing.T) {
	b := newProcessBench(t)
	res := b.dev.Exec(context.Background(), memory.Caller{Project: "/p", Session: "one"}, []byte(`{"action":"turn","role":"user","content":"x"}`))
	if !res.OK || len(b.turns("/p", process.ID(0, "", "one"))) != 1 {
		t.Errorf("%s", res.Body)
	}
}

// TestProcessTogether: requests that came together have the answers that they
// would have one by one, up to the first that fails.
func TestProcessTogether(t *testing.T) {
	for _, tc := range []struct {
		requests []string
		added    []float64 // of each result; -1: it failed, -2: not said
		turns    int
	}{
		{[]string{`{"action":"turn","session":"1","role":"user","content":"a"}`, `{"action":"turns","session":"1","turns":[{"role":"user","content":"b"},{"role":"tool","content":"c"}]}`, `{"action":"turn","session":"1","role":"user","content":"d"}`}, []float64{1, 2, 1}, 4},
		{[]string{`{"action":"start","session":"1"}`, `{"action":"turn","session":"1","role":"user","content":"a"}`, `{"action":"turn","session":"1","role":"user","content":"b"}`, `{"action":"end","session":"1"}`}, []float64{-2, 1, 1, -2}, 2},
		{[]string{`{"action":"turn","session":"1","role":"user","content":"a"}`, `{"action":"turn","session":"2","role":"user","content":"b"}`, `{"action":"turn","session":"1","role":"user","content":"c"}`}, []float64{1, 1, 1}, 2},
		{[]string{`{"action":"turn","session":"1","role":"user","content":"a"}`, `{"action":"turn","session":"1","role":"user","content":"b"}`, `{"action":"turn","session":"1","role":"king","content":"c"}`, `{"action":"turn","session":"1","role":"user","content":"d"}`}, []float64{1, 1, -1}, 2},
		{[]string{`{"action":"turn","session":"1","id":"x","role":"user","content":"a"}`, `{"action":"turn","session":"1","id":"x","role":"user","content":"a"}`}, []float64{-2, 1}, 1},
		{[]string{`{"action":"turn","uuid":"11111111-2222-5333-8444-555555555555","role":"user","content":"a"}`, `{"action":"turn","uuid":"11111111-2222-5333-8444-555555555555","role":"user","content":"a"}`}, []float64{-1}, 0},
	} {
		b := newProcessBench(t)
		var raw [][]byte
		for _, r := range tc.requests {
			raw = append(raw, []byte(r))
		}
		results := b.dev.ExecAll(context.Background(), memory.Caller{Project: "/p"}, raw)
		var added []float64
		for _, res := range results {
			var reply struct{ Added *float64 }
			if err := json.Unmarshal(res.Body, &reply); err != nil {
				t.Fatal(err)
			}
			switch {
			case !res.OK:
				added = append(added, -1)
			case reply.Added == nil:
				added = append(added, -2)
			default:
				added = append(added, *reply.Added)
			}
		}
		if diff := cmp.Diff(tc.added, added); diff != "" {
			t.Errorf("%q: %s", tc.requests, diff)
		}
		if tc.turns > 0 {
			if got := b.turns("/p", process.ID(0, "", "1")); len(got) != tc.turns {
				t.Errorf("%q: %q", tc.requests, got)
			}
		}
	}
}

// TestProcessHandedOverAgain: turns without ids are known again by the time that
// they were given, and are new without one.
func TestProcessHandedOverAgain(t *testing.T) {
	b := newProcessBench(t)
	var at time.Time
	b.dev.Now = func() time.Time { at = at.Add(time.Second); return at }
	for name, r := range map[string]struct {
		turn  string
		again float64
	}{
		"with ids":     {`{"role":"user","content":"yes","id":"%d"}`, 0},
		"with times":   {`{"role":"user","content":"yes","time":"2027-01-01T00:00:0%dZ"}`, 0},
		"of one time":  {`{"role":"user","content":"yes %d","time":"2027-01-01T00:00:00Z"}`, 0},
		"equal turns":  {`{"role":"user","content":"yes","time":"2027-01-01T00:00:00Z"}`, 0},
		"with neither": {`{"role":"user","content":"yes %d"}`, 3},
	} {
		t.Run(name, func(t *testing.T) {
			turns := make([]string, 3)
			for i := range turns {
				turns[i] = strings.ReplaceAll(r.turn, "%d", strconv.Itoa(i+1))
			}
			request := `{"action":"turns","session":"` + name + `","turns":[` + strings.Join(turns, ",") + `]}`
			first, _ := b.do("/p", request)
			again, _ := b.do("/p", request)
			if first["added"] != 3.0 || again["added"] != r.again {
				t.Errorf("added %v, then %v; want 3, then %v", first["added"], again["added"], r.again)
			}
		})
	}
}
