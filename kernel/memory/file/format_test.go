package file

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

func drawTime(t *rapid.T, label string) time.Time {
	return time.Unix(rapid.Int64Range(-62135596800, 253402300799).Draw(t, label), rapid.Int64Range(0, 999_999_999).Draw(t, label+"-ns")).UTC()
}

var (
	words = rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "no", "a b", "2024", "2024-01-02", "---", "- x", "a: b", "'", `"`, "#", "~", "\u0085", "[a, b]", " ", "x ", "1.0", "true"}))
	texts = rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"---\n", "\n---\n", "---\nid: x\nkey: y\n---\nz", "\n", "\r\n", "\ufeff", "a\r", "...", "---", "text\n\n"}))
)

// entries draws every entry that may be stored.
var entries = rapid.Custom(func(t *rapid.T) *memory.Entry {
	e := &memory.Entry{
		ID:         rapid.StringMatching(`[0-9a-f]{8}-[0-9a-f]{4}|[a-z0-9.:_-]{1,20}`).Draw(t, "id"),
		Key:        rapid.OneOf(rapid.StringN(1, 20, -1), rapid.SampledFrom([]string{"no", "a b", "2024-01-02", "é"})).Draw(t, "key"),
		Category:   words.Draw(t, "category"),
		Type:       words.Draw(t, "type"),
		Tags:       rapid.SliceOfN(words, 0, 3).Draw(t, "tags"),
		Importance: rapid.Float64Range(0, 1).Draw(t, "importance") + 0,
		Pinned:     rapid.Bool().Draw(t, "pinned"),
		Created:    drawTime(t, "created"),
		Updated:    drawTime(t, "updated"),
		Revision:   rapid.Int64Range(1, maxRevision).Draw(t, "revision"),
		Content:    texts.Draw(t, "content"),
	}
	if rapid.Bool().Draw(t, "expires?") {
		at := drawTime(t, "expires")
		e.Expires = &at
	}
	if rapid.Bool().Draw(t, "source?") {
		uid := rapid.Uint32().Draw(t, "uid")
		e.Source = memory.Source{
			Trust: memory.Trust(words.Draw(t, "trust")), Road: words.Draw(t, "road"), UID: &uid,
			PID: rapid.IntRange(0, 1<<31-1).Draw(t, "pid"), Exe: words.Draw(t, "exe"), Session: words.Draw(t, "session"),
			Process: words.Draw(t, "process"), Turns: rapid.SliceOfN(words, 0, 3).Draw(t, "turns"), Job: words.Draw(t, "job"),
		}
	}
	if rapid.Bool().Draw(t, "maps?") {
		e.Metadata = rapid.MapOfN(words, rapid.Map(words, func(s string) any { return s }), 0, 3).Draw(t, "metadata")
		e.Extra = rapid.MapOfN(rapid.StringMatching(`x[a-z ]{0,5}`), rapid.Map(rapid.Float64Range(-1e9, 1e9), func(f float64) any { return []any{f + 0, nil, true} }), 0, 3).Draw(t, "extra")
	}
	return e
})

func TestEntryRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := entries.Draw(t, "entry")
		data, err := encode(e)
		if encodable(e) != nil {
			t.Skip("can't be stored")
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := decode(data)
		if err != nil {
			t.Fatalf("%v in\n%s", err, data)
		}
		if d := cmp.Diff(e, got, cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("%s\n%s", d, data)
		}
	})
}

// TestJournalKeepsEntries: an entry is the same from a journal line as from its
// file, and the line says what the file holds.
func TestJournalKeepsEntries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := entries.Draw(t, "entry")
		data, err := encode(e)
		if err != nil {
			t.Skip("can't be stored")
		}
		fromFile, err := decode(data)
		if err != nil {
			t.Fatal(err)
		}
		r := &record{
			Seq: rapid.Int64Range(1, 1<<50).Draw(t, "seq"), Time: e.Created, Action: memory.ActionAdd, IdempotencyKey: words.Draw(t, "idempotency"),
			Steps: []recordStep{{Action: memory.ActionAdd, File: fileName(e.Key, func(string) bool { return false }), Hash: hashOf(data), After: e}},
		}
		line, err := r.line(nil)
		if err != nil {
			t.Fatal(err)
		}
		back, err := parseRecord(nil, line)
		if err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if d := cmp.Diff(fromFile, back.Steps[0].After, cmpopts.EquateEmpty()); d != "" {
			t.Fatal(d)
		}
		if again, err := encode(back.Steps[0].After); err != nil || hashOf(again) != back.Steps[0].Hash {
			t.Fatalf("written anew, the entry of the line is %q, %v; the file is %q", again, err, data)
		}
	})
}

func TestDecode(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		name, in, want, key string
		fails               bool
	}{
		{name: "plain", in: "text\n", want: "text", key: "note"},
		{name: "plain without end", in: "text", want: "text", key: "note"},
		{name: "one newline is the file's", in: "text\n\n", want: "text\n", key: "note"},
		{name: "bom", in: "\ufeff---\nkey: k\n---\ntext\n", want: "text", key: "k"},
		{name: "crlf", in: "---\r\nkey: k\r\n---\r\ntext\r\nmore\r\n", want: "text\r\nmore", key: "k"},
		{name: "never closed", in: "---\nkey: k\ntext\n", want: "---\nkey: k\ntext", key: "note"},
		{name: "a rule, not a mapping", in: "---\nsome text\n---\nmore\n", want: "---\nsome text\n---\nmore", key: "note"},
		{name: "rule with a list", in: "---\n- a\n---\n", want: "---\n- a\n---", key: "note"},
		{name: "empty front matter", in: "---\n---\ntext", want: "text", key: "note"},
		{name: "broken mapping", in: "---\nkey: [a\n---\ntext", fails: true},
		{name: "wrong type", in: "---\npinned: maybe\n---\ntext", fails: true},
		{name: "importance out of range", in: "---\nimportance: 2\n---\ntext", fails: true},
		{name: "a twice given key", in: "---\nkey: a\nkey: b\n---\ntext", fails: true},
		{name: "anchor", in: "---\nkey: &a b\n---\ntext", fails: true},
		{name: "an id that is a path", in: "---\nid: ../x\n---\ntext", fails: true},
		{name: "not text", in: "\xff", fails: true},
		{name: "only the opening", in: "---", want: "---", key: "note"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, err := decode([]byte(c.in))
			if c.fails != (err != nil) {
				t.Fatalf("error is %v", err)
			}
			if err != nil {
				return
			}
			complete(e, "note.md", at.UnixNano())
			if e.Content != c.want || e.Key != c.key || !e.Created.Equal(at) || e.Revision != 1 {
				t.Errorf("got %+v", e)
			}
		})
	}
}

func TestFileNames(t *testing.T) {
	none := func(string) bool { return false }
	for key, want := range map[string]string{
		"plain": "plain.md", "../../etc/passwd": "--..-etc-passwd.md", "..": "entry.md", ".hidden": "-hidden.md", " .hidden": "-hidden.md", "a/b": "a-b.md",
		"x\x00y": "x-y.md", "日本語": "日本語.md", "dots...": "dots.md", "spaces  ": "spaces.md", "": "entry.md", "a\u202eb": "a-b.md",
	} {
		if got := fileName(key, none); got != want {
			t.Errorf("%q becomes %q, want %q", key, got, want)
		}
	}
	if got := fileName("a", func(n string) bool { return n == "a.md" || n == "a-2.md" }); got != "a-3.md" {
		t.Errorf("the third a becomes %q", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		taken := rapid.IntRange(0, 1000).Draw(t, "taken")
		name := fileName(rapid.String().Draw(t, "key"), func(string) bool { taken--; return taken >= 0 })
		if len(name) > maxNameBytes || strings.ContainsAny(name, "/\x00\n") || !isEntryName(name) {
			t.Fatalf("got %q", name)
		}
	})
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("---\nid: a\nkey: b\nimportance: 0.5\ncreated: 2026-01-02T03:04:05Z\nupdated: 2026-01-02T03:04:05Z\nrevision: 1\nsource:\n  trust: agent\n---\ntext\n"))
	f.Add([]byte("---\r\ntags: [a, \"b\"]\r\nx: {y: [1]}\r\n---\r\ntext"))
	f.Add([]byte("\ufeff---\n---\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := decode(data)
		if err != nil {
			return
		}
		complete(e, "name.md", 0)
		if e.ID == "" {
			e.ID = "id"
		}
		out, err := encode(e)
		if err != nil {
			if encodable(e) == nil && len(e.Metadata)+len(e.Extra) == 0 {
				t.Fatalf("%q can be read but not written: %v", data, err)
			}
			return
		}
		again, err := decode(out)
		if d := cmp.Diff(e, again, cmpopts.EquateEmpty()); err != nil || d != "" {
			t.Fatalf("%q: %v %s in %q", data, err, d, out)
		}
	})
}

// FuzzParseRecord looks for a panic, and for a line that says nothing.
func FuzzParseRecord(f *testing.F) {
	f.Add([]byte(`{"seq":1,"steps":[{"action":"add","file":"a.md","hash":"00","after":{"id":"x","key":"k\"\\"}}]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		if r, err := parseRecord(nil, line); err == nil && (r.Seq <= 0 || r.Lost == 0 && len(r.Steps) == 0) {
			t.Fatalf("took %q", line)
		}
	})
}
