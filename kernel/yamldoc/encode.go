package yamldoc

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// Marshal writes a value as a block-style document: struct fields in their
// order, map keys sorted. It takes what [Document.Decode] understands; with the
// tag option omitempty a zero field is left out. An error names a value that
// the document could not give back: not finite, not UTF-8, nested too deeply.
func Marshal(v any) ([]byte, error) {
	return Append(nil, v, 0)
}

// Append is Marshal onto dst, each line indented by indent levels of two spaces.
func Append(dst []byte, v any, indent int) ([]byte, error) {
	e := &encoder{out: dst}
	if err := e.block(reflect.ValueOf(v), indent, 0); err != nil {
		return dst, err
	}
	return e.out, nil
}

type encoder struct{ out []byte }

// block writes v where a line begins.
func (e *encoder) block(v reflect.Value, indent, depth int) error {
	v = indirect(v)
	if depth > MaxDepth {
		return fmt.Errorf("nested deeper than %d levels", MaxDepth)
	}
	if s, ok, err := scalarText(v); ok || err != nil {
		e.line(indent, s)
		return err
	}
	switch v.Kind() {
	case reflect.Slice:
		return e.items(v, indent, depth)
	case reflect.Map:
		if v.Type().Key().Kind() != reflect.String {
			return fmt.Errorf("can't write a %s", v.Type())
		}
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		return e.pairs(v, keys, indent, depth)
	case reflect.Struct:
		return e.fields(v, indent, depth)
	}
	return fmt.Errorf("can't write a %s", v.Type())
}

func (e *encoder) items(v reflect.Value, indent, depth int) error {
	for i := range v.Len() {
		e.pad(indent)
		e.out = append(e.out, '-')
		if err := e.after(v.Index(i), indent, depth); err != nil {
			return err
		}
	}
	return nil
}

func (e *encoder) pairs(v reflect.Value, keys []reflect.Value, indent, depth int) error {
	for _, k := range keys {
		if err := e.pair(k.String(), v.MapIndex(k), indent, depth); err != nil {
			return err
		}
	}
	return nil
}

func (e *encoder) pair(key string, v reflect.Value, indent, depth int) error {
	if !utf8.ValidString(key) {
		return fmt.Errorf("a key is not valid UTF-8")
	}
	e.pad(indent)
	e.out = append(e.out, quoteKey(key)...)
	e.out = append(e.out, ':')
	return e.after(v, indent, depth)
}

func (e *encoder) fields(v reflect.Value, indent, depth int) error {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if !f.IsExported() || name == "-" || strings.Contains(options, "omitempty") && v.Field(i).IsZero() {
			continue
		}
		if strings.Contains(options, "inline") {
			if f.Type.Kind() == reflect.Map && v.Field(i).Len() == 0 {
				continue
			}
			if err := e.block(v.Field(i), indent, depth); err != nil {
				return err
			}
			continue
		}
		if name == "" {
			name = strings.ToLower(f.Name)
		}
		if err := e.pair(name, v.Field(i), indent, depth); err != nil {
			return err
		}
	}
	return nil
}

// after writes v behind a "key:" or a "-".
func (e *encoder) after(v reflect.Value, indent, depth int) error {
	v = indirect(v)
	s, ok, err := scalarText(v)
	if err != nil {
		return err
	}
	if ok {
		e.out = append(append(append(e.out, ' '), s...), '\n')
		return nil
	}
	e.out = append(e.out, '\n')
	return e.block(v, indent+1, depth+1)
}

func (e *encoder) line(indent int, s string) {
	e.pad(indent)
	e.out = append(append(e.out, s...), '\n')
}

func (e *encoder) pad(indent int) {
	for range indent {
		e.out = append(e.out, ' ', ' ')
	}
}
