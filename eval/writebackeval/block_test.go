package writebackeval

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/ram"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/vfs"
	"github.com/rnixfs/rnixfs/kernel/writeback"
	"github.com/rnixfs/rnixfs/kernel/writeback/spool"
)

var update = flag.Bool("update", false, "write the block of docs/agents.md anew")

// passing is a scanner of texts that were published.
type passing struct{}

func (passing) Scan(context.Context, []memory.Field) (memory.Verdict, error) {
	return memory.Verdict{}, nil
}

func (passing) Redact(_ context.Context, text string) (string, error) { return text, nil }

// answerer answers the question about a conversation by its recorded answer, where there
// is one to the question about it alone: here it is asked with what is remembered, too.
type answerer struct{ text string }

func (a *answerer) Ask(context.Context, string) (string, error) { return a.text, nil }

// recordedFor is the recorded answer about a conversation, "" for none.
func recordedFor(t *testing.T, name string, c process.Transcript) string {
	t.Helper()
	all, err := readLines[answer](recorded)
	if err != nil {
		t.Fatal(err)
	}
	_, ok, err := replay(name, c, all)
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		return ""
	}
	return all[slices.IndexFunc(all, func(a answer) bool { return a.Conv == name })].Answer
}

// TestBlockOfAProject learns from the twelve sessions of a project in the order in which
// they were held, and holds what the next one is shown to its budget and to
// docs/agents.md.
func TestBlockOfAProject(t *testing.T) {
	data := os.Getenv("RNIXFS_EVAL_DATA")
	if data == "" {
		t.Skip("RNIXFS_EVAL_DATA names no folder of conversations")
	}
	const (
		uid     = 7
		project = "/src/getspecstory"
		budget  = 800
	)
	var now time.Time
	var model answerer
	dir, newID := t.TempDir(), func() string { return uuid.Must(uuid.NewV7()).String() }
	entries := store.New(store.Options{
		Open: func(_ context.Context, _ memory.ScopeID, _ memory.Policy, h memory.Hooks) (memory.Provider, error) {
			return ram.Open(ram.Options{Hooks: h}), nil
		},
		Scanner: passing{}, Now: func() time.Time { return now }, NewID: newID,
	})
	talks, err := process.Open(dir, process.Options{
		UID: uid, Now: func() time.Time { return now },
		Redact: func(_ context.Context, text string) (string, bool, error) { return text, false, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	jobs := spool.New(filepath.Join(dir, "spool"), spool.Options{})
	worker := writeback.New(writeback.Options{
		Queue: spool.Open(filepath.Join(dir, "spool"), spool.QueueOptions{Now: func() time.Time { return time.Now().Add(time.Hour) }}),
		Store: entries, Conversations: talks, UID: uid, Now: func() time.Time { return now },
		Settings: func(context.Context, string, string) writeback.Settings {
			set := writeback.Settings{Enabled: true, TriggerThreshold: 5, RequireSuccess: true, MaxEntries: maxOperations, Summaries: true}
			if model.text != "" {
				set.Model = &writeback.Model{Model: &model}
			}
			return set
		},
	})
	files, _ := filepath.Glob(filepath.Join(data, "agents", "specstory-getspec", "*.md"))
	if len(files) != 12 {
		t.Fatalf("%d conversations", len(files))
	}
	for _, file := range slices.Sorted(slices.Values(files)) {
		c, err := history(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
		model.text = recordedFor(t, "specstory-getspec/"+filepath.Base(file), c)
		now = c.Turns[len(c.Turns)-1].Time.Add(time.Hour)
		c.UID, c.Project, c.Agent, c.External = uid, project, "claude", filepath.Base(file)
		p, err := talks.Begin(t.Context(), c.Conversation)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := talks.Append(t.Context(), p.Project, p.UUID, c.Turns); err != nil {
			t.Fatal(err)
		}
		code := 0
		if _, err := jobs.Submit(t.Context(), spool.Job{Agent: c.Agent, External: c.External, Event: "exit", ExitCode: &code, UID: uid}); err != nil {
			t.Fatal(err)
		}
		if n, _, err := worker.Drain(t.Context()); n != 1 || err != nil {
			t.Fatalf("%s: %d jobs, %v", file, n, err)
		}
	}
	device := vfs.NewContext(vfs.RecallOptions{Store: entries}, func(context.Context, memory.Caller) vfs.ContextSettings {
		return vfs.ContextSettings{Told: vfs.Told("rnixfs", ""), Table: vfs.ContextTable{MaxTokens: budget}, Now: now}
	})
	block := string(device.Read(t.Context(), memory.Caller{UID: uid, Project: project, Cwd: project}))
	t.Logf("%d tokens, %d characters:\n%s", memory.Tokens(block), len(block), block)
	if n := memory.Tokens(block); n > budget {
		t.Errorf("%d tokens", n)
	}
	shownInDocs(t, block)
}

// shownInDocs holds the block that docs/agents.md shows to this one.
func shownInDocs(t *testing.T, block string) {
	t.Helper()
	const doc = "../../docs/agents.md"
	text, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "\n    <rnix-memory>\n", "    </rnix-memory>\n"
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("docs/agents.md shows no block")
	}
	want := before + "\n"
	for line := range strings.Lines(block) {
		want += strings.TrimSuffix("    "+line, "    \n")
		if line == "\n" {
			want += line
		}
	}
	switch want += after; {
	case *update:
		if err := os.WriteFile(doc, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	case want != string(text):
		t.Error("docs/agents.md shows another block; go test ./eval/writebackeval -run TestBlockOfAProject -update writes it")
	}
}
