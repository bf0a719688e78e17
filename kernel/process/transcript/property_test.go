package transcript

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// fileNames are names that a format's files have.
var fileNames = map[string]string{
	"claude":      "5b1c2f6e-0c1e-4b8e-9a53-2f1a6f0f7a01.jsonl",
	"codex":       "rollout-2026-04-02T08-00-00-019d0000-1111-7222-8333-444455556666.jsonl",
	"gemini":      "session-2026-05-01T07-00-0a0b0c0d.jsonl",
	"opencode":    "export.json",
	"antigravity": "transcript.jsonl",
	"aider":       ".aider.chat.history.md",
	"rnix":        "steps.jsonl",
	"sweagent":    "acme__bridge-12.traj",
	"specstory":   "2025-04-28_16-54-grain-is-wet.md",
	"openai":      "messages.jsonl",
	"cursor":      "harbour.md",
	"copilot":     "chat.json",
	"cline":       "ui_messages.json",
}

// onlyGrow are the formats whose files are appended to. Of those in Markdown, a
// part of a line can be of another kind than the line.
var onlyGrow = map[string]bool{"claude": true, "codex": true, "gemini": true, "antigravity": true, "rnix": true, "openai": true, "aider": true}

// properties checks what holds for any file of a format, whatever is in it.
func properties(t *testing.T, f Format, dir string, text []byte) {
	t.Helper()
	path := filepath.Join(dir, fileNames[f.Name()])
	store(t, path, text)
	whole := take(t, f, path)
	sane(t, whole)
	if again := take(t, f, path); again.text(dir) != whole.text(dir) {
		t.Fatalf("read twice (-first +second)\n%s", cmp.Diff(whole.text(dir), again.text(dir)))
	}
	if !onlyGrow[f.Name()] || whole.skips[skipAbandoned] > 0 || whole.skips[skipDuplicate] > 0 {
		return // what was taken back was there before
	}
	if f.Name() == "openai" && whole.skips[skipUnparsable] > 0 {
		return // one document over many lines: what comes later decides what it is
	}
	for _, eighth := range []int{1, 3, 5, 7} {
		prefix := text[:len(text)*eighth/8]
		if f.Name() == "aider" || whole.skips[skipUnparsable] > 0 { // the beginning of a line that is no JSON can be JSON
			prefix = prefix[:bytes.LastIndexByte(prefix, '\n')+1]
		}
		store(t, path, prefix)
		part := take(t, f, path)
		sane(t, part)
		if part.skips[skipAbandoned] > 0 || part.skips[skipDuplicate] > 0 {
			continue
		}
		grown(t, part, whole)
	}
}

// grown checks that every id of a file's beginning is one of the whole.
func grown(t *testing.T, part, whole history) {
	t.Helper()
	ids := map[string]map[string]bool{}
	for _, c := range whole.conversations {
		ids[c.External] = map[string]bool{}
		for _, turn := range c.Turns {
			ids[c.External][turn.ID] = true
		}
	}
	for _, c := range part.conversations {
		for _, turn := range c.Turns {
			if known, ok := ids[c.External]; ok && !known[turn.ID] {
				t.Fatalf("the turn %s of the beginning is not in the whole:\n%s\n----\n%s", turn.ID, part.text("/nowhere"), whole.text("/nowhere"))
			}
		}
	}
}

func store(t testing.TB, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestEveryPrefix cuts the examples after every line, and in the middle of some.
func TestEveryPrefix(t *testing.T) {
	for _, f := range Formats() {
		t.Run(f.Name(), func(t *testing.T) {
			for _, example := range examples(t, f.Name()) {
				text, err := os.ReadFile(example)
				if err != nil {
					t.Fatal(err)
				}
				dir := t.TempDir()
				for i := range text {
					if text[i] == '\n' || i%97 == 0 {
						properties(t, f, dir, text[:i])
					}
				}
			}
		})
	}
}

// TestPrefixContents checks that a turn of a beginning is the same turn in the
// whole: importers keep the first.
func TestPrefixContents(t *testing.T) {
	for _, f := range Formats() {
		if !onlyGrow[f.Name()] || f.Name() == "aider" {
			continue // what a speaker says in Markdown has no end but the next speaker
		}
		for _, example := range examples(t, f.Name()) {
			text, err := os.ReadFile(example)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), filepath.Base(example))
			store(t, path, text)
			whole := map[string]string{}
			for _, c := range take(t, f, path).conversations {
				for _, turn := range c.Turns {
					whole[turn.ID] = turn.Content
				}
			}
			for i := range text {
				if text[i] != '\n' {
					continue
				}
				store(t, path, text[:i+1])
				for _, c := range take(t, f, path).conversations {
					for _, turn := range c.Turns {
						if content, ok := whole[turn.ID]; ok && content != turn.Content {
							t.Errorf("%s: %s was %q, and is %q", example, turn.ID, turn.Content, content)
						}
					}
				}
			}
		}
	}
}

// TestAnyLines takes the lines of the examples in any order, with some of them
// twice and others lost.
func TestAnyLines(t *testing.T) {
	for _, f := range Formats() {
		t.Run(f.Name(), func(t *testing.T) {
			var lines [][]byte
			for _, example := range examples(t, f.Name()) {
				text, err := os.ReadFile(example)
				if err != nil {
					t.Fatal(err)
				}
				for l := range bytes.Lines(text) { // the last has no end: it would become one with the next
					lines = append(lines, append(bytes.TrimSuffix(l, []byte("\n")), '\n'))
				}
			}
			dir := t.TempDir()
			rapid.Check(t, func(rt *rapid.T) {
				var text []byte
				for _, i := range rapid.SliceOfN(rapid.IntRange(0, len(lines)-1), 0, 3*len(lines)).Draw(rt, "lines") {
					text = append(text, lines[i]...)
				}
				properties(t, f, dir, text)
			})
		})
	}
}

func fuzz(f *testing.F, format Format) {
	chunkTurns = 3 // chunks of every example
	dir := f.TempDir()
	for _, example := range examples(f, format.Name()) {
		text, err := os.ReadFile(example)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
		f.Add(bytes.ReplaceAll(text, []byte("user"), []byte("assistant")))
		f.Add([]byte(strings.Repeat(string(text[:min(len(text), 2000)]), 3)))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, other := range Formats() {
			other.Detect(fileNames[format.Name()], text[:min(len(text), headSize)])
		}
		properties(t, format, dir, text)
	})
}

func FuzzClaude(f *testing.F)    { fuzz(f, claude{}) }
func FuzzCodex(f *testing.F)     { fuzz(f, codex{}) }
func FuzzGemini(f *testing.F)    { fuzz(f, gemini{}) }
func FuzzOpencode(f *testing.F)  { fuzz(f, opencode{}) }
func FuzzAider(f *testing.F)     { fuzz(f, aider{}) }
func FuzzRnix(f *testing.F)      { fuzz(f, rnix{}) }
func FuzzSWEAgent(f *testing.F)  { fuzz(f, sweagent{}) }
func FuzzSpecStory(f *testing.F) { fuzz(f, specstory{}) }
func FuzzCursor(f *testing.F)    { fuzz(f, cursor{}) }
func FuzzCopilot(f *testing.F)   { fuzz(f, copilot{}) }
func FuzzCline(f *testing.F)     { fuzz(f, cline{}) }
func FuzzOpenAI(f *testing.F)    { fuzz(f, openai{}) }
