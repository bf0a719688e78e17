package memory

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// shape is the fields of a struct that JSON is decoded into. A nil shape is that
// of a value whose keys are the caller's own.
type shape struct {
	names  []string
	fields []*shape // of the objects below each, also of those in its array
}

var shapes sync.Map // of reflect.Type

// shapeOf returns the shape of a type, or of what it points to or has elements of.
func shapeOf(t reflect.Type) *shape {
	if s, ok := shapes.Load(t); ok {
		return s.(*shape)
	}
	s := newShape(t, map[reflect.Type]*shape{})
	shapes.Store(t, s)
	return s
}

// newShape walks a type; made has those that it is a part of.
func newShape(t reflect.Type, made map[reflect.Type]*shape) *shape {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || made[t] != nil {
		return made[t]
	}
	s := &shape{}
	made[t] = s
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || f.Anonymous || name == "-" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		s.names = append(s.names, name)
		s.fields = append(s.fields, newShape(f.Type, made))
	}
	return s
}

// checkKeys refuses what encoding/json lets pass: a key that an object has twice,
// of which the last would count, and a name of a field in other letters than its
// own, "Content" for "content". data is valid JSON that decodes into v.
func checkKeys(data []byte, v any) error {
	k := keys{data: data}
	return k.value(shapeOf(reflect.TypeOf(v)))
}

// keys walks through valid JSON.
type keys struct {
	data []byte
	at   int
}

// next skips to the beginning of the next token and returns its first byte.
func (k *keys) next() byte {
	for k.data[k.at] <= ' ' || k.data[k.at] == ',' || k.data[k.at] == ':' {
		k.at++
	}
	return k.data[k.at]
}

func (k *keys) value(s *shape) error {
	switch k.next() {
	case '{':
		return k.object(s)
	case '[':
		k.at++
		for k.next() != ']' {
			if err := k.value(s); err != nil {
				return err
			}
		}
		k.at++
	case '"':
		k.text()
	default: // a number, true, false, null
		for k.at < len(k.data) && strings.IndexByte(" \t\r\n,]}", k.data[k.at]) < 0 {
			k.at++
		}
	}
	return nil
}

// text skips a string and returns what stands between its quotes.
func (k *keys) text() []byte {
	start := k.at + 1
	for k.at = start; ; k.at++ {
		switch k.data[k.at] {
		case '\\':
			k.at++
		case '"':
			k.at++
			return k.data[start : k.at-1]
		}
	}
}

func (k *keys) object(s *shape) error {
	seen := map[string]bool{}
	k.at++
	for k.next() != '}' {
		start := k.at
		key := k.text()
		if bytes.IndexByte(key, '\\') >= 0 {
			var plain string
			if err := json.Unmarshal(k.data[start:k.at], &plain); err != nil {
				return Errorf(KindInvalid, "decode request", "invalid JSON (at byte %d)", start+1)
			}
			key = []byte(plain)
		}
		var below *shape
		if s != nil {
			i := slices.IndexFunc(s.names, func(n string) bool { return n == string(key) })
			if i < 0 {
				return s.misspelt(string(key), start+1)
			}
			below = s.fields[i]
		}
		if seen[string(key)] {
			return Errorf(KindInvalid, "decode request", "the object has this key twice: %s (at byte %d)", QuoteName(string(key)), start+1)
		}
		seen[string(key)] = true
		if err := k.value(below); err != nil {
			return err
		}
	}
	k.at++
	return nil
}

// misspelt is the error for a key that is no field's name, though encoding/json
// took it for one.
func (s *shape) misspelt(key string, at int) error {
	for _, name := range s.names {
		if strings.EqualFold(name, key) {
			return Errorf(KindInvalid, "decode request", "unknown field: %s; did you mean %q? (at byte %d)", QuoteName(key), name, at)
		}
	}
	return Errorf(KindInvalid, "decode request", "unknown field: %s", QuoteName(key))
}
