package transcript

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

func set[T any](t *testing.T, limit *T, value T) {
	t.Helper()
	before := *limit
	*limit = value
	t.Cleanup(func() { *limit = before })
}

// claudeTalk is a transcript of n turns.
func claudeTalk(n int, text string) []byte {
	var b bytes.Buffer
	parent := "null"
	for i := range n {
		role := []string{"user", "assistant"}[i%2]
		fmt.Fprintf(&b, `{"type":%q,"uuid":"u%d","parentUuid":%s,"sessionId":"s","timestamp":"2026-01-01T00:00:00Z","message":{"id":"m%d","content":%q}}`+"\n", role, i, parent, i, text)
		parent = fmt.Sprintf(`"u%d"`, i)
	}
	return b.Bytes()
}

func TestChunks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "talk.jsonl")
	store(t, path, claudeTalk(1200, "hello"))
	var sizes []int
	for c, err := range (claude{}).Read(t.Context(), path) {
		if err != nil || c.External != "s" {
			t.Fatalf("%q, %v", c.External, err)
		}
		sizes = append(sizes, len(c.Turns))
		c.Turns[0].Content = "a caller may keep and change a chunk"
	}
	if fmt.Sprint(sizes) != "[512 512 176]" {
		t.Errorf("chunks of %v turns", sizes)
	}
}

// TestStop ends a sequence before its time.
func TestStop(t *testing.T) {
	set(t, &chunkTurns, 1)
	for _, f := range Formats() {
		for _, path := range examples(t, f.Name()) {
			n := 0
			for range f.Read(t.Context(), path) {
				n++
				break
			}
			if n != 1 {
				t.Errorf("%s: %d", path, n)
			}
		}
	}
}

func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, f := range Formats() {
		if f.Name() == "sweagent" || f.Name() == "opencode" {
			continue // one document: it is in memory when ctx is looked at
		}
		for _, path := range examples(t, f.Name()) {
			for c, err := range f.Read(ctx, path) {
				if !errors.Is(err, context.Canceled) {
					t.Errorf("%s: %d turns, %v", path, len(c.Turns), err)
				}
			}
		}
	}
}

func TestNotAFile(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]memory.Kind{
		dir: memory.KindInvalid, pipe: memory.KindInvalid, filepath.Join(dir, "absent"): memory.KindNotFound,
	} {
		if _, err := Detect(path); memory.KindOf(err) != want {
			t.Errorf("Detect(%s): %v, want %v", path, err, want)
		}
		for _, f := range Formats() {
			h := take(t, f, path)
			if memory.KindOf(h.err) != want || len(h.conversations) > 0 {
				t.Errorf("%s.Read(%s): %v, want %v", f.Name(), filepath.Base(path), h.err, want)
			}
		}
	}
}

func TestLongLine(t *testing.T) {
	set(t, &maxLine, 64<<10)
	path := filepath.Join(t.TempDir(), "talk.jsonl")
	talk := claudeTalk(3, "hello")
	lines := bytes.SplitAfter(talk, []byte("\n"))
	lines[1] = bytes.Replace(lines[1], []byte("hello"), bytes.Repeat([]byte("x"), 1<<20), 1)
	store(t, path, bytes.Join(lines, nil))
	h := take(t, claude{}, path)
	// The chain is broken, and goes on with the line before.
	if len(h.conversations) != 1 || len(h.conversations[0].Turns) != 2 || h.skips[skipTooLong] != 1 || h.err != nil {
		t.Errorf("%v", h.text("/nowhere"))
	}
}

func TestDeepJSON(t *testing.T) {
	deep := strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)
	for _, f := range Formats() {
		path := filepath.Join(t.TempDir(), fileNames[f.Name()])
		store(t, path, []byte(`{"type":"user","role":"user","sessionId":"s","uuid":"u","step":1,"content":`+deep+"}\n"))
		if h := take(t, f, path); len(h.conversations) > 0 {
			t.Errorf("%s took it for a conversation", f.Name())
		}
	}
}

func TestDocumentTooBig(t *testing.T) {
	set(t, &maxDocument, 100)
	h := take(t, sweagent{}, "testdata/sweagent/acme__bridge-12.traj")
	if memory.KindOf(h.err) != memory.KindTooBig {
		t.Errorf("%v", h.err)
	}
}

func compress(t *testing.T, text []byte) []byte {
	t.Helper()
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer enc.Close()
	return enc.EncodeAll(text, nil)
}

// TestCompressed reads a compressed rollout as the plain one.
func TestCompressed(t *testing.T) {
	plain := examples(t, "codex")[1]
	text, err := os.ReadFile(plain)
	if err != nil {
		t.Fatal(err)
	}
	packed := filepath.Join(t.TempDir(), filepath.Base(plain)+".zst")
	store(t, packed, compress(t, text))
	if f, err := Detect(packed); err != nil || f.Name() != "codex" {
		t.Fatalf("detected as %v, %v", f, err)
	}
	want, got := take(t, codex{}, plain), take(t, codex{}, packed)
	if want.text("/nowhere") != got.text("/nowhere") {
		t.Errorf("plain:\n%s\ncompressed:\n%s", want.text("/nowhere"), got.text("/nowhere"))
	}
	store(t, packed, compress(t, text)[:200])
	if h := take(t, codex{}, packed); h.err != nil || h.skips["damaged"] != 1 {
		t.Errorf("a damaged file: %v, %v", h.err, h.skips)
	}
}

// TestCompressionBomb reads a file that is small and unpacks to much, as far as
// the limit.
func TestCompressionBomb(t *testing.T) {
	set(t, &maxUnpacked, 1<<20)
	line := `{"timestamp":"2026-01-01T00:00:00Z","type":"response_item","payload":{"type":"message","role":"user","content":"hi"}}` + "\n"
	path := filepath.Join(t.TempDir(), fileNames["codex"]+".zst")
	store(t, path, compress(t, []byte(line+strings.Repeat(" ", 64<<20))))
	h := take(t, codex{}, path)
	if h.err != nil || h.skips[skipTooBig] != 1 || len(h.conversations) != 1 {
		t.Errorf("%v", h.text("/nowhere"))
	}
}

// TestDetectByContent gives files names of other formats: the content decides.
func TestDetectByContent(t *testing.T) {
	dir := t.TempDir()
	for _, f := range Formats() {
		for _, example := range examples(t, f.Name()) {
			text, err := os.ReadFile(example)
			if err != nil {
				t.Fatal(err)
			}
			for other, name := range fileNames {
				if strings.Contains(example, "/old/") || filepath.Base(example) == clineSent || f.Name() == "sweagent" && other != "sweagent" {
					continue // what the name is needed for
				}
				path := filepath.Join(dir, name)
				store(t, path, text)
				if got, err := Detect(path); err != nil || got.Name() != f.Name() {
					t.Errorf("%s as %s: %v, %v", example, name, got, err)
				}
			}
		}
	}
	for _, name := range fileNames {
		for _, text := range []string{"", "\n\n", "hello\n", "{}", "[]", `{"a":1}` + "\n", "\x00\x01\x02", "null", `["role"]`} {
			path := filepath.Join(dir, name)
			store(t, path, []byte(text))
			if f, err := Detect(path); memory.KindOf(err) != memory.KindInvalid {
				t.Errorf("%q as %s: %v, %v", text, name, f, err)
			}
		}
	}
}

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		" a\r\nb\x00c\x1b[31mred\x1b[0m\x7f\u0085 ": "a\nbcred",
		"caf\xe9":           "caf\ufffd",
		"tab\tand\nline":    "tab\tand\nline",
		"\x1b]0;title\x07x": "x",
		"naïve — ok 日本":     "naïve — ok 日本",
	} {
		if got := clean(in); got != want {
			t.Errorf("clean(%q) = %q, want %q", in, got, want)
		}
	}
	long := strings.Repeat("é", 5000) + "end"
	got := cut(long, maxResult)
	if !strings.HasPrefix(got, "éé") || !strings.HasSuffix(got, "end") || utf8.RuneCountInString(got) > maxResult+60 || !strings.Contains(got, "1003 characters left out") {
		t.Errorf("cut: %d runes, ends in %q", utf8.RuneCountInString(got), got[len(got)-40:])
	}
	if got := titleOf(strings.Repeat("word ", 15) + "token-of-many-letters"); !strings.HasSuffix(got, "word…") {
		t.Errorf("title: %q, with a part of a word", got)
	}
	if got := titleOf(strings.Repeat("x", 200)); got != "…" {
		t.Errorf("title: %q, a part of a word", got)
	}
	if got := short(strings.Repeat("word ", 1000), 20); got != "word word word word…" {
		t.Errorf("short: %q", got)
	}
}

func TestArguments(t *testing.T) {
	for in, want := range map[string]string{
		`{"command":"ls\n-l"}`:                "ls -l",
		`{"b":1,"a":"x","c":null,"d":[1, 2]}`: "b: 1, a: x, c: , d: [1,2]",
		`"{\"cmd\":\"ls\"}"`:                  "ls",
		`plain text`:                          "plain text",
		`{"broken":`:                          `{"broken":`,
		``:                                    "",
		`{}`:                                  "",
	} {
		if got := arguments([]byte(in)); got != want {
			t.Errorf("arguments(%s) = %q, want %q", in, got, want)
		}
	}
}

func TestUserText(t *testing.T) {
	for in, want := range map[string]string{
		"<command-name>/x</command-name>\n<command-args>y</command-args>":      "",
		"<ide_selection>a</ide_selection> fix <b>this</b>":                     "fix <b>this</b>",
		"<environment_context>never closed, says the user":                     "",
		"one <system-reminder>x</system-reminder>two<system-reminder>unclosed": "one two",
		"<div>is the user's</div>":                                             "<div>is the user's</div>",
		"[Request interrupted by user for tool use]":                           "",
		"<skills are great>":                                                   "<skills are great>",
	} {
		if got := userText(in); got != want {
			t.Errorf("userText(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestSkips bounds what a file can make us count.
func TestSkips(t *testing.T) {
	s := skips{}
	for i := range 1000 {
		s.unknown("record", fmt.Sprintf("kind%d", i))
	}
	s.unknown("record", "a secret with spaces")
	if len(s) > maxKinds+1 || s["other"] != 1001-maxKinds {
		t.Errorf("%d kinds, %d others", len(s), s["other"])
	}
	if err := error(&Skip{Kind: "x", Count: 2}); !errors.Is(err, ErrSkipped) || err.Error() != "2 records skipped: x" {
		t.Error(err)
	}
}
