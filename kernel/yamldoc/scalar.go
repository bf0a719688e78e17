package yamldoc

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

var timeType = reflect.TypeFor[time.Time]()

// walker puts nodes into Go values.
type walker struct{ problems []Problem }

func (w *walker) fault(n *yaml.Node, path, reason string) {
	w.problems = append(w.problems, Problem{Line: n.Line, Column: n.Column, Path: shown(path), Reason: reason})
}

// scalar puts a single value into v.
func (w *walker) scalar(n *yaml.Node, v reflect.Value, path string) {
	want, ok := setScalar(n, v)
	switch {
	case n.Kind != yaml.ScalarNode:
		w.fault(n, path, "must be "+want+", not "+nameOf(n.Kind))
	case !ok:
		w.fault(n, path, "must be "+want)
	}
}

// setScalar returns what v wants, and whether the node was that. A string takes any
// word as it is written: `key: 2024` is the key "2024".
func setScalar(n *yaml.Node, v reflect.Value) (want string, ok bool) {
	if n.Kind != yaml.ScalarNode {
		n = &yaml.Node{}
	}
	switch v.Interface().(type) {
	case time.Time:
		t, ok := parseTime(n.Value)
		v.Set(reflect.ValueOf(t))
		return "a date or time (2006-01-02 or 2006-01-02T15:04:05Z)", ok
	case time.Duration:
		d, err := time.ParseDuration(n.Value)
		v.SetInt(int64(d))
		return "a duration (90s, 5m, 2h)", err == nil
	}
	switch {
	case v.Kind() == reflect.String:
		v.SetString(n.Value)
		return "a text", true
	case v.Kind() == reflect.Bool:
		b, ok := boolean(n)
		v.SetBool(b)
		return "true or false", ok
	case v.CanInt():
		i, err := strconv.ParseInt(digits(n), 10, v.Type().Bits())
		v.SetInt(i)
		return "a whole number", err == nil
	case v.CanUint():
		u, err := strconv.ParseUint(digits(n), 10, v.Type().Bits())
		v.SetUint(u)
		return "a whole number, not negative", err == nil
	case v.CanFloat():
		f, ok := float(n)
		v.SetFloat(f)
		return "a number", ok
	}
	return "a " + v.Type().String(), false
}

// boolean takes YAML 1.1's words too: where a boolean is wanted, they are never
// meant as texts.
func boolean(n *yaml.Node) (value, ok bool) {
	const quoted = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	switch strings.ToLower(n.Value) {
	case "true", "yes", "on":
		return true, n.Style&quoted == 0
	case "false", "no", "off":
		return false, n.Style&quoted == 0
	}
	return false, false
}

// digits is an integer as decimal digits, "" if it is none. Underscores may stand
// between digits (50_000); hexadecimal, octal and exponents are not understood.
func digits(n *yaml.Node) string {
	unsigned := strings.TrimLeft(n.Value, "+-")
	if n.Tag != "!!int" || len(n.Value) > 40 || len(unsigned) > 1 && unsigned[0] == '0' {
		return ""
	}
	return strings.ReplaceAll(n.Value, "_", "")
}

func float(n *yaml.Node) (float64, bool) {
	f, err := strconv.ParseFloat(strings.ReplaceAll(n.Value, "_", ""), 64)
	return f, err == nil && (n.Tag == "!!int" || n.Tag == "!!float") && !math.IsInf(f, 0) && !math.IsNaN(f)
}

// word returns a single value as a JSON value; not ok is a number that JSON lacks.
func word(n *yaml.Node) (v any, ok bool) {
	switch n.Tag {
	case "!!bool":
		if b, ok := boolean(n); ok {
			return b, true
		}
	case "!!int":
		if s := digits(n); s != "" { // others, hexadecimal, are texts
			return Number(s), true
		}
	case "!!float":
		f, ok := float(n)
		return f, ok
	}
	return n.Value, true
}

// Number returns a decimal number as a float64, or as a json.Number where it is
// an integer that a float64 can't hold.
func Number(s string) any {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !strings.ContainsAny(s, ".eE") && math.Abs(f) > 1<<53 {
		return json.Number(strings.TrimPrefix(s, "+"))
	}
	return f + 0 // JSON's -0 is 0
}

var timeLayouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02"}

// parseTime reads a time as a person writes it: RFC 3339, or a date with or
// without a time, in UTC where it names no zone.
func parseTime(s string) (time.Time, bool) {
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, s); err == nil && t.Year() >= 1 && t.Year() <= 9999 {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

func nameOf(kind yaml.Kind) string {
	switch kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	return "a single value"
}
