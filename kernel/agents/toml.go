package agents

import (
	"bytes"
	"errors"
	"reflect"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// A file of TOML is edited by lines, as no library keeps its comments: a table of ours
// goes to its end. It is read before and after, and left alone where anything else would
// change.

// fields are a table of TOML, or an object of JSON.
type fields = map[string]any

func parseTOML(text []byte, into *fields) error {
	line, column := 1, 1
	*into = fields{}
	err := toml.Unmarshal(bytes.TrimPrefix(text, bom), into)
	if bad, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, column = bad.Position()
	}
	if err != nil { // its own words quote values
		return memory.Errorf(memory.KindInvalid, "read settings", "%d:%d: the file is not valid TOML, so it is left alone; mend it, or enter the lines by hand", line, column)
	}
	return nil
}

// under returns the value under keys, or nil.
func under(v any, keys ...string) any {
	for _, k := range keys {
		m, _ := v.(fields)
		v = m[k]
	}
	return v
}

// set puts a table under keys, and takes out those that an empty one leaves empty.
func set(m fields, keys []string, v fields) {
	if len(keys) > 1 {
		in, _ := m[keys[0]].(fields)
		if in == nil {
			in = fields{}
		}
		set(in, keys[1:], v)
		v = in
	}
	if m[keys[0]] = v; len(v) == 0 {
		delete(m, keys[0])
	}
}

// putTOML puts a table at the end of a file.
func putTOML(text []byte, keys []string, value any) ([]byte, error) {
	lines, err := toml.Marshal(value)
	if err != nil {
		return nil, err
	}
	return editTOML(text, keys, lines, func(s string) string {
		if s != "" {
			s = strings.TrimSuffix(s, "\n") + "\n\n"
		}
		return s + "[" + strings.Join(keys, ".") + "]\n" + string(lines)
	})
}

// cutTOML takes out a table, if it is no other than the one given, and those below it,
// with the blank line before. Comments before the next one stay.
func cutTOML(text []byte, keys []string, alone fields) ([]byte, error) {
	var m fields
	if err := parseTOML(text, &m); err != nil || alone != nil && !reflect.DeepEqual(under(m, keys...), alone) {
		return text, err
	}
	bare := strings.NewReplacer(" ", "", "\t", "", `"`, "", "'", "")
	head := "[" + strings.Join(keys, ".")
	return editTOML(text, keys, nil, func(s string) string {
		var kept, held []string
		in := false
		for line := range strings.Lines(s) {
			b := bare.Replace(line)
			if strings.HasPrefix(b, "[") {
				was := in
				in = strings.HasPrefix(b, head+"]") || strings.HasPrefix(b, head+".")
				if in && !was && len(kept) > 0 && kept[len(kept)-1] == "\n" {
					kept = kept[:len(kept)-1]
				}
			}
			switch {
			case !in:
				kept, held = append(append(kept, held...), line), nil
			case b == "\n" || strings.HasPrefix(b, "#"):
				held = append(held, line)
			default:
				held = nil
			}
		}
		return strings.Join(append(kept, held...), "")
	})
}

// editTOML makes a change, and sees to it that afterwards the table under the keys is
// what the lines say, and all else as it was.
func editTOML(text []byte, keys []string, lines []byte, change func(string) string) ([]byte, error) {
	var was, is, want fields
	after := []byte(change(strings.ReplaceAll(string(text), "\r\n", "\n")))
	if bytes.Contains(text, []byte("\r\n")) {
		after = bytes.ReplaceAll(after, []byte("\n"), []byte("\r\n"))
	}
	if err := errors.Join(parseTOML(text, &was), parseTOML(lines, &want)); err != nil {
		return nil, err
	}
	err := parseTOML(after, &is)
	if err == nil {
		now, _ := under(is, keys...).(fields)
		set(is, keys, now)
		set(was, keys, want)
	}
	if err != nil || !reflect.DeepEqual(was, is) {
		return nil, memory.Errorf(memory.KindInvalid, "write settings", "[%s] can't be put there or taken out without changing more, so the file is left alone; do it by hand:\n%s", strings.Join(keys, "."), bytes.TrimSpace(lines))
	}
	return after, nil
}
