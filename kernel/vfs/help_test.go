package vfs

import (
	"bytes"
	"encoding/json"
	"testing"
)

// TestHelp: the table of helps can be read whole, and each row says something.
func TestHelp(t *testing.T) {
	dec := json.NewDecoder(bytes.NewReader([]byte(helpFile)))
	dec.DisallowUnknownFields()
	var all map[string]help
	if err := dec.Decode(&all); err != nil {
		t.Fatal(err)
	}
	for name := range all {
		h := helpOf(name).help
		if h.Device != name || h.About == "" || len(h.Fields) == 0 || h.Example == "" && name != "entries" {
			t.Errorf("%s: %+v", name, h)
		}
	}
	notes := entriesHelp("notes").help
	fields := map[string]string{}
	for _, f := range notes.Fields {
		fields[f.Name] = f.What
	}
	if fields["target"] != `always "notes"; another known one is taken for it` || fields["importance"] == "" || fields["ttl"] == "" || len(fields) != len(notes.Fields) {
		t.Errorf("a scope: %+v", notes)
	}
}
