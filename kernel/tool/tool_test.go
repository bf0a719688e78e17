package tool_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rnixfs/rnixfs/kernel/tool"
)

func parsed(t *testing.T, text []byte) (v map[string]any) {
	t.Helper()
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}

// FuzzTemplates: whatever a template and the arguments are, filling it is valid JSON of the
// template's own shape: a value is a value, never a key, an item or another name.
func FuzzTemplates(f *testing.F) {
	f.Add(`{"action":"add","content":"a $x and $$y","tags":["$x","$l"],"metadata":{"x":"$x","o":"$o"}}`, `a","action":"clear","x":"`, `{"k":[1,"$x"]}`)
	f.Add(`{"a":"${x}","b":"$x.k.l","c":"$","d":"$$x","e":"$l.0"}`, "$x ${x} $$ \x00 \"\\", `[]`)
	f.Add(`{"a":{"$if":"$x","then":{"b":"$l"},"else":1},"c":{"$if":"$none","then":1}}`, "y", `{}`)
	f.Add(`{"a":{"$each":"$entries","b":"$x"},"c":[{"$each":"$x"},"$none"]}`, "", `"x"`)
	f.Fuzz(func(t *testing.T, template, value, other string) {
		var request, object any
		if json.Unmarshal([]byte(template), &request) != nil {
			return
		}
		_ = json.Unmarshal([]byte(other), &object)
		row := tool.Tool{Device: "commit", Request: request, Reply: request, Failed: request, Args: map[string]tool.Arg{"x": {}, "l": {Type: "strings"}, "o": {Type: "object"}}}
		row.Fault()
		args := map[string]any{"x": value, "l": []any{value}, "o": object}
		for _, body := range []string{`{"ok":true,"entries":[{"content":"c"},5],"entry":` + quoted(t, value) + `}`, `{"ok":false,"error":"no"}`, `[]`, `not JSON`} {
			if out := row.ReplyTo(args, []byte(body), strings.ToUpper); json.Valid([]byte(body)) && !json.Valid(out) {
				t.Fatalf("not JSON: %s", out)
			}
		}
		out := row.RequestFor(args)
		var filled any
		if err := json.Unmarshal(out, &filled); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if again, err := json.Marshal(request); err != nil || !strings.Contains(string(again), `"$each"`) && !strings.Contains(string(again), `"$if"`) {
			sameShape(t, request, filled)
		}
	})
}

func quoted(t *testing.T, s string) string {
	t.Helper()
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// sameShape holds a filled template against the template: the same keys, or fewer, and no
// more items; a text without a name is as it was.
func sameShape(t *testing.T, template, filled any) {
	t.Helper()
	switch of := template.(type) {
	case map[string]any:
		got, ok := filled.(map[string]any)
		if !ok {
			t.Fatalf("%v became %v", of, filled)
		}
		for key, value := range got {
			from, known := of[key]
			if !known {
				t.Fatalf("the key %q came into %v", key, of)
			}
			sameShape(t, from, value)
		}
	case []any:
		if got, ok := filled.([]any); !ok || len(got) > len(of) {
			t.Fatalf("%v became %v", of, filled)
		}
	case string:
		if !strings.Contains(of, "$") && !reflect.DeepEqual(template, filled) {
			t.Fatalf("%q became %v", of, filled)
		}
	}
}

// TestArguments are what their row says, and defaults stand in for what is left out.
func TestArguments(t *testing.T) {
	row := tool.Tool{Args: map[string]tool.Arg{
		"text": {Required: true}, "kind": {OneOf: []string{"a", "b"}, Default: "b"},
		"count": {Type: "integer"}, "part": {Type: "number"}, "sure": {Type: "boolean"}, "set": {Type: "object"}, "list": {Type: "strings"},
	}}
	for in, want := range map[string]string{
		`{"text":"x"}`: `{"kind":"b","text":"x"}`,
		`{"text":"x","kind":"a","count":3,"part":0.5,"sure":false,"set":{"a":[1]},"list":[]}`: `{"count":3,"kind":"a","list":[],"part":0.5,"set":{"a":[1]},"sure":false,"text":"x"}`,
		`{"text":"x","count":null,"kind":null}`:                                               `{"kind":"b","text":"x"}`,
		`{}`:                                                                                  `argument "text" is required`,
		`{"text":null}`:                                                                       `argument "text" is required`,
		`{"text":1}`:                                                                          `argument "text": must be a text`,
		`{"text":"x","kind":"c"}`:                                                             `argument "kind": must be one of a, b`,
		`{"text":"x","count":1.5}`:                                                            `argument "count": must be a whole number`,
		`{"text":"x","count":"1"}`:                                                            `argument "count": must be a whole number`,
		`{"text":"x","part":"1"}`:                                                             `argument "part": must be a number`,
		`{"text":"x","sure":1}`:                                                               `argument "sure": must be true or false`,
		`{"text":"x","set":[]}`:                                                               `argument "set": must be an object`,
		`{"text":"x","list":["a",1]}`:                                                         `argument "list": must be a list of texts`,
		`{"text":"x","txt":1}`:                                                                `unknown argument "txt"; known are text, count, kind, list, part, set, sure`,
		`[]`:                                                                                  `invalid JSON: a request is an object, not an array`,
		`{"text":"x"} {}`:                                                                     `invalid JSON: more than one value`,
	} {
		args, err := row.Bind([]byte(in))
		got, _ := json.Marshal(args)
		if err != nil {
			_, got, _ = cutError(err)
		}
		if string(got) != want {
			t.Errorf("%s:\n got %s\nwant %s", in, got, want)
		}
	}
}

func cutError(err error) (op string, reason []byte, ok bool) {
	op, text, ok := strings.Cut(err.Error(), ": ")
	return op, []byte(text), ok
}

// TestChoice: a name that has a value chooses then, unless that is false.
func TestChoice(t *testing.T) {
	row := tool.Tool{Request: map[string]any{
		"action":  map[string]any{"$if": "$key", "then": "put", "else": "add"},
		"outcome": map[string]any{"$if": "$sure", "then": "success", "else": "failure"},
		"left":    map[string]any{"$if": "$key", "then": map[string]any{"k": "$key"}},
	}}
	for want, args := range map[string]map[string]any{
		`{"action":"add","outcome":"failure"}`:                      {},
		`{"action":"add","outcome":"success"}`:                      {"sure": true},
		`{"action":"put","left":{"k":""},"outcome":"failure"}`:      {"key": "", "sure": false},
		`{"action":"put","left":{"k":"$sure"},"outcome":"success"}`: {"key": "$sure", "sure": true},
	} {
		if got := strings.TrimSpace(string(row.RequestFor(args))); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestReplies: a reply of a request that failed keeps the device's own fields.
func TestReplies(t *testing.T) {
	row := tool.Tool{
		Reply:  map[string]any{"saved": "$ok", "at": "$entry.key", "all": map[string]any{"$each": "$entries", "text": "$content", "word": "$word"}, "none": "$hint", "n": "$count"},
		Failed: map[string]any{"saved": false, "message": "no: $error ($word)"},
	}
	args := map[string]any{"word": "w"}
	got := row.ReplyTo(args, []byte(`{"ok":true,"count":12345678901234567890,"entry":{"key":"k"},"entries":[{"content":"$word"},{"content":2}]}`), strings.ToUpper)
	want := `{"all":[{"text":"$word"},{"text":2}],"at":"k","n":12345678901234567890,"saved":true}` + "\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
	got = row.ReplyTo(args, []byte(`{"ok":false,"code":"exists","error":"taken","hint":"h"}`), strings.ToUpper)
	if diff := cmp.Diff(map[string]any{"ok": false, "code": "exists", "error": "taken", "hint": "h", "saved": false, "message": "no: taken (W)"}, parsed(t, got)); diff != "" {
		t.Error(diff)
	}
	own := `{"ok":true,"message":"entry added to memory"}` + "\n"
	if got := (tool.Tool{}).ReplyTo(args, []byte(own), strings.ToUpper); string(got) != own {
		t.Errorf("without a template: %s", got)
	}
}
