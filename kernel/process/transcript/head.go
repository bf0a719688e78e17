package transcript

import (
	"bytes"
	"encoding/json"
)

// headSize is how much of a file Detect looks at.
const headSize = 64 << 10

func trimMark(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")) }

// headLines calls f with the lines of a file's head until it returns false; the
// last one may not be whole.
func headLines(head []byte, f func(text []byte, whole bool) bool) {
	head = trimMark(head)
	for len(head) > 0 {
		text, rest, whole := bytes.Cut(head, []byte("\n"))
		text = bytes.TrimSpace(text)
		whole = whole || len(text) > 0 && json.Valid(text)
		if len(text) > 0 && !f(text, whole) {
			return
		}
		head = rest
	}
}

// headKeys returns the names at the top of a JSON object as far as the head
// reaches, with their values where those are whole.
func headKeys(head []byte) map[string]json.RawMessage {
	dec := json.NewDecoder(bytes.NewReader(trimMark(head)))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	keys := map[string]json.RawMessage{}
	for dec.More() {
		t, err := dec.Token()
		name, ok := t.(string)
		if err != nil || !ok {
			break
		}
		keys[name] = nil
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			break
		}
		keys[name] = value
	}
	return keys
}
