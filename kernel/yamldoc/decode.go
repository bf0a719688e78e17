package yamldoc

import (
	"encoding"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// Decode parses data and puts it into the value that into points to. Every
// fault of the document is in the list; with any, into may be half filled.
// Values that the document does not give are left as they were, so that into
// can hold the defaults. See [Document.Decode].
func Decode(data []byte, into any) []Problem {
	doc, problems := Parse(data)
	if len(problems) > 0 {
		return problems
	}
	return doc.Decode(into)
}

// Fields is a target of [Document.Decode] like a struct, whose fields are known at
// run time alone.
type Fields struct {
	At   map[string]any  // pointers to the fields by name; one may point to Fields
	Rest *map[string]any // takes the keys that are no field's
}

// Decode puts the document into the value that into, a non-nil pointer, points
// to. A struct field has the name of its `yaml:"name"` tag; a map tagged ",inline"
// takes the keys that are no field's, which else are problems. Null leaves a value
// as it was, and a map keeps what the document does not give. Understood are bool, the integers, floats, string, time.Duration
// ("90s"), time.Time, slices (which a scalar can be, if they implement
// encoding.TextUnmarshaler), map[string]T, pointers, structs, and any: nil, bool,
// float64, json.Number for integers that a float64 can't hold, string (dates too),
// []any, map[string]any.
func (d *Document) Decode(into any) []Problem {
	w := &walker{}
	if d.root != nil {
		w.value(d.root, reflect.ValueOf(into).Elem(), "")
	}
	return Sorted(w.problems)
}

var textType = reflect.TypeFor[encoding.TextUnmarshaler]()

func (w *walker) value(n *yaml.Node, v reflect.Value, path string) {
	kind := v.Kind()
	switch {
	case isNull(n):
	case n.Kind == yaml.ScalarNode && v.CanAddr() && kind == reflect.Slice && v.Addr().Type().Implements(textType):
		text, _ := v.Addr().Interface().(encoding.TextUnmarshaler) // it implements that
		if err := text.UnmarshalText([]byte(n.Value)); err != nil {
			w.fault(n, path, err.Error())
		}
	case kind == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		w.value(n, v.Elem(), path)
	case kind == reflect.Interface:
		w.generic(n, v, path)
	case kind == reflect.Struct && v.Type() != timeType:
		w.structure(n, v, path)
	case kind == reflect.Map:
		w.mapping(n, v, path)
	case kind == reflect.Slice:
		w.sequence(n, v, path)
	default:
		w.scalar(n, v, path)
	}
}

// generic decodes a node into an any, by what the node is.
func (w *walker) generic(n *yaml.Node, v reflect.Value, path string) {
	var into reflect.Value
	switch n.Kind {
	case yaml.MappingNode:
		into = reflect.ValueOf(&map[string]any{}).Elem()
	case yaml.SequenceNode:
		into = reflect.ValueOf(&[]any{}).Elem()
	default:
		if word, ok := word(n); ok {
			v.Set(reflect.ValueOf(word))
		} else {
			w.fault(n, path, "must be a finite number")
		}
		return
	}
	w.value(n, into, path)
	v.Set(into)
}

// expects reports whether the node is of a kind, and a problem if it is not.
func (w *walker) expects(kind yaml.Kind, n *yaml.Node, path string) bool {
	if n.Kind == kind {
		return true
	}
	w.fault(n, path, "must be "+nameOf(kind)+", not "+nameOf(n.Kind))
	return false
}

func (w *walker) structure(n *yaml.Node, v reflect.Value, path string) {
	if !w.expects(yaml.MappingNode, n, path) {
		return
	}
	fields, rest := fieldsOf(v)
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, c := n.Content[i], n.Content[i+1]
		at := join(path, k.Value)
		if f, ok := fields[k.Value]; ok {
			w.value(c, f, at)
		} else if rest.IsValid() {
			w.member(k.Value, c, rest, at)
		} else {
			w.fault(k, at, "unknown key; "+hint(k.Value, fields))
		}
	}
}

// fieldsOf returns the fields of a struct by name, and its inline map.
func fieldsOf(v reflect.Value) (fields map[string]reflect.Value, rest reflect.Value) {
	fields = make(map[string]reflect.Value, v.NumField())
	if f, ok := v.Interface().(Fields); ok {
		for name, at := range f.At {
			fields[name] = reflect.ValueOf(at).Elem()
		}
		return fields, reflect.ValueOf(f.Rest).Elem()
	}
	for i := range v.NumField() {
		switch tag := v.Type().Field(i).Tag.Get("yaml"); tag {
		case ",inline":
			rest = v.Field(i)
		default:
			fields[tag] = v.Field(i)
		}
	}
	return fields, rest
}

// mapping decodes into a copy of a map: it may be another value's too.
func (w *walker) mapping(n *yaml.Node, v reflect.Value, path string) {
	if !w.expects(yaml.MappingNode, n, path) {
		return
	}
	m := reflect.MakeMapWithSize(v.Type(), v.Len()+len(n.Content)/2)
	for old := v.MapRange(); old.Next(); {
		m.SetMapIndex(old.Key(), old.Value())
	}
	v.Set(m)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i].Value
		w.member(key, n.Content[i+1], v, join(path, key))
	}
}

// member decodes one value of a map over the one that is there.
func (w *walker) member(key string, n *yaml.Node, m reflect.Value, path string) {
	if m.IsNil() {
		m.Set(reflect.MakeMap(m.Type()))
	}
	k, value := reflect.ValueOf(key), reflect.New(m.Type().Elem()).Elem()
	if old := m.MapIndex(k); old.IsValid() {
		value.Set(old)
	}
	w.value(n, value, path)
	m.SetMapIndex(k, value)
}

func (w *walker) sequence(n *yaml.Node, v reflect.Value, path string) {
	if !w.expects(yaml.SequenceNode, n, path) {
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content)))
	for i, c := range n.Content {
		w.value(c, v.Index(i), path+"["+strconv.Itoa(i)+"]")
	}
}

// hint names the key that was probably meant, or the known ones.
func hint(key string, fields map[string]reflect.Value) string {
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	if near := nearest(key, names); near != "" {
		return `did you mean "` + near + `"?`
	}
	return "known are " + strings.Join(names, ", ")
}
