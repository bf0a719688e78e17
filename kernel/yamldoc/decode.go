package yamldoc

import (
	"encoding"
	"reflect"
	"slices"
	"strings"
	"time"

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

// Decode puts the document into the value that into, a non-nil pointer, points
// to. A struct field has the name of its `yaml:"name"` tag, or its own in lower
// case; "-" hides it. An embedded struct tagged ",inline" adds its fields, and a
// map[string]any tagged ",inline" takes the keys that nothing else does, which
// else are problems. Null leaves a value as it was. Understood are bool, the
// integers, floats, string, time.Duration ("90s"), time.Time, slices,
// map[string]T, pointers, structs, any (as JSON values, see [Document.Value])
// and encoding.TextUnmarshaler.
func (d *Document) Decode(into any) []Problem {
	v := reflect.ValueOf(into)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return []Problem{{Reason: "nothing to decode into"}}
	}
	if d.root == nil {
		return nil
	}
	w := &walker{}
	w.value(d.root, v.Elem(), "")
	return sorted(w.problems)
}

// Value returns the document as JSON values: nil, bool, float64, json.Number
// for integers that a float64 can't hold, string (dates too), []any,
// map[string]any.
func (d *Document) Value() (any, []Problem) {
	var v any
	ps := d.Decode(&v)
	return v, ps
}

type walker struct{ problems []Problem }

func (w *walker) fault(n *yaml.Node, path, reason string) {
	w.problems = append(w.problems, Problem{Line: n.Line, Column: n.Column, Path: path, Reason: reason})
}

var (
	durationType = reflect.TypeFor[time.Duration]()
	timeType     = reflect.TypeFor[time.Time]()
)

func (w *walker) value(n *yaml.Node, v reflect.Value, path string) {
	if isNull(n) {
		return
	}
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		w.value(n, v.Elem(), path)
		return
	}
	if v.Type() != timeType && v.CanAddr() {
		if t, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
			w.text(n, t, path)
			return
		}
	}
	switch {
	case v.Type() == timeType || v.Type() == durationType:
		w.scalar(n, v, path)
	case v.Kind() == reflect.Struct:
		w.structure(n, v, path)
	case v.Kind() == reflect.Map:
		w.mapping(n, v, path)
	case v.Kind() == reflect.Slice:
		w.sequence(n, v, path)
	case v.Kind() == reflect.Interface && v.NumMethod() == 0:
		if g := w.generic(n, path); g != nil {
			v.Set(reflect.ValueOf(g))
		}
	default:
		w.scalar(n, v, path)
	}
}

func (w *walker) text(n *yaml.Node, t encoding.TextUnmarshaler, path string) {
	if n.Kind != yaml.ScalarNode {
		w.fault(n, path, "must be a single value, not "+nameOf(n))
		return
	}
	if err := t.UnmarshalText([]byte(n.Value)); err != nil {
		w.fault(n, path, err.Error())
	}
}

func (w *walker) structure(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.MappingNode {
		w.fault(n, path, "must be a mapping, not "+nameOf(n))
		return
	}
	fields, rest := fieldsOf(v)
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, c := n.Content[i], n.Content[i+1]
		at := join(path, k.Value)
		if f, ok := fields[k.Value]; ok {
			w.value(c, f, at)
			continue
		}
		if rest.IsValid() {
			if rest.IsNil() {
				rest.Set(reflect.MakeMap(rest.Type()))
			}
			value := reflect.New(rest.Type().Elem()).Elem()
			w.value(c, value, at)
			rest.SetMapIndex(reflect.ValueOf(k.Value), value)
			continue
		}
		w.unknown(k, at, fields)
	}
}

func (w *walker) unknown(k *yaml.Node, path string, fields map[string]reflect.Value) {
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	reason := "unknown key"
	if near := nearest(k.Value, names); near != "" {
		reason += `; did you mean "` + near + `"?`
	} else {
		reason += "; known are " + strings.Join(names, ", ")
	}
	w.fault(k, path, reason)
}

func (w *walker) mapping(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.MappingNode {
		w.fault(n, path, "must be a mapping, not "+nameOf(n))
		return
	}
	if v.Type().Key().Kind() != reflect.String {
		w.fault(n, path, "can't be read into "+v.Type().String())
		return
	}
	m := reflect.MakeMapWithSize(v.Type(), len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		value := reflect.New(v.Type().Elem()).Elem()
		w.value(n.Content[i+1], value, join(path, n.Content[i].Value))
		m.SetMapIndex(reflect.ValueOf(n.Content[i].Value).Convert(v.Type().Key()), value)
	}
	v.Set(m)
}

func (w *walker) sequence(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.SequenceNode {
		w.fault(n, path, "must be a list, not "+nameOf(n))
		return
	}
	s := reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content))
	for i, c := range n.Content {
		w.value(c, s.Index(i), path+"["+itoa(i)+"]")
	}
	v.Set(s)
}

// fieldsOf returns the settable fields of a struct by name, and its inline map.
func fieldsOf(v reflect.Value) (fields map[string]reflect.Value, rest reflect.Value) {
	fields = map[string]reflect.Value{}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		inline := strings.Contains(","+options+",", ",inline,")
		switch {
		case !f.IsExported() || name == "-":
		case inline && f.Type.Kind() == reflect.Struct:
			sub, _ := fieldsOf(v.Field(i))
			for k, s := range sub {
				fields[k] = s
			}
		case inline && f.Type.Kind() == reflect.Map:
			rest = v.Field(i)
		default:
			if name == "" {
				name = strings.ToLower(f.Name)
			}
			fields[name] = v.Field(i)
		}
	}
	return fields, rest
}
