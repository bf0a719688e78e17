package exchange_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/rnixfs/rnixfs/kernel/config"
	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/exchange"
	"github.com/rnixfs/rnixfs/kernel/memory/ram"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
	"github.com/rnixfs/rnixfs/kernel/sqlite"
)

// nothing is a scanner that finds nothing.
type nothing struct{}

func (nothing) Scan(context.Context, []memory.Field) (v memory.Verdict, err error) { return v, nil }
func (nothing) Redact(_ context.Context, s string) (string, error)                 { return s, nil }

var caller = memory.Caller{UID: 7, Project: "/project"}

// newStore is a store in RAM, whose scopes say that they are kept in files.
func newStore(rows memory.Categories) *store.Store {
	n := 0
	return store.New(store.Options{
		Scanner: nothing{}, Policies: func(context.Context, uint32, string) memory.Policies { return memory.DefaultPolicies() },
		Categories: func() memory.Categories { return rows },
		Open: func(_ context.Context, _ memory.ScopeID, _ memory.Policy, h memory.Hooks) (memory.Provider, error) {
			return ram.Open(ram.Options{Hooks: h}), nil
		},
		NewID: func() string { n++; return fmt.Sprint("id-", n) },
	})
}

func entries(t rapid.TB, s *store.Store, scope memory.Scope) []*memory.Entry {
	id, err := s.Resolve(context.Background(), caller, scope)
	if err != nil {
		t.Fatal(err)
	}
	v, err := s.Reader(id).Load(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return v.Entries
}

// shown is what an export keeps of an entry, as JSON.
func shown(t rapid.TB, list []*memory.Entry) (out []string) {
	for _, e := range list {
		c := e.Clone()
		c.ID, c.Source, c.Created, c.Updated, c.Revision, c.KeyStale = "", memory.Source{}, time.Time{}, time.Time{}, 0, false
		delete(c.Metadata, memory.SaidKey)
		if len(c.Metadata) == 0 {
			c.Metadata = nil
		}
		raw, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(raw))
	}
	return out
}

// TestRoundTrip exports entries of any text and imports them elsewhere: nothing but who
// wrote them and when is another, and nothing comes twice.
func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		from := newStore(nil)
		name := rapid.StringN(1, 40, -1).Filter(func(s string) bool {
			return strings.TrimSpace(s) != "" && !strings.ContainsFunc(s, unicode.IsControl)
		})
		body := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
			"---\nkey: x\n---\nbody\n", "a\n\n## 2026-01-01T00:00:00Z\n\nb", "  two\r\nlines \n\n", "- item\n---\n", "<!-- id: x -->", "\ufeffmark",
		})).Filter(func(s string) bool { return strings.TrimSpace(s) != "" })
		value := rapid.OneOf(rapid.Map(rapid.String(), func(s string) any { return s }), rapid.Map(rapid.Int32(), func(i int32) any { return i }),
			rapid.Just[any](true), rapid.Just[any](1.5), rapid.Just[any]([]any{"a", "2026-01-01"}), rapid.Just[any](map[string]any{"k": "- v"}))
		for range rapid.IntRange(1, 4).Draw(t, "entries") {
			req := map[string]any{"action": "add", "content": body.Draw(t, "content"), "key": name.Draw(t, "key"), "importance": rapid.Float64Range(0, 1).Draw(t, "importance")}
			if rapid.Bool().Draw(t, "more") {
				req["category"], req["type"], req["tags"] = name.Draw(t, "category"), name.Draw(t, "type"), rapid.SliceOfNDistinct(name, 1, 3, rapid.ID[string]).Draw(t, "tags")
				req["pinned"], req["expires"] = true, "2099-01-02T03:04:05Z"
				req["metadata"] = rapid.MapOfN(name, value, 1, 3).Draw(t, "metadata")
			}
			raw, err := json.Marshal(req)
			if err != nil {
				t.Fatal(err)
			}
			var add store.Request
			if err := memory.DecodeStrict(raw, &add); err != nil {
				continue // a text that JSON can't carry
			}
			id, err := from.Resolve(t.Context(), caller, memory.ScopeProject)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = from.Do(t.Context(), caller, id, add) // a key may be taken
		}
		for format, write := range map[string]func(*bytes.Buffer, *memory.Entry) error{
			"json":     func(b *bytes.Buffer, e *memory.Entry) error { return exchange.WriteLine(b, memory.ScopeProject, "", e) },
			"markdown": func(b *bytes.Buffer, e *memory.Entry) error { return exchange.WritePage(b, memory.ScopeProject, "", e) },
		} {
			here, err := os.MkdirTemp(dir, "") //nolint:usetesting // one for each check
			if err != nil {
				t.Fatal(err)
			}
			for i, e := range entries(t, from, memory.ScopeProject) {
				var b bytes.Buffer
				if err := write(&b, e); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(here, fmt.Sprintf("%d.%s", i, map[string]string{"json": "jsonl", "markdown": "md"}[format])), b.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			to, want := newStore(nil), shown(t, entries(t, from, memory.ScopeProject))
			for again := range 2 {
				r, err := exchange.Import(t.Context(), to, caller, exchange.Options{From: format, Path: here})
				if err != nil || len(r.Refused)+len(r.Unread)+len(r.Differ) > 0 || r.Taken != len(want)*(1-again) || r.Present != len(want)*again {
					t.Fatalf("%s, import %d: %+v, %v", format, again, r, err)
				}
			}
			if d := cmp.Diff(want, shown(t, entries(t, to, memory.ScopeProject))); d != "" {
				t.Fatalf("%s:\n%s", format, d)
			}
		}
	})
}

// TestRecords imports tables into the categories of their preset: texts, records that can
// be asked for, keys that make a second import add nothing.
func TestRecords(t *testing.T) {
	db, err := sqlite.Memory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	path := filepath.Join(t.TempDir(), "working.db")
	for _, q := range []string{
		"CREATE TABLE goals (id TEXT PRIMARY KEY, description TEXT NOT NULL, status TEXT, priority INTEGER, created_at INTEGER, completed_at INTEGER, result TEXT, metadata_json BLOB)",
		`INSERT INTO goals VALUES ('g1', 'Ship the shop', 'active', 2, 1770000000, NULL, '', CAST('{"team":"web"}' AS BLOB))`,
		"CREATE TABLE decisions (id TEXT, context TEXT, options JSON, chosen TEXT, reasoning TEXT, outcome TEXT, timestamp TIMESTAMP)",
		`INSERT INTO decisions VALUES ('d1', 'Which broker?', '["nats","kafka"]', 'nats', 'smaller', NULL, '2026-02-03T04:05:06Z')`,
		"CREATE TABLE procedures (id TEXT, name TEXT, description TEXT, steps_json BLOB, success_count INTEGER, tags TEXT, embedding BLOB, created_at INTEGER)",
		"INSERT INTO procedures VALUES ('p1', 'restart', 'Restart nginx', CAST('[1]' AS BLOB), 5, 'nginx,web', x'00ff', 1000)",
		"CREATE TABLE agent_states (agent_name TEXT, state_json BLOB, updated_at INTEGER)",
		`INSERT INTO agent_states VALUES ('scout', CAST('{"seen":3}' AS BLOB), 1770000000)`,
		"CREATE TABLE strange (x)",
		"VACUUM INTO '" + path + "'",
	} {
		if _, err := db.ExecContext(t.Context(), q); err != nil {
			t.Fatal(q, err)
		}
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "torn.db"), []byte("SQLite format 3\x00 and no more"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "memory.yaml")
	if err := os.WriteFile(file, []byte("preset: [aios]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	rows, err := config.Load(t.Context(), config.Sources{Explicit: file})
	if err != nil {
		t.Fatal(err)
	}
	s := newStore(rows.Own.CategoryTable())
	for again, want := range []exchange.Report{{Taken: 4}, {Present: 4}} {
		r, err := exchange.Import(t.Context(), s, caller, exchange.Options{From: "aios", Path: filepath.Dir(path)})
		if err != nil || r.Taken != want.Taken || r.Present != want.Present || len(r.Unread) != 1 || r.Unread[0].At != "torn.db" {
			t.Fatalf("import %d: %+v, %v", again, r, err)
		}
	}
	var got []string
	for _, e := range entries(t, s, memory.ScopeProject) {
		meta, err := json.Marshal(e.Metadata)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, strings.Join([]string{e.Key, e.Category, strings.Join(e.Tags, "+"), e.Content, string(meta)}, " | "))
	}
	want := []string{
		`goal-g1 | goal |  | Ship the shop | {"created_at":1770000000,"metadata":{"team":"web"},"priority":2,"said":"2026-02-02T02:40:00Z","status":"active"}`,
		`agent_state-scout | agent_state |  | scout` + "\n" + `State: {"seen":3} | {"agent_name":"scout","said":"2026-02-02T02:40:00Z","state":{"seen":3},"updated_at":1770000000}`,
		`decision-d1 | decision |  | Which broker?` + "\nChosen: nats\nReasoning: smaller" + ` | {"chosen":"nats","options":["nats","kafka"],"reasoning":"smaller","said":"2026-02-03T04:05:06Z","timestamp":"2026-02-03T04:05:06Z"}`,
		`procedure-p1 | procedure | nginx+web | restart` + "\nDescription: Restart nginx" + ` | {"created_at":1000,"name":"restart","said":"1970-01-01T00:16:40Z","steps":[1],"success_count":5}`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// FuzzImport: whatever is in a file, a reader ends with a report, and what it takes in is
// there at the second look.
func FuzzImport(f *testing.F) {
	for _, seed := range []string{
		"§one\n§", `[{"fact":"a","category":"restriction"}]`, `{"id":"1","content":"x","metadata":{"a":[1]}}`, "[{\"id\":\"lost\"}]",
		"# k\n<!-- id: 1 | type: feedback | tags: a,,b -->\n## 2026-01-01T00:00:00Z\nx\n## 2026-01-02T00:00:00Z\n", "---\nmetadata: {type: a}\ntype: [1]\n---\nx",
		"{\"type\":\"entity\",\"name\":\"a\"}\n{\"type\":\"relation\",\"from\":\"a\"}", `{"action":"add","content":"x","target":"user","tags":[""]}`, "---\ntarget: agent\nttl: 1h\n---\n\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		dir := t.TempDir()
		for _, name := range []string{"MEMORY.md", "index.json", "x.json", "x.jsonl"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, from := range exchange.Formats() {
			if from == "aios" { // SQLite reads that
				continue
			}
			s := newStore(nil)
			opts := exchange.Options{From: from, Path: dir}
			first, err := exchange.Import(t.Context(), s, caller, opts)
			again, err2 := exchange.Import(t.Context(), s, caller, opts)
			if err != nil || err2 != nil || again.Taken != 0 || again.Present != first.Taken+first.Present || len(again.Differ) != len(first.Differ) {
				t.Errorf("%s: %+v, %v; again %+v, %v", from, first, err, again, err2)
			}
		}
	})
}
