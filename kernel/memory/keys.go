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
	k := keys{data: data, dec: json.NewDecoder(bytes.NewReader(data))}
	k.dec.UseNumber() // a number too large is an error of Decode, with its field
	return k.value(shapeOf(reflect.TypeOf(v)))
}

// keys walks through valid JSON.
type keys struct {
	data []byte
	dec  *json.Decoder
}

func (k *keys) value(s *shape) error {
	tok, err := k.dec.Token()
	switch tok {
	case json.Delim('{'):
		return k.object(s)
	case json.Delim('['):
		for err == nil && k.dec.More() {
			err = k.value(s)
		}
		if err == nil {
			_, err = k.dec.Token()
		}
	}
	return err
}

func (k *keys) object(s *shape) error {
	seen := map[string]bool{}
	for k.dec.More() {
		end := int(k.dec.InputOffset()) // of the token before
		tok, err := k.dec.Token()
		if err != nil {
			return err
		}
		key, at := tok.(string), end+bytes.IndexByte(k.data[end:], '"')+1
		var below *shape
		if s != nil {
			i := slices.Index(s.names, key)
			if i < 0 {
				return s.misspelt(key, at)
			}
			below = s.fields[i]
		}
		if seen[key] {
			return Errorf(KindInvalid, "decode request", "the object has this key twice: %s (at byte %d)", QuoteName(key), at)
		}
		seen[key] = true
		if err := k.value(below); err != nil {
			return err
		}
	}
	_, err := k.dec.Token()
	return err
}

// misspelt is the error for a key that is no field's name, though encoding/json
// may have taken it for one.
func (s *shape) misspelt(key string, at int) error {
	for _, name := range s.names {
		if strings.EqualFold(name, key) {
			return Errorf(KindInvalid, "decode request", "unknown field: %s; did you mean %q? (at byte %d)", QuoteName(key), name, at)
		}
	}
	return Errorf(KindInvalid, "decode request", "unknown field: %s; the fields are %s", QuoteName(key), strings.Join(s.names, ", "))
}

// CheckFields refuses a field of a request, a struct, that its action does not take.
func CheckFields(action string, request any, takes []string) error {
	v := reflect.Indirect(reflect.ValueOf(request))
	for _, f := range reflect.VisibleFields(v.Type()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" && !slices.Contains(takes, name) && !v.FieldByIndex(f.Index).IsZero() {
			return Errorf(KindInvalid, action, "field %q has no meaning for %s", name, action)
		}
	}
	return nil
}
