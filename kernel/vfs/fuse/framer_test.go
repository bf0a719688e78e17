package fuse

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// cut runs a framer over chunks, up to the first error.
func cut(chunks ...[]byte) (objects []string, kind memory.Kind, failed bool, pending int) {
	var f framer
	for _, p := range chunks {
		for len(p) > 0 {
			n, obj, err := f.next(p)
			if err != nil {
				return objects, memory.KindOf(err), true, f.pending()
			}
			if obj != nil {
				objects = append(objects, string(obj))
			}
			p = p[n:]
		}
	}
	return objects, 0, false, f.pending()
}

func TestFramer(t *testing.T) {
	full := `{"a":"` + strings.Repeat("x", MaxRequest-8) + `"}`
	for name, tt := range map[string]struct {
		in      string
		objects []string
		kind    memory.Kind
		failed  bool
		pending int
	}{
		"empty":             {in: ""},
		"blanks":            {in: " \t\r\n"},
		"one":               {in: `{"a":1}` + "\n", objects: []string{`{"a":1}`}},
		"many":              {in: ` {}{"b":{"c":"}"}}` + "\n\n{ }", objects: []string{`{}`, `{"b":{"c":"}"}}`, `{ }`}},
		"braces in strings": {in: `{"a":"{\"}\\"}`, objects: []string{`{"a":"{\"}\\"}`}},
		"not an object":     {in: `{}x`, objects: []string{`{}`}, failed: true, kind: memory.KindInvalid},
		"array":             {in: `[{}]`, failed: true, kind: memory.KindInvalid},
		"closing brace":     {in: `}`, failed: true, kind: memory.KindInvalid},
		"line break":        {in: "{\"a\":\"b\nc\"}", failed: true, kind: memory.KindInvalid},
		"cut off":           {in: ` {"a":`, pending: 5},
		"malformed inside":  {in: `{"a":[}`, objects: []string{`{"a":[}`}},
		"the largest":       {in: full, objects: []string{full}},
		"too large":         {in: `{` + full, failed: true, kind: memory.KindTooBig},
		"never closed":      {in: `{"` + strings.Repeat("x", MaxRequest), failed: true, kind: memory.KindTooBig},
	} {
		t.Run(name, func(t *testing.T) {
			objects, kind, failed, pending := cut([]byte(tt.in))
			if diff := cmp.Diff(tt.objects, objects); diff != "" {
				t.Error(diff)
			}
			if kind != tt.kind || failed != tt.failed || pending != tt.pending {
				t.Errorf("kind %v failed %v pending %d", kind, failed, pending)
			}
		})
	}
}

// TestFramerChunks is the framer's main property: where a stream is cut into
// writes makes no difference.
func TestFramerChunks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stream := []byte(rapid.StringOf(rapid.SampledFrom([]rune("{}[]\"\\ \n:,ab\x01é"))).Draw(t, "stream"))
		checkChunks(t, stream, rapid.SliceOfN(rapid.IntRange(0, len(stream)), 0, 8).Draw(t, "cuts"))
	})
}

func checkChunks(t interface{ Fatalf(string, ...any) }, stream []byte, cuts []int) {
	chunks, rest, at := [][]byte{}, stream, 0
	for _, c := range cuts {
		if c > at {
			chunks, rest, at = append(chunks, rest[:c-at]), rest[c-at:], c
		}
	}
	want := fmt.Sprint(cut(stream))
	if got := fmt.Sprint(cut(append(chunks, rest)...)); got != want {
		t.Fatalf("in chunks %q: %s, at once: %s", chunks, got, want)
	}
}

// TestFramerJSON: any object that an encoder makes comes out as it is.
func TestFramerJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.MapOf(rapid.String(), rapid.String()).Draw(t, "m")
		raw, err := json.MarshalIndent(map[string]any{"m": m, "n": []any{m, 1}}, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		objects, _, failed, _ := cut(append(bytes.Clone(raw), ' '), raw)
		if failed || len(objects) != 2 || objects[0] != string(raw) || objects[1] != string(raw) {
			t.Fatalf("got %q of %q", objects, raw)
		}
	})
}

func FuzzFramer(f *testing.F) {
	f.Add([]byte(`{"a":"b"} {"c":{}}`), uint16(3), uint16(9))
	f.Add([]byte("{\"a\\"), uint16(1), uint16(2))
	f.Fuzz(func(t *testing.T, stream []byte, a, b uint16) {
		x, y := int(a)%(len(stream)+1), int(b)%(len(stream)+1)
		checkChunks(t, stream, []int{min(x, y), max(x, y)})
		whole, _, failed, pending := cut(stream)
		if single := wholeObject(stream); single != (!failed && pending == 0 && len(whole) == 1) {
			t.Fatalf("wholeObject is %v for %q", single, stream)
		}
	})
}
