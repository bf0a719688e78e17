package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/file"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
	"github.com/rnixfs/rnixfs/kernel/recall"
	"github.com/rnixfs/rnixfs/kernel/vfs"
)

// BenchmarkLarge asks a scope of 10,000 entries, and prints how long an answer takes as a
// part of what reading its files takes, in the same run.
func BenchmarkLarge(b *testing.B) {
	const entries = 10000
	dir := b.TempDir()
	found := recall.New(recall.Options{})
	defer found.Close()
	table := memory.DefaultPolicies()
	for scope, row := range table {
		row.Runes = 1 << 40
		table[scope] = row
	}
	s := store.New(store.Options{
		Open: func(ctx context.Context, id memory.ScopeID, _ memory.Policy, h memory.Hooks) (memory.Provider, error) {
			return file.Open(ctx, filepath.Join(dir, string(id.Scope)), file.Options{Hooks: h})
		},
		Scanner: wordScanner{}, Observers: []memory.Observer{found},
		Policies: func(context.Context, uint32, string) memory.Policies { return table },
		NewID:    func() string { return uuid.Must(uuid.NewV7()).String() },
	})
	defer s.Close()
	caller := memory.Caller{Project: "/p", Trust: memory.TrustAgent}
	commit := vfs.NewEntries(s, nil, memory.ScopeProject)
	ask := func(request any) {
		raw, err := json.Marshal(request)
		if err != nil {
			b.Fatal(err)
		}
		if res := commit.Exec(b.Context(), caller, raw); !res.OK {
			b.Fatalf("%.300s", res.Body)
		}
	}
	for at := 0; at < entries; at += 500 {
		var ops []any
		for i := at; i < at+500; i++ {
			ops = append(ops, map[string]any{
				"action": "add", "key": fmt.Sprintf("entry-%d", i), "importance": float64(i%11) / 10,
				"content":  fmt.Sprintf("entry number %d: the service %d keeps its sessions in Redis and signs its tokens with RS256", i, i%97),
				"category": []string{"goal", "task", "decision"}[i%3], "tags": []string{fmt.Sprintf("tag-%d", i%100), "all"},
				"metadata": map[string]any{"status": []string{"active", "done"}[i%2], "priority": i % 13},
			})
		}
		ask(map[string]any{"action": "batch", "ops": ops})
	}
	id, err := s.Resolve(b.Context(), caller, memory.ScopeProject)
	if err != nil {
		b.Fatal(err)
	}
	list := func(rest map[string]any) func() {
		rest["action"] = "list"
		return func() { ask(rest) }
	}
	block := vfs.NewContext(vfs.RecallOptions{Store: s, Engine: found, Settings: func() vfs.RecallSettings { return vfs.RecallSettings{Enabled: true} }}, func(context.Context, memory.Caller) vfs.ContextSettings {
		return vfs.ContextSettings{Table: vfs.ContextTable{MaxTokens: 4000}, Now: time.Now()}
	})
	files, err := filepath.Glob(filepath.Join(dir, string(memory.ScopeProject), "*.md"))
	if err != nil || len(files) != entries {
		b.Fatal(len(files), err)
	}
	read := func() {
		for _, f := range files {
			if _, err := os.ReadFile(f); err != nil {
				b.Fatal(err)
			}
		}
	}
	for _, tc := range []struct {
		name string
		do   func()
	}{
		{"list/tag", list(map[string]any{"tags": []string{"tag-7"}})},
		{"list/any-tags", list(map[string]any{"any_tags": []string{"tag-7", "tag-8", "tag-9"}})},
		{"list/where-sorted", list(map[string]any{"where": map[string]any{"metadata.status": "active"}, "sort": "-metadata.priority", "limit": 100})},
		{"list/newest", list(map[string]any{"limit": 100})},
		{"list/relevance", list(map[string]any{"sort": "-relevance", "limit": 100, "min_importance": 0.5})},
		{"list/all", list(map[string]any{})},
		{"search/tag", func() {
			if r, err := found.Search(b.Context(), recall.Query{Text: "redis sessions", Tags: []string{"tag-7"}, Scopes: []memory.ScopeID{id}}); err != nil || len(r.Hits) == 0 {
				b.Fatal(len(r.Hits), err)
			}
		}},
		{"context", func() { block.Read(b.Context(), caller) }},
		{"context/task", func() {
			if res := block.Exec(b.Context(), caller, []byte(`{"task":"move the redis sessions"}`)); !res.OK {
				b.Fatalf("%.300s", res.Body)
			}
		}},
	} {
		b.Run(tc.name, func(b *testing.B) {
			var took, plain []time.Duration
			for b.Loop() { // the two sides take turns
				start := time.Now()
				tc.do()
				middle := time.Now()
				read()
				took, plain = append(took, middle.Sub(start)), append(plain, time.Since(middle))
			}
			slices.Sort(took)
			slices.Sort(plain)
			p50, base := took[len(took)/2], plain[len(plain)/2]
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(p50.Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(p50)/float64(base), "/read")
		})
	}
}
