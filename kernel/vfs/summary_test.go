package vfs

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/ram"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
	"github.com/rnixfs/rnixfs/kernel/recall"
	"github.com/rnixfs/rnixfs/kernel/writeback"
	"github.com/rnixfs/rnixfs/kernel/writeback/llm"
)

// recallInRAM is a recall device over entries with these keys and texts.
func recallInRAM(t *testing.T, set *RecallSettings, texts map[string]string) Device {
	t.Helper()
	engine, n := recall.New(recall.Options{}), 0
	s := store.New(store.Options{
		Open: func(_ context.Context, _ memory.ScopeID, _ memory.Policy, h memory.Hooks) (memory.Provider, error) {
			return ram.Open(ram.Options{Hooks: h}), nil
		},
		Scanner: passing{}, Observers: []memory.Observer{engine}, NewID: func() string { n++; return fmt.Sprint("id-", n) },
	})
	t.Cleanup(func() { _, _ = s.Close(), engine.Close() })
	within := func(memory.Caller, string) (string, memory.Folder, bool) { return "", memory.Folder{}, false }
	commit := NewEntries(s, within, memory.ScopeProject)
	for key, text := range texts {
		request, _ := json.Marshal(map[string]string{"action": "add", "key": key, "content": text})
		if res := commit.Exec(t.Context(), somebody, request); !res.OK {
			t.Fatalf("%s", res.Body)
		}
	}
	return NewRecall(RecallOptions{Store: s, Engine: engine, Project: within, Settings: func() RecallSettings { return *set }})
}

const byWords = "- The gateway takes the secret port 8443. (port)"

// TestModelSummarizes: what a model says is shown where it can be cited and stored, and
// else sentences of the results, with the reason.
func TestModelSummarizes(t *testing.T) {
	var asked atomic.Int32
	var answer atomic.Value
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		prompt, _ := io.ReadAll(r.Body)
		if !strings.Contains(string(prompt), "The gateway takes the secret port 8443.") || strings.Contains(string(prompt), "SECRET") {
			t.Errorf("asked %s", prompt)
		}
		switch said := answer.Load().(string); said {
		case "error":
			w.WriteHeader(http.StatusServiceUnavailable)
		case "slow":
			<-r.Context().Done()
		default:
			words, _ := json.Marshal(said)
			_, _ = fmt.Fprintf(w, `{"choices":[{"message":{"content":%s}}]}`, words)
		}
	}))
	t.Cleanup(s.Close)
	set := RecallSettings{Enabled: true, MaxResults: 10, Deadline: time.Minute}
	d := recallInRAM(t, &set, map[string]string{"port": "The gateway takes the secret port 8443."})
	ask := func(query string) (reply RecallReply, body string) {
		t.Helper()
		res := d.Exec(t.Context(), somebody, []byte(`{"query":"`+query+`","summarize":true}`))
		if err := json.Unmarshal(res.Body, &reply); err != nil || !res.OK {
			t.Fatalf("%s: %v", res.Body, err)
		}
		return reply, string(res.Body)
	}
	const good = `{"text":"The gateway takes\n port 8443.","cites":[1]}`
	for name, tt := range map[string]struct {
		query, said, summary, why string
	}{
		"cited":        {said: `{"sentences":[` + good + `]}`, summary: "- The gateway takes port 8443. (port)"},
		"one of three": {said: `{"sentences":[{"text":"The gateway takes the SECRET port.","cites":[1]},` + good + `,{"text":"It is slow.","cites":[1]}]}`, summary: "- The gateway takes port 8443. (port)"},
		"not given":    {said: `{"sentences":[{"text":"The gateway takes port 8443.","cites":[2]}]}`, why: "unsupported"},
		"not said":     {said: `{"sentences":[{"text":"The gateway takes port 9443.","cites":[1]}]}`, why: "unsupported"},
		"a secret":     {said: `{"sentences":[{"text":"The gateway takes the SECRET port.","cites":[1]}]}`, why: "rejected"},
		"asked with":   {query: "gateway SECRET", why: "rejected"},
		"nothing":      {said: `{"sentences":[]}`, why: "no_answer"},
		"prose":        {said: `The port is 8443.`, why: "invalid"},
		"an error":     {said: "error", why: "unavailable"},
		"slow":         {said: "slow", why: "timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			asked.Store(0)
			answer.Store(tt.said)
			set.Deadline = time.Minute
			if tt.said == "slow" {
				set.Deadline = inHand + 100*time.Millisecond
			}
			set.Model = func(uint32) *writeback.Model { return &writeback.Model{Model: llm.Endpoint{BaseURL: s.URL}} }
			query, by, summary := tt.query, "model", tt.summary
			if query == "" {
				query = "which port does the gateway take"
			}
			if summary == "" {
				by, summary = "words", byWords
			}
			reply, body := ask(query)
			if reply.Summary != summary || reply.SummarizedBy != by || reply.NotByModel != tt.why || strings.Contains(body, "SECRET") {
				t.Errorf("%s", body)
			}
			if (asked.Load() > 0) != (tt.query == "") {
				t.Errorf("asked %d times", asked.Load())
			}
		})
	}
	asked.Store(0)
	set.Model = nil
	if reply, body := ask("gateway"); reply.Summary != byWords || reply.SummarizedBy != "words" || reply.NotByModel != "" || asked.Load() > 0 {
		t.Errorf("switched off: %s", body)
	}
	if reply, body := ask("zebra"); reply.Summary+reply.SummarizedBy != "" {
		t.Errorf("nothing found: %s", body)
	}
}

// TestProgramSummarizes: the short answer of a program is no complaint of it.
func TestProgramSummarizes(t *testing.T) {
	program := filepath.Join(t.TempDir(), "agent")
	if err := os.WriteFile(program, []byte("#!/bin/sh\ncat >/dev/null\necho '{\"sentences\":[{\"text\":\"The network needs an API key.\",\"cites\":[1]}]}'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	set := RecallSettings{Enabled: true, Deadline: time.Minute, Model: func(uint32) *writeback.Model {
		return &writeback.Model{Model: llm.Program{Command: []string{program}}}
	}}
	d := recallInRAM(t, &set, map[string]string{"net": "The network of the lab needs an API key."})
	if body := string(d.Exec(t.Context(), somebody, []byte(`{"query":"network","summarize":true}`)).Body); !strings.Contains(body, `"summary":"- The network needs an API key. (net)","summarized_by":"model"`) {
		t.Error(body)
	}
}
