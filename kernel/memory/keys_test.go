package memory_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
)

func TestKeysOfRequests(t *testing.T) {
	var many []string
	for i := range 40 {
		many = append(many, fmt.Sprintf(`"k%d":%d`, i, i))
	}
	for name, tc := range map[string]struct{ request, want string }{
		"plain":           {`{"action":"add","content":"a","metadata":{"a":1,"A":2,"b":{"a":[{"a":1},{"a":2}]}}}`, ""},
		"same key apart":  {`{"action":"batch","ops":[{"action":"add","content":"a"},{"action":"add","content":"b"}]}`, ""},
		"escapes":         {`{"action":"add","content":"\\\"action\":\"","metadata":{"\"":"\\","\\":1}}`, ""},
		"spaces":          {" {\n\t\"action\" : \"list\" ,\r\n \"tags\" : [ \"a\" , \"b\" ] , \"max_results\":1 } ", ""},
		"many":            {`{"action":"add","content":"a","metadata":{` + strings.Join(many, ",") + `}}`, ""},
		"twice":           {`{"action":"add","content":"a","content":"b"}`, `this key twice: "content" (at byte 31)`},
		"twice, escaped":  {`{"action":"add","content":"a","\u0063ontent":"b"}`, `this key twice: "content"`},
		"twice below":     {`{"action":"batch","ops":[{"action":"add"},{"action":"add","action":"add"}]}`, `this key twice: "action"`},
		"twice in own":    {`{"action":"add","content":"a","metadata":{"x":{"owner":1,"y":null,"owner":2}}}`, `this key twice: "owner"`},
		"twice in many":   {`{"action":"add","content":"a","metadata":{` + strings.Join(many, ",") + `,"k3":1}}`, `this key twice: (2 characters, not shown)`},
		"a secret twice":  {`{"action":"add","content":"a","metadata":{"hunter2-8Kq":1,"hunter2-8Kq":2}}`, `this key twice: (11 characters, not shown)`},
		"other letters":   {`{"action":"add","Content":"a"}`, `unknown field: "Content"; did you mean "content"?`},
		"both":            {`{"action":"add","content":"a","CONTENT":"b"}`, `unknown field: "CONTENT"; did you mean "content"?`},
		"letters below":   {`{"action":"batch","ops":[{"Action":"add"}]}`, `unknown field: "Action"; did you mean "action"?`},
		"folded":          {`{"action":"add","content":"a","tag` + "\u017f" + `":[]}`, `unknown field: (4 characters, not shown); did you mean "tags"?`},
		"unknown as ever": {`{"action":"add","kontent":"a"}`, `unknown field: "kontent"`},
	} {
		t.Run(name, func(t *testing.T) {
			var req store.Request
			err := memory.DecodeStrict([]byte(tc.request), &req)
			switch {
			case tc.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tc.want != "" && (memory.KindOf(err) != memory.KindInvalid || !strings.Contains(memory.ReasonOf(err), tc.want)):
				t.Errorf("got %v, want %q", err, tc.want)
			}
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error shows a key that is no word: %v", err)
			}
		})
	}
}

// FuzzKeys holds the walk over the keys to encoding/json's own tokens.
func FuzzKeys(f *testing.F) {
	for _, s := range []string{`{}`, `[]`, `{"a":{"b":[1,{"c":2,"c":3}]}}`, `{"a":1,"a":2}`, `{"\u0061":1,"a":2}`, `-1.5e3`, `{"a":"\"}","b":[[],{}]}`, `[null,true]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var v any
		if json.Unmarshal(data, &v) != nil || len(data) > 10_000 {
			return
		}
		err := memory.DecodeStrict(data, &v)
		if err != nil && !strings.Contains(err.Error(), "twice") {
			return // invalid UTF-8, half surrogates
		}
		dec := json.NewDecoder(bytes.NewReader(data))
		if want := twice(dec); want != (err != nil) {
			t.Errorf("%q: a key stands twice: %v; got %v", data, want, err)
		}
	})
}

// twice reports whether an object in the next value has a key twice.
func twice(dec *json.Decoder) bool {
	tok, _ := dec.Token()
	found := false
	seen := map[any]bool{}
	switch tok {
	case json.Delim('['):
		for dec.More() {
			found = twice(dec) || found
		}
		_, _ = dec.Token()
	case json.Delim('{'):
		for dec.More() {
			key, _ := dec.Token()
			found = seen[key] || found
			seen[key] = true
			found = twice(dec) || found
		}
		_, _ = dec.Token()
	}
	return found
}

func BenchmarkDecodeStrict(b *testing.B) {
	raw := []byte(`{"action":"add","content":"` + strings.Repeat("The tests need Redis. ", 45) + `","tags":["a","b"],"importance":0.5,"metadata":{"a":1,"b":"c"}}`)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		var req store.Request
		if err := memory.DecodeStrict(raw, &req); err != nil {
			b.Fatal(err)
		}
	}
}

func TestLoneSurrogate(t *testing.T) {
	for in, want := range map[string]bool{
		`"\ud83d\ude00"`: false, `"\uD83D\uDE00"`: false, `"\\ud800"`: false, `"a\u00e9\n\ud83d\ude00"`: false, `""`: false,
		`"\ud800"`: true, `"\ude00"`: true, `"\ud83dx\ude00"`: true, `"\ud83d\\ude00"`: true, `"\ud83d\ud83d\ude00"`: true,
		`"\ude00\ud83d"`: true, `"\\\ud800"`: true, `"\ud83d\n\ude00"`: true,
	} {
		var text string
		if err := memory.DecodeStrict([]byte(in), &text); (err != nil) != want {
			t.Errorf("%s: %v", in, err)
		}
	}
}
