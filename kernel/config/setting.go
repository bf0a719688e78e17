package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// setting is a row of the table: one key of memory.yaml. Its type is that of the
// field of [Config] with the same path of yaml tags.
type setting struct {
	key   string // dotted: "store.memory_char_limit"
	check check  // of the range; nil takes all values of the type
	scope reach
}

// reach says where a setting counts, and from when on.
type reach uint8

const (
	personal reach = iota // not in a project's file: a repository that was cloned can carry one
	atMount               // personal, and read once, when the mount is made
	projects              // in a project's file too, for the project's own scopes and conversations
)

// section is the part of the key before the dot, or "".
func (s setting) section() string { return s.key[:max(strings.IndexByte(s.key, '.'), 0)] }

// leaf is the part of the key after the dot, or all of it.
func (s setting) leaf() string { return s.key[strings.LastIndexByte(s.key, '.')+1:] }

// of returns the setting's field of a configuration.
func (s setting) of(c *Config) reflect.Value {
	v := reflect.ValueOf(c).Elem()
	for name := range strings.SplitSeq(s.key, ".") {
		v = fieldOf(v, name)
	}
	return v
}

func fieldOf(v reflect.Value, name string) reflect.Value {
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("yaml") == name {
			return v.Field(i)
		}
	}
	panic("config: no field has the name " + name)
}

// show is the value in YAML, on one line.
func (s setting) show(c *Config) string { return inYAML(s.of(c)) }

func inYAML(v reflect.Value) string {
	switch v.Kind() {
	case reflect.String:
		if v.Type() != reflect.TypeFor[string]() { // one of a few words
			return v.String()
		}
		return strconv.Quote(v.String())
	case reflect.Pointer:
		return inYAML(v.Elem())
	case reflect.Interface: // of a template
		if v.IsNil() {
			return "null"
		}
		return inYAML(v.Elem())
	case reflect.Slice:
		return list("[]", v.Len(), func(i int) string { return inYAML(v.Index(i)) })
	case reflect.Map:
		keys := names(v)
		return list("{}", len(keys), func(i int) string {
			name := keys[i].String()
			if kind := v.Type().Elem().Kind(); kind == reflect.Interface || kind == reflect.String { // any text
				name = strconv.Quote(name)
			}
			return name + ": " + inYAML(v.MapIndex(keys[i]))
		})
	case reflect.Struct: // a row: its fields that are set
		return list("{}", v.NumField(), func(i int) string {
			if v.Field(i).IsZero() {
				return ""
			}
			return v.Type().Field(i).Tag.Get("yaml") + ": " + inYAML(v.Field(i))
		})
	}
	if d, ok := v.Interface().(time.Duration); ok {
		return short(d)
	}
	return fmt.Sprint(v.Interface())
}

// names are the keys of a map, sorted.
func names(m reflect.Value) []reflect.Value {
	keys := m.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	return keys
}

// list joins those of n items that are not empty, between brackets.
func list(brackets string, n int, item func(int) string) string {
	var items []string
	for i := range n {
		if s := item(i); s != "" {
			items = append(items, s)
		}
	}
	return brackets[:1] + strings.Join(items, ", ") + brackets[1:]
}

// short is d as people write it: 10m, not 10m0s.
func short(d time.Duration) string {
	minutes := strings.Replace(d.String(), "m0s", "m", 1)
	return strings.Replace(minutes, "h0m", "h", 1)
}
