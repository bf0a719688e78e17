package store

import (
	"reflect"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// path is the way to a value of an entry, in the form of [plain].
type path func(*memory.Entry) any

// maxDots bounds the depth of a path: at each dot there is a name to look up.
const maxDots = 16

// pathOf returns the way to a field by its name, and by a dotted one to what lies below
// metadata, extra and source; nil where there is none.
func pathOf(name string) path {
	first, rest, dotted := strings.Cut(name, ".")
	f := memory.EntryField(first)
	if f == nil || first == "content" || dotted && rest == "" || strings.Count(rest, ".") >= maxDots {
		return nil
	}
	switch f.Pointer(&memory.Entry{}).(type) {
	case *map[string]any:
		if dotted {
			return func(e *memory.Entry) any {
				object, _ := f.Pointer(e).(*map[string]any)
				return below(*object, rest)
			}
		}
	case *memory.Source:
		for _, f := range memory.SourceFields {
			if f.Name == rest {
				return func(e *memory.Entry) any { return plain(reflect.ValueOf(f.Pointer(&e.Source))) }
			}
		}
	default:
		if !dotted {
			return func(e *memory.Entry) any { return plain(reflect.ValueOf(f.Pointer(e))) }
		}
	}
	return nil
}

// below returns the value at a dotted name of an object, whose own names may have dots.
func below(object map[string]any, name string) any {
	if v, ok := object[name]; ok {
		return plain(reflect.ValueOf(v))
	}
	for i := range name {
		if name[i] != '.' {
			continue
		}
		if inner, ok := object[name[:i]].(map[string]any); ok {
			if v := below(inner, name[i+1:]); v != nil {
				return v
			}
		}
	}
	return nil
}

// stamp is the form of times that sorts as they do.
const stamp = "2006-01-02T15:04:05.000000000Z"

// plain makes one form of what JSON and YAML decode to and of the types of the fields: a
// string, a float64, a bool, or a []any of these. What is empty, or an object, is nil.
func plain(v reflect.Value) any {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch {
	case v.Kind() == reflect.String && v.Len() > 0:
		return v.String()
	case v.Kind() == reflect.Bool:
		return v.Bool()
	case v.CanFloat():
		return v.Float()
	case v.CanInt():
		return float64(v.Int())
	case v.CanUint():
		return float64(v.Uint())
	case v.Kind() == reflect.Slice:
		var list []any
		for i := range v.Len() {
			if x := plain(v.Index(i)); x != nil {
				list = append(list, x)
			}
		}
		if list != nil {
			return list
		}
	case v.Kind() == reflect.Struct:
		if t, ok := v.Interface().(time.Time); ok && !t.IsZero() {
			return t.UTC().Format(stamp)
		}
	}
	return nil
}

// unknown is the error for a name that no path has; more are names of no fields.
func unknown(what, name string, more ...string) error {
	for _, f := range memory.EntryFields {
		if pathOf(f.Name) != nil {
			more = append(more, f.Name)
		}
	}
	for _, f := range memory.SourceFields {
		more = append(more, "source."+f.Name)
	}
	return badList("%s: unknown field %s; it is one of %s, metadata.NAME", what, memory.QuoteName(name), strings.Join(more, ", "))
}
