package agents

import (
	"bytes"
	"errors"
	"reflect"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// A file of TOML is edited by lines, as no library keeps its comments: what is ours is a
// table at its end.

// fields are a table of TOML, or an object of JSON.
type fields = map[string]any

func parseTOML(text []byte) (fields, error) {
	m, line, column := fields{}, 1, 1
	err := toml.Unmarshal(bytes.TrimPrefix(text, bom), &m)
	if bad, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, column = bad.Position()
	}
	if err != nil { // its own words quote values
		return nil, memory.Errorf(memory.KindInvalid, "read settings", "%d:%d: the file is not valid TOML, so it is left alone; mend it, or enter the lines by hand", line, column)
	}
	return m, nil
}

// under returns the value under keys, or nil.
func under(v any, keys ...string) any {
	for _, k := range keys {
		m, _ := v.(fields)
		v = m[k]
	}
	return v
}

// table returns the name of the table that holds a value, and its lines.
func (v value) table() (name, lines string) {
	keys, want := v.keys, v.want
	if last := len(keys) - 1; v.list {
		keys, want = keys[:last], map[string]any{keys[last]: []any{want}}
	}
	text, _ := toml.Marshal(want) // strings and lists of them
	return strings.Join(keys, "."), string(text)
}

func byHand(name, lines string) error {
	return memory.Errorf(memory.KindInvalid, "write settings", "[%s] can't be put there or taken out without changing more, so the file is left alone; do it by hand\n%s", name, strings.TrimSpace(lines))
}

// putTOML puts the table at the end of a file.
func putTOML(text []byte, v value) ([]byte, error) {
	name, lines := v.table()
	if len(text) > 0 {
		text = append(bytes.TrimSuffix(text, []byte("\n")), "\n\n"...)
	}
	text = append(text, "["+name+"]\n"+lines...)
	if _, err := parseTOML(text); err != nil { // what stands there takes no such table
		return nil, byHand(name, lines)
	}
	return text, nil
}

// cutTOML takes out the table and those below it, with the blank line before. Comments
// before the next one stay, and so does a table that holds more than the list of ours.
func cutTOML(text []byte, v value) ([]byte, error) {
	name, lines := v.table()
	bare := strings.NewReplacer(" ", "", "\t", "", "\r", "", `"`, "", "'", "")
	var kept, cut, held []string
	in := false
	for line := range strings.Lines(string(text)) {
		b := bare.Replace(line)
		if strings.HasPrefix(b, "[") {
			was := in
			in = strings.HasPrefix(b, "["+name+"]") || strings.HasPrefix(b, "["+name+".")
			if n := len(kept) - 1; in && !was && n >= 0 && strings.TrimSpace(kept[n]) == "" {
				kept = kept[:n]
			}
		}
		switch {
		case !in:
			kept, held = append(append(kept, held...), line), nil
		case b == "\n" || strings.HasPrefix(b, "#"):
			held = append(held, line)
		default:
			cut, held = append(append(cut, held...), line), nil
		}
	}
	if len(cut) == 0 || v.list && strings.Join(cut[1:], "") != lines { // as a person writes it
		return text, nil
	}
	was, err := parseTOML(text)
	after := strings.Join(append(kept, held...), "")
	if is, aerr := parseTOML([]byte(after + "\n" + strings.Join(cut, ""))); err != nil || aerr != nil || !reflect.DeepEqual(was, is) {
		return nil, byHand(name, "")
	}
	return []byte(after), nil
}
