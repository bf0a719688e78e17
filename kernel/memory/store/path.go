package store

import (
	"reflect"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// path is the way to a value of an entry: a field by its name, what lies below metadata,
// extra and source by a dotted one.
type path struct {
	get  func(*memory.Entry) any // what [plain] returns
	kind kind
}

// kind is what a path leads to.
type kind string

const (
	kindAny   kind = "" // of what lies below metadata and extra: it is the entry's own
	kindText  kind = "a text"
	kindNum   kind = "a number"
	kindTruth kind = "true or false"
	kindTime  kind = "a time"
	kindTexts kind = "a list of texts"
)

// maxDots bounds the depth of a path: at each dot there is a name to look up.
const maxDots = 16

// pathOf returns the path with a name; ok is false where there is none.
func pathOf(name string) (p path, ok bool) {
	first, rest, dotted := strings.Cut(name, ".")
	f := memory.EntryField(first)
	if f == nil || first == "content" || dotted && rest == "" || strings.Count(rest, ".") >= maxDots {
		return p, false
	}
	switch f.Pointer(&memory.Entry{}).(type) {
	case *map[string]any:
		return path{get: func(e *memory.Entry) any { return below(*f.Pointer(e).(*map[string]any), rest) }}, dotted
	case *memory.Source:
		for _, f := range memory.SourceFields {
			if f.Name == rest {
				return pathTo(func(e *memory.Entry) any { return f.Pointer(&e.Source) }), true
			}
		}
		return p, false
	}
	return pathTo(f.Pointer), !dotted
}

// pathTo returns the path to what at points to.
func pathTo(at func(*memory.Entry) any) path {
	t := reflect.TypeOf(at(&memory.Entry{})).Elem()
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	k := kindNum
	switch t.Kind() {
	case reflect.String:
		k = kindText
	case reflect.Bool:
		k = kindTruth
	case reflect.Struct:
		k = kindTime
	case reflect.Slice:
		k = kindTexts
	}
	return path{func(e *memory.Entry) any { return plain(reflect.ValueOf(at(e)).Elem()) }, k}
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

// pathNames are the names of the paths of which a request may ask for.
func pathNames(may func(kind) bool) string {
	var names []string
	add := func(name string) {
		if p, ok := pathOf(name); ok && may(p.kind) {
			names = append(names, name)
		}
	}
	for _, f := range memory.EntryFields {
		add(f.Name)
	}
	for _, f := range memory.SourceFields {
		add("source." + f.Name)
	}
	return strings.Join(append(names, "metadata.NAME"), ", ")
}
