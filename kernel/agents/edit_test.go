package agents

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tailscale/hujson"
	"pgregory.net/rapid"
)

var command = Command{Binary: "/usr/local/bin/rnixfs"}

// hooksOf is the hooks of an agent, with add for a text that may have some.
func hooksOf(a *Agent, c Command) entered { return entered{a.hooked(c)} }

type entered struct{ part }

func (e entered) add(text []byte) ([]byte, error) {
	if done, err := e.has(text); err != nil || done {
		return text, err
	}
	text, err := e.remove(text)
	if err != nil {
		return nil, err
	}
	return e.part.add(text)
}

// hooked is the agents with hooks.
func hooked() (all []*Agent) {
	for _, name := range Names(true) {
		all = append(all, ByName(name))
	}
	return all
}

func TestAddGolden(t *testing.T) {
	one := &Agent{Name: "claude", install: []string{"Stop"}, prompt: "UserPromptSubmit"}
	const hook = `"'/usr/local/bin/rnixfs' hook claude"`
	for name, tc := range map[string]struct{ before, after string }{
		"nothing":      {"", "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": " + hook + ",\n            \"timeout\": 10\n          }\n        ]\n      }\n    ]\n  }\n}\n"},
		"one line":     {`{"a":1}`, `{"a":1,"hooks":{"Stop":[{"hooks":[{"type":"command","command":` + hook + `,"timeout":10}]}]}}`},
		"tabs":         {"{\n\t\"a\": 1\n}", "{\n\t\"a\": 1,\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{\n\t\t\t\t\"hooks\": [\n\t\t\t\t\t{\n\t\t\t\t\t\t\"type\": \"command\",\n\t\t\t\t\t\t\"command\": " + hook + ",\n\t\t\t\t\t\t\"timeout\": 10\n\t\t\t\t\t}\n\t\t\t\t]\n\t\t\t}\n\t\t]\n\t}\n}"},
		"CRLF":         {"{\r\n \"hooks\": {}\r\n}\r\n", "{\r\n \"hooks\": {\r\n  \"Stop\": [\r\n   {\r\n    \"hooks\": [\r\n     {\r\n      \"type\": \"command\",\r\n      \"command\": " + hook + ",\r\n      \"timeout\": 10\r\n     }\r\n    ]\r\n   }\r\n  ]\r\n }\r\n}\r\n"},
		"others' hook": {"{\n  \"hooks\": {\n    \"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}]\n  }\n}\n", "{\n  \"hooks\": {\n    \"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]},{\"hooks\":[{\"type\":\"command\",\"command\":" + hook + ",\"timeout\":10}]}]\n  }\n}\n"},
	} {
		got, err := hooksOf(one, command).add([]byte(tc.before))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(tc.after, string(got)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// TestAddComments: Gemini CLI reads comments, so they stay where they are.
func TestAddComments(t *testing.T) {
	before := "{\n  // mine\n  \"theme\": \"dark\", /* a */\n  \"x\": [1, 2] // the last, with { and \"\n  /* end */\n}\n"
	gemini := ByName("gemini")
	got, err := hooksOf(gemini, command).add([]byte(before))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(got, []byte("{\n  // mine\n  \"theme\": \"dark\", /* a */\n  \"x\": [1, 2], // the last, with { and \"\n  /* end */\n  \"hooks\": {\n")) {
		t.Errorf("got\n%s", got)
	}
	if _, err := hujson.Standardize(bytes.Clone(got)); err != nil {
		t.Errorf("not JSON with comments:\n%s", got)
	}
	back, err := hooksOf(gemini, command).remove(got)
	if err != nil || string(back) != before {
		t.Errorf("back is (%v)\n%s", err, back)
	}
}

func TestRefused(t *testing.T) {
	for name, tc := range map[string]struct{ agent, text, want string }{
		"comments, where the agent takes none": {"claude", "{\n// c\n\"a\":1}", "comments"},
		"cut off":                              {"claude", "{\n  \"a\": ", "2:7: "},
		"a trailing comma":                     {"gemini", "{\"a\":1,}", "1:8: a comma before }"},
		"a list":                               {"codex", "[]", "does not hold an object"},
		"hooks that are no object":             {"claude", `{"hooks":[]}`, `"hooks"`},
		"an event that is no list":             {"claude", `{"hooks":{"Stop":{}}}`, `"Stop"`},
		"hooks twice":                          {"claude", `{"hooks":{},"hooks":{}}`, "twice"},
		"a comment that never ends":            {"gemini", `{"a":1} /* `, "1:9: "},
		"two values":                           {"claude", `{}{}`, "1:3: "},
		"deep":                                 {"claude", strings.Repeat(`{"a":`, 600) + "1" + strings.Repeat("}", 600), "deep"},
	} {
		got, err := hooksOf(ByName(tc.agent), command).add([]byte(tc.text))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want one with %q; text %s", name, err, tc.want, got)
		}
	}
}

func TestAddTwice(t *testing.T) {
	for _, a := range hooked() {
		once, err := hooksOf(a, command).add([]byte("{}"))
		if err != nil {
			t.Fatal(err)
		}
		twice, err := hooksOf(a, command).add(once)
		if err != nil || !bytes.Equal(once, twice) {
			t.Errorf("%s: the second time (%v):\n%s", a.Name, err, twice)
		}
		moved, err := hooksOf(a, Command{Binary: "/opt/it's here/rnixfs-2"}).add(once)
		if err != nil || bytes.Contains(moved, []byte("/usr/local")) || strings.Count(string(moved), "hook "+a.Name) != len(a.install) {
			t.Errorf("%s: from another place (%v):\n%s", a.Name, err, moved)
		}
		if !a.Recalls() {
			continue
		}
		withPrompt, err := hooksOf(a, Command{Binary: command.Binary, Recall: true}).add(once)
		if err != nil || strings.Count(string(withPrompt), "hook --recall "+a.Name) != 1 || !bytes.Contains(withPrompt, []byte(a.prompt)) {
			t.Errorf("%s: with the prompt (%v):\n%s", a.Name, err, withPrompt)
		}
		without, err := hooksOf(a, command).add(withPrompt)
		if err != nil || !bytes.Equal(without, once) {
			t.Errorf("%s: without it again (%v):\n%s", a.Name, err, without)
		}
	}
}

// TestOursOnly: what a person made of the command is not taken out.
func TestOursOnly(t *testing.T) {
	for line, want := range map[string]bool{
		`'/usr/local/bin/rnixfs' hook claude`:           true,
		`/usr/bin/rnixfs hook claude`:                   true,
		`'/opt/it'\''s here/rnixfs' hook claude`:        true,
		`'/opt/rnixfs-1.2' hook --recall claude`:        true,
		`'/usr/local/bin/rnixfs' hook codex`:            false,
		`'/usr/local/bin/rnixfs' hook claude | tee x`:   false,
		`'/usr/local/bin/rnixfs' hook claude Stop`:      false,
		`FOO=1 /usr/local/bin/rnixfs hook claude`:       false,
		`rnixfs hook claude`:                            false,
		`'/usr/bin/other' hook claude`:                  false,
		`"/usr/local/bin/rnixfs" hook claude`:           false,
		`'/usr/local/bin/rnixfs hook claude`:            false,
		``:                                              false,
		`'/usr/local/bin/rnixfs' hook claude; rm -rf /`: false,
	} {
		if got := command.ours(line, "claude"); got != want {
			t.Errorf("%s: ours is %v", line, got)
		}
	}
	if odd := (Command{Binary: "/x/memory"}); !odd.ours("'/x/memory' hook gemini", "gemini") {
		t.Error("a binary of another name does not know its own command")
	}
}

// settingsText draws a settings file: valid JSON, laid out anyhow.
func settingsText(t *rapid.T, comments bool) string {
	blanks := []string{"", " ", "\n", "\n  ", "\t", "\r\n"}
	if comments {
		blanks = append(blanks, "/* { */", " // \"x\n", "\n// ,\n")
	}
	space := func() string { return rapid.SampledFrom(blanks).Draw(t, "space") }
	var value func(depth int) string
	list := func(open, shut string, n int, item func(i int) string) string {
		var b strings.Builder
		b.WriteString(open + space())
		for i := range n {
			if i > 0 {
				b.WriteString(space() + "," + space())
			}
			b.WriteString(item(i))
		}
		return b.String() + space() + shut
	}
	value = func(depth int) string {
		kind := rapid.IntRange(0, 4).Draw(t, "kind")
		if depth > 2 {
			kind = min(kind, 2)
		}
		n := rapid.IntRange(0, 3).Draw(t, "n")
		switch kind {
		case 0:
			return rapid.SampledFrom([]string{"1", "-2.5e3", "true", "null"}).Draw(t, "plain")
		case 1, 2:
			s, _ := json.Marshal(rapid.SampledFrom([]string{"", "x", "// no", "/* no */", `a"b\`, "é☃", "}],"}).Draw(t, "string"))
			return string(s)
		case 3:
			return list("[", "]", n, func(int) string { return value(depth + 1) })
		}
		return list("{", "}", n, func(i int) string {
			return fmt.Sprintf("%q%s:%s", fmt.Sprint("k", i), space(), space()) + value(depth+1)
		})
	}
	group := func(int) string {
		return list("{", "}", 1, func(int) string {
			return `"hooks"` + space() + ":" + list("[", "]", rapid.IntRange(0, 2).Draw(t, "handlers"), func(int) string {
				return `{"type":"command","command":"echo"}`
			})
		})
	}
	hooks := func() string {
		events := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"Stop", "SessionStart", "PreToolUse", "AfterAgent"}), 0, 3, rapid.ID).Draw(t, "events")
		return list("{", "}", len(events), func(i int) string {
			return fmt.Sprintf("%q:", events[i]) + list("[", "]", rapid.IntRange(0, 2).Draw(t, "groups"), group)
		})
	}
	n := rapid.IntRange(0, 4).Draw(t, "members")
	at := rapid.IntRange(-1, n-1).Draw(t, "hooks at")
	return space() + list("{", "}", n, func(i int) string {
		if i == at {
			return `"hooks":` + hooks()
		}
		return fmt.Sprintf("%q:", fmt.Sprint("key", i)) + value(0)
	}) + space()
}

// TestAddProperty: the hooks are there, everything else is as it was, and taking
// them out gives back what was there but for containers that were empty.
func TestAddProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := hooked()[rapid.IntRange(0, len(hooked())-1).Draw(t, "agent")]
		c := Command{Binary: "/usr/bin/rnixfs", Recall: rapid.Bool().Draw(t, "recall")}
		before := settingsText(t, a.comments)
		after, err := hooksOf(a, c).add([]byte(before))
		if err != nil {
			t.Fatalf("%v\n%s", err, before)
		}
		if done, err := hooksOf(a, c).has(after); err != nil || !done {
			t.Fatalf("not installed (%v):\n%s", err, after)
		}
		was, is := decode(t, before), decode(t, string(after))
		delete(was, "hooks")
		delete(is, "hooks")
		delete(is, "rnixfs")
		if diff := cmp.Diff(was, is); diff != "" {
			t.Fatalf("other keys changed:\n%s", diff)
		}
		if lost := missingBytes(before, string(after)); lost != "" {
			t.Fatalf("lost %q of\n%s\nin\n%s", lost, before, after)
		}
		back, err := hooksOf(a, c).remove(after)
		if err != nil {
			t.Fatalf("%v\n%s\n%s", err, before, after)
		}
		if diff := cmp.Diff(pruned(decode(t, before)), pruned(decode(t, string(back)))); diff != "" {
			t.Fatalf("after removal:\n%s", diff)
		}
	})
}

// missingBytes returns the first character of a, white space aside, that is not
// in b in this order.
func missingBytes(a, b string) string {
	at := 0
	for _, r := range a {
		if strings.ContainsRune(" \t\r\n", r) {
			continue
		}
		i := strings.IndexRune(b[at:], r)
		if i < 0 {
			return string(r)
		}
		at += i + 1
	}
	return ""
}

func decode(t interface{ Fatalf(string, ...any) }, text string) map[string]any {
	var m map[string]any
	plain, err := hujson.Standardize([]byte(text + "\n"))
	if err == nil {
		err = json.Unmarshal(plain, &m)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return m
}

// pruned leaves out hooks that are none.
func pruned(m map[string]any) map[string]any {
	hooks, _ := m["hooks"].(map[string]any)
	for event, list := range hooks {
		if l, ok := list.([]any); ok && len(l) == 0 {
			delete(hooks, event)
		}
	}
	if len(hooks) == 0 {
		delete(m, "hooks")
	}
	return m
}

func FuzzAdd(f *testing.F) {
	for _, seed := range []string{"", "{}", `{"hooks":{"Stop":[]}}`, "{\"a\":1 // x\n}", "\xef\xbb\xbf{}", `{"hooks":{"Stop":[{"hooks":[{"command":"'/b/rnixfs' hook claude"}]}]}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, a := range hooked() {
			out, err := hooksOf(a, command).add(text)
			if err != nil {
				continue
			}
			if done, err := hooksOf(a, command).has(out); err != nil || !done {
				t.Fatalf("%s: not installed (%v) in %q", a.Name, err, out)
			}
			if _, err := hooksOf(a, command).remove(out); err != nil {
				t.Fatalf("%s: %v", a.Name, err)
			}
		}
	})
}
