package yamldoc

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

type store struct {
	Limit    int            `yaml:"memory_char_limit"`
	Policy   string         `yaml:"overflow_policy"`
	Ratio    float64        `yaml:"ratio"`
	Wait     time.Duration  `yaml:"wait"`
	Tags     []string       `yaml:"tags"`
	Limits   map[string]int `yaml:"limits"`
	Optional *bool          `yaml:"optional"`
}

type config struct {
	Enabled bool  `yaml:"enabled"`
	Store   store `yaml:"store"`
}

func TestDecode(t *testing.T) {
	got := config{Enabled: true, Store: store{Limit: 4096, Policy: "error"}}
	ps := Decode([]byte("store:\n  memory_char_limit: 50_000\n  wait: 90s\n  tags: [a, 2024]\n  limits: {x: 1}\n  optional: yes\n  ratio: 1\n"), &got)
	if len(ps) > 0 {
		t.Fatal(ps)
	}
	yes := true
	want := config{Enabled: true, Store: store{
		Limit: 50000, Policy: "error", Wait: 90 * time.Second, Ratio: 1,
		Tags: []string{"a", "2024"}, Limits: map[string]int{"x": 1}, Optional: &yes,
	}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestDecodeRowsOverRows lays rows over rows, field by field, and leaves those of
// another value as they are.
func TestDecodeRowsOverRows(t *testing.T) {
	type row struct {
		A int    `yaml:"a"`
		B string `yaml:"b"`
	}
	type rows struct {
		Rows map[string]row `yaml:"rows"`
	}
	below := rows{Rows: map[string]row{"x": {1, "below"}, "y": {2, "below"}}}
	above := below
	if ps := Decode([]byte("rows:\n  x: {b: above}\n  z: {a: 3}\n"), &above); len(ps) > 0 {
		t.Fatal(ps)
	}
	if d := cmp.Diff(rows{map[string]row{"x": {1, "above"}, "y": {2, "below"}, "z": {A: 3}}}, above); d != "" {
		t.Error(d)
	}
	if below.Rows["x"].B != "below" || len(below.Rows) != 2 {
		t.Errorf("the rows below became %v", below.Rows)
	}
	ps := Decode([]byte("rows:\n  x:\n    a: one\n    c: 1\n"), &above)
	if len(ps) != 2 || ps[0].Error() != "3:8: rows.x.a: must be a whole number" || ps[1].Error() != "4:5: rows.x.c: unknown key; known are a, b" {
		t.Error(ps)
	}
}

func TestDecodeProblems(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []string
	}{
		{"all at once", "enabled: perhaps\nstore:\n  memory_char_limt: 1\n  ratio: x\n  tags: 3\n", []string{
			"1:10: enabled: must be true or false",
			`3:3: store.memory_char_limt: unknown key; did you mean "memory_char_limit"?`,
			"4:10: store.ratio: must be a number",
			"5:9: store.tags: must be a list, not a single value",
		}},
		{"no near miss", "frobnicate: 1", []string{"1:1: frobnicate: unknown key; known are enabled, store"}},
		{"twice", "enabled: true\nenabled: false", []string{"2:1: enabled: given twice, first in line 1"}},
		{"alias", "a: &x [1]\nb: *x", []string{"1:4: a: anchors are not supported", "2:4: b: aliases are not supported"}},
		{"merge", "<<: {a: 1}", []string{"1:1: <<: merge keys are not supported"}},
		{"tag", "enabled: !!str true", []string{"1:10: enabled: tags are not supported"}},
		{"two documents", "enabled: true\n---\nenabled: false", []string{"2:1: more than one document"}},
		{"syntax", "a: [1\nb: 2", []string{"1: did not find expected ',' or ']'"}},
		{"syntax further down", "a: 1\nb: 2\nc: [1\nd: 2", []string{"3: did not find expected ',' or ']'"}},
		{"no key", "\na: 1\n- b", []string{"3: did not find expected key"}},
		{"end", "a: 1\nb: [", []string{"2: did not find expected node content"}},
		{"utf-8", "a: 1\nb: \xff", []string{"2: not valid UTF-8"}},
		{"not a mapping", "- a", []string{"1:1: must be a mapping, not a list"}},
		{"overflow", "store: {memory_char_limit: 99999999999999999999}", []string{"1:28: store.memory_char_limit: must be a whole number"}},
		{"hexadecimal", "store: {memory_char_limit: 0x10}", []string{"1:28: store.memory_char_limit: must be a whole number"}},
		{"infinite", "store: {ratio: .inf}", []string{"1:16: store.ratio: must be a number"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var v config
			var got []string
			for _, p := range Decode([]byte(c.in), &v) {
				got = append(got, p.Error())
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestParseBounds(t *testing.T) {
	for name, in := range map[string]string{
		"size":  strings.Repeat("#", MaxBytes+1),
		"depth": strings.Repeat("[", MaxDepth+2) + strings.Repeat("]", MaxDepth+2),
		"nodes": "[" + strings.Repeat("1,", MaxNodes) + "]",
	} {
		if _, ps := Parse([]byte(in)); len(ps) != 1 {
			t.Errorf("%s: want one problem, got %v", name, ps)
		}
	}
}

func TestAtAndHas(t *testing.T) {
	doc, ps := Parse([]byte("store:\n  tags:\n    - a\n    - b\n"))
	if len(ps) > 0 {
		t.Fatal(ps)
	}
	if got := doc.At("store.tags[1]", "is %s", "odd").Error(); got != "4:7: store.tags[1]: is odd" {
		t.Error(got)
	}
	if !doc.Has("store.tags") || doc.Has("store.limit") {
		t.Error("Has disagrees with the document")
	}
}

func TestInlineTakesTheRest(t *testing.T) {
	var v struct {
		A    int            `yaml:"a"`
		Rest map[string]any `yaml:",inline"`
	}
	if ps := Decode([]byte("a: 1\nb: 2\nc: {d: [x, null, 2024-01-02]}"), &v); len(ps) > 0 {
		t.Fatal(ps)
	}
	want := map[string]any{"b": 2.0, "c": map[string]any{"d": []any{"x", nil, "2024-01-02"}}}
	if d := cmp.Diff(want, v.Rest); d != "" {
		t.Error(d)
	}
}

func TestAppendKeepsOrder(t *testing.T) {
	got, err := Append([]byte("---\n"), map[string]any{
		"z": "plain words", "a": []any{"yes", "", "a: b", int64(3)}, "m": map[string]any{"b": 1.5, "a": map[string]any{}}, "not a: word": nil,
	}, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := "---\n  a:\n    - \"yes\"\n    - \"\"\n    - \"a: b\"\n    - 3\n  m:\n    a: {}\n    b: 1.5\n  \"not a: word\": null\n  z: plain words\n"
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Error(d)
	}
}

// BenchmarkDecode is what opening an entry costs.
func BenchmarkDecode(b *testing.B) {
	in := []byte("id: 0192f3c4-aaaa-7bbb-8ccc-1234567890ab\nkey: the key\ntags: [go, tests]\nimportance: 0.5\ncreated: 2026-01-02T03:04:05Z\nsource:\n  trust: agent\n  uid: 1000\n  exe: /usr/bin/bash\n  turns: [a, b]\n")
	var v struct {
		Tags    []string       `yaml:"tags"`
		Created *time.Time     `yaml:"created"`
		Rest    map[string]any `yaml:",inline"`
	}
	for b.Loop() {
		if ps := Decode(in, &v); len(ps) > 0 {
			b.Fatal(ps)
		}
	}
}

// anyValue draws JSON values as deep as depth.
func anyValue(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		switch k := rapid.IntRange(0, 6).Draw(t, "kind"); {
		case k == 0:
			return nil
		case k == 1:
			return rapid.Bool().Draw(t, "bool")
		case k == 2:
			return rapid.Float64Range(-1e300, 1e300).Draw(t, "float") + 0
		case k == 3 && depth > 0:
			return rapid.SliceOfN(anyValue(depth-1), 0, 4).Draw(t, "list")
		case k == 4 && depth > 0:
			return rapid.MapOfN(rapid.String(), anyValue(depth-1), 0, 4).Draw(t, "map")
		}
		return rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
			"no", "1", "-", "~", "2024-01-02", "2024-01-02T00:00:00Z", " a", "a ", "a\nb", "\u0085", "\ufeff", "#x", "a #b", "a: b", "---", "...", "'", "é", "<<", "0o7", "1_0", ".5", "=", "\x7f", "=-", "null",
		})).Draw(t, "text")
	})
}

func TestAppendRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := map[string]any{"v": anyValue(4).Draw(t, "value")}
		data, err := Append(nil, want, 0)
		if err != nil {
			t.Fatal(err)
		}
		var got any
		if ps := Decode(data, &got); len(ps) > 0 {
			t.Fatalf("%v in\n%s", ps, data)
		}
		if d := cmp.Diff(any(want), got); d != "" {
			t.Fatalf("%s\n%s", d, data)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("a: [1, {b: c}]\n"))
	f.Add([]byte("a: &x [*x]\n--- |\n  t"))
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, ps := Parse(data)
		if len(ps) > 0 {
			return
		}
		var v any
		if ps := doc.Decode(&v); len(ps) > 0 {
			return
		}
		out, err := Append(nil, map[string]any{"v": v}, 0)
		if err != nil {
			t.Fatalf("%v for %q", err, data)
		}
		var again struct {
			V any `yaml:"v"`
		}
		if ps := Decode(out, &again); len(ps) > 0 || cmp.Diff(v, again.V) != "" {
			t.Fatalf("%v %s for %q as %q", ps, cmp.Diff(v, again.V), data, out)
		}
	})
}
