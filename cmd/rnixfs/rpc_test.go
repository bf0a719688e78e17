package main_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/vfs/rpc/rpctest"
)

// calls is a client of gRPC.
type calls struct{ *rpctest.Client }

// newCalls connects to the socket of a mount, whose memory.yaml has it.
func newCalls(t *testing.T, m *mount) calls {
	t.Helper()
	c, err := rpctest.Dial(m.socket())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return calls{c}
}

// configure writes the user's memory.yaml.
func (m *mount) configure(yaml string) {
	m.t.Helper()
	dir := filepath.Join(m.dir, "home/.config/rnix")
	if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "memory.yaml"), []byte(yaml), 0o600)); err != nil {
		m.t.Fatal(err)
	}
}

func (m *mount) socket() string { return filepath.Join(m.dir, "run/rnix/rpc.sock") }

// Do calls rnixfs.v1.Devices.
func (c calls) Do(device string, request []byte) ([]byte, string, error) {
	message, err := json.Marshal(map[string]string{"device": device, "request": string(request)})
	if err != nil {
		return nil, "", err
	}
	body, err := c.Call(context.Background(), "rnixfs.v1.Devices/Exec", string(message))
	var failed *rpctest.Failed
	if errors.As(err, &failed) {
		if statusOf[failed.Code] != failed.Status {
			return nil, "", failed
		}
		return []byte(failed.Reply), failed.Code, nil
	}
	var reply struct{ Reply string }
	if err == nil {
		err = json.Unmarshal([]byte(body), &reply)
	}
	return []byte(reply.Reply), "", err
}

// statusOf are the codes of gRPC by ours, as docs/rpc.md has them.
var statusOf = map[string]string{
	"invalid": "InvalidArgument", "too_big": "ResourceExhausted", "rejected": "PermissionDenied", "over_limit": "ResourceExhausted",
	"not_found": "NotFound", "exists": "AlreadyExists", "conflict": "Aborted", "read_only": "FailedPrecondition", "denied": "PermissionDenied",
	"timeout": "DeadlineExceeded", "unavailable": "Unavailable", "removed": "PermissionDenied", "internal": "Internal",
}

// TestCallers: each who calls is known by the system's word, as to the user and to the
// project; without allow_other nobody but the daemon's own user is let in.
func TestCallers(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil || os.Getuid() != 0 {
		t.Skip("needs curl, and root to be three users")
	}
	for _, shared := range []bool{true, false} {
		m := newFolders(t, "")
		m.configure("rpc: {socket: rpc.sock}")
		if shared {
			m.args = []string{"--allow-other"}
		}
		needFuse(t)
		m.mount()
		t.Cleanup(func() { unmount(m.mnt) })
		m.must("chmod 755 " + filepath.Dir(m.dir))
		if !shared { // what keeps them out is not the mode alone
			m.must("chmod 666 " + m.socket())
		}
		const add = `curl -sS --unix-socket $XDG_RUNTIME_DIR/rnix/rpc.sock -H 'Content-Type: application/json' -d '{"device":"commit","request":"{\"action\":\"add\",\"content\":\"text of '$(id -u)'\"}"}' http://x/rnixfs.v1.Devices/Exec`
		for uid, name := range map[int]string{ada: "ada", bob: "bob"} {
			m.must(fmt.Sprintf("mkdir -p %[1]s/one/.git %[1]s/two/.git; chown -R %d %[1]s", filepath.Join(m.dir, name), uid))
			for _, project := range []string{"one", "two"} {
				out, rc := m.as(uid, name+"/"+project, add)
				if (rc == 0) != shared {
					t.Fatalf("%d: %s", rc, out)
				}
				stored, _ := m.as(uid, name+"/"+project, `cat .rnix/memory/*.md; stat -c %u .rnix/memory/*.md`)
				if got := strings.Contains(stored, fmt.Sprintf("text of %d\n%d\n", uid, uid)); got != shared {
					t.Errorf("%s in %s: %s", name, project, stored)
				}
			}
		}
	}
}

// memoryCalls are calls of each method of the memory service, in order, and what comes back:
// an answer in JSON without the fields that are empty, or the code of an error.
var memoryCalls = []struct{ method, message, want string }{
	{"PushEvent", `{"category":"disk","source":"monitor","data_json":"eyJmdWxsIjo5MX0=","critical":true,"timestamp":1767225600}`, `{}`},
	{"PushEvent", `{"id":"e2","category":"net","source":"dhcp"}`, `{}`},
	{"PushEvent", `{"id":"e2","category":"net","source":"dhcp"}`, "exists"},
	{"PushEvent", `{"category":"net"}`, "invalid"},
	{"PushEvent", `{"category":"net","source":"x","data_json":"eyJhIjo="}`, "invalid"},
	{"GetRecentEvents", `{"source":"monitor"}`, `{"events":[{"id":"*","category":"disk","source":"monitor","data_json":"eyJmdWxsIjo5MX0=","critical":true,"timestamp":"1767225600"}]}`},
	{"GetRecentEvents", `{"count":1}`, `{"events":[{"id":"e2","category":"net","source":"dhcp","timestamp":"*"}]}`},
	{"UpdateMetric", `{"key":"cpu","value":0.3}`, `{}`},
	{"GetMetric", `{"key":"cpu"}`, `{"key":"cpu","value":0.3,"timestamp":"*"}`},
	{"UpdateMetric", `{"key":"cpu","value":0}`, `{}`},
	{"UpdateMetric", `{"key":"cpu","value":"NaN"}`, "invalid"},
	{"GetMetric", `{"key":"cpu"}`, `{"key":"cpu","timestamp":"*"}`},
	{"GetMetric", `{"key":"gpu"}`, "not_found"},
	{"StoreGoal", `{"id":"g1","description":"Ship the rest","priority":2,"status":"active","metadata_json":"WzFd"}`, `{}`},
	{"StoreGoal", `{"id":"g2","description":"Ship it","created_at":5}`, `{}`},
	{"StoreGoal", `{"id":"g3","description":"Talk","status":"dreamt"}`, "invalid"},
	{"UpdateGoal", `{"id":"g2","status":"active"}`, `{}`},
	{"UpdateGoal", `{"id":"g9","status":"active"}`, "not_found"},
	{"GetActiveGoals", `{}`, `{"goals":[{"id":"g2","description":"Ship it","status":"active","created_at":"*"},{"id":"g1","description":"Ship the rest","status":"active","priority":2,"metadata_json":"WzFd","created_at":"*"}]}`},
	{"StoreTask", `{"id":"g1","goal_id":"g1","description":"Write the notes","agent":"writer","status":"running","input_json":"eyJuIjoxfQ=="}`, `{}`},
	{"StoreTask", `{"id":"g1","goal_id":"g1","description":"Write the notes","agent":"writer","status":"completed","duration_ms":7}`, `{}`},
	{"StoreTask", `{"id":"t2","description":"No agent","status":"running"}`, "invalid"},
	{"StoreToolCall", `{"tool_name":"git","agent":"writer","input_json":"WyJwdXNoIl0=","reason":"publish","timestamp":9}`, `{}`},
	{"QueryWorking", `{"collection":"task"}`, `{"records":[{"id":"task-g1","collection":"task","content":"Write the notes","metadata_json":"*","timestamp":"*"}]}`},
	{"QueryWorking", `{"where_json":"eyJtZXRhZGF0YS50b29sX25hbWUiOiJnaXQifQ==","limit":5}`, `{"records":[{"id":"*","collection":"tool_call","content":"git by writer: publish","metadata_json":"*","timestamp":"*"}]}`},
	{"QueryWorking", `{"where_json":"W10="}`, "invalid"},
	{"StoreDecision", `{"id":"d1","context":"Which cache","options_json":"WyJyZWRpcyIsInZhbGtleSJd","chosen":"valkey","reasoning":"The licence"}`, `{}`},
	{"StoreDecision", `{"context":"Which cache","chosen":"redis"}`, "invalid"},
	{"StoreProcedure", `{"id":"p1","name":"Rollback","description":"Pin the image tag","steps_json":"W3sidG9vbCI6ImdpdCJ9XQ==","tags":["deploy"]}`, `{}`},
	{"StoreIncident", `{"id":"i1","description":"The database was down","symptoms_json":"WyI1MDIiXQ==","root_cause":"The disk was full"}`, `{}`},
	{"StorePattern", `{"id":"x1","trigger":"nginx hangs","action":"restart it","success_rate":0.8,"uses":10}`, `{}`},
	{"UpdatePatternStats", `{"id":"x1","success":true}`, `{}`},
	{"UpdatePatternStats", `{"id":"x1"}`, `{}`},
	{"SemanticSearch", `{"query":"database down","collections":["incidents","decisions"]}`, `{"results":[{"content":"The database was down","relevance":"*","collection":"incident","id":"i1"}]}`},
	{"SemanticSearch", `{"query":"database down","collections":["procedures"]}`, `{}`},
	{"SemanticSearch", `{}`, "invalid"},
	{"QueryLongTerm", `{"collection":"procedure"}`, `{"records":[{"id":"procedure-p1","collection":"procedure","content":"Rollback: Pin the image tag","metadata_json":"*","timestamp":"*"}]}`},
	{"AddKnowledge", `{"title":"Reverse proxy","content":"Set proxy_pass to the upstream.","source":"runbook","tags":["nginx"]}`, `{}`},
	{"SearchKnowledge", `{"query":"proxy_pass upstream","n_results":3}`, `{"results":[{"content":"*","relevance":"*","collection":"memory","id":"Reverse proxy"}]}`},
	{"AssembleContext", `{"task_description":"the database is down","max_tokens":500,"memory_tiers":["operational","working","longterm"]}`, `{"chunks":"*","total_tokens":"*"}`},
	{"AssembleContext", `{"task_description":"the database is down","memory_tiers":["somewhere"]}`, "invalid"},
}

// TestMemoryService calls each method of the memory service that a preset brings.
func TestMemoryService(t *testing.T) {
	needFuse(t)
	m := newFolders(t, "")
	m.configure("preset: [aios]\nrpc: {socket: rpc.sock}")
	m.mount()
	t.Cleanup(func() { unmount(m.mnt) })
	t.Chdir(m.work)
	c, called := newCalls(t, m), map[string]bool{}
	send := func(method, message string) (map[string]any, *rpctest.Failed) {
		t.Helper()
		called[method] = true
		out, err := c.Call(t.Context(), "aios.memory.MemoryService/"+method, message)
		var failed *rpctest.Failed
		if err != nil && !errors.As(err, &failed) {
			t.Fatal(method, err)
		}
		var answer map[string]any
		if failed == nil {
			if err := json.Unmarshal([]byte(out), &answer); err != nil {
				t.Fatal(err)
			}
		}
		return answer, failed
	}
	for _, tc := range memoryCalls {
		got, failed := send(tc.method, tc.message)
		var want map[string]any
		switch err := json.Unmarshal([]byte(tc.want), &want); {
		case err != nil:
			if failed == nil || failed.Code != tc.want || failed.Status != statusOf[tc.want] {
				t.Errorf("%s %s: %v, %v", tc.method, tc.message, got, failed)
			}
		case failed != nil:
			t.Errorf("%s %s: %v", tc.method, tc.message, failed)
		case !alike(want, got):
			t.Errorf("%s %s: %v", tc.method, tc.message, got)
		}
	}
	secret := secretToken()
	if _, failed := send("StoreIncident", `{"description":"the token `+secret+` leaked"}`); failed == nil || failed.Status != "PermissionDenied" || strings.Contains(failed.Error()+failed.Reply, secret) {
		t.Error(failed)
	}
	if _, failed := send("StoreTask", `{"id":"t3","description":"x","agent":"a","status":"b","output_json":"`+base64.StdEncoding.EncodeToString([]byte(`{"k":"`+secret+`"}`))+`"}`); failed == nil || failed.Code != "rejected" {
		t.Error(failed)
	}
	methods, err := c.Methods(t.Context(), "aios.memory.MemoryService")
	if err != nil || methods.Len() != len(called) {
		t.Errorf("%d of %d methods were called: %v", len(called), methods.Len(), err)
	}
}

// alike reports whether an answer is as wanted: "*" is anything that is not empty, and what
// is not wanted is empty.
func alike(want, got any) bool {
	empty := slices.Contains([]string{"", "0", "false", "[]", "<nil>"}, fmt.Sprint(got))
	switch w := want.(type) {
	case nil:
		return empty
	case map[string]any:
		g, ok := got.(map[string]any)
		for name := range g {
			ok = ok && alike(w[name], g[name])
		}
		for name := range w {
			ok = ok && alike(w[name], g[name])
		}
		return ok
	case []any:
		g, ok := got.([]any)
		return ok && slices.EqualFunc(w, g, alike)
	}
	return want == "*" && !empty || want == got
}
