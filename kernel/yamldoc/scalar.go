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

func itoa(i int) string { return strconv.Itoa(i) }

// scalar puts a single value into v. A string takes any word as it is written,
// so that `key: 2024` is the key "2024".
func (w *walker) scalar(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.ScalarNode {
		w.fault(n, path, "must be "+wanted(v)+", not "+nameOf(n))
		return
	}
	if !setScalar(n, v) {
		w.fault(n, path, "must be "+wanted(v))
	}
}

func setScalar(n *yaml.Node, v reflect.Value) bool {
	switch {
	case v.Type() == timeType:
		t, ok := ParseTime(n.Value)
		if ok {
			v.Set(reflect.ValueOf(t))
		}
		return ok
	case v.Type() == durationType:
		d, err := time.ParseDuration(n.Value)
		if err == nil {
			v.SetInt(int64(d))
		}
		return err == nil
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(n.Value)
		return true
	case reflect.Bool:
		b, ok := boolean(n)
		if ok {
			v.SetBool(b)
		}
		return ok
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		i, err := strconv.ParseInt(digits(n), 10, v.Type().Bits())
		if err == nil {
			v.SetInt(i)
		}
		return err == nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		u, err := strconv.ParseUint(digits(n), 10, v.Type().Bits())
		if err == nil {
			v.SetUint(u)
		}
		return err == nil
	case reflect.Float32, reflect.Float64:
		f, ok := float(n)
		if ok {
			v.SetFloat(f)
		}
		return ok
	}
	return false
}

// boolean takes YAML 1.1's words too: people write them, and where a boolean is
// wanted they are never meant as texts.
func boolean(n *yaml.Node) (value, ok bool) {
	if n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return false, false
	}
	switch strings.ToLower(n.Value) {
	case "true", "yes", "on":
		return true, true
	case "false", "no", "off":
		return false, true
	}
	return false, false
}

// digits is an integer as decimal digits. Only decimal is understood, with
// underscores between digits (50_000); others are no integers (0x10, 1e3, 017).
func digits(n *yaml.Node) string {
	s := n.Value
	if n.Tag != "!!int" || len(s) > 40 {
		return ""
	}
	unsigned := strings.TrimLeft(s, "+-")
	if len(unsigned) > 1 && unsigned[0] == '0' {
		return ""
	}
	return strings.ReplaceAll(s, "_", "")
}

func float(n *yaml.Node) (float64, bool) {
	if n.Tag != "!!int" && n.Tag != "!!float" {
		return 0, false
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(n.Value, "_", ""), 64)
	return f, err == nil && !math.IsInf(f, 0) && !math.IsNaN(f)
}

// generic returns a node as JSON values.
func (w *walker) generic(n *yaml.Node, path string) any {
	switch n.Kind {
	case yaml.MappingNode:
		m := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			k := n.Content[i].Value
			m[k] = w.generic(n.Content[i+1], join(path, k))
		}
		return m
	case yaml.SequenceNode:
		s := make([]any, len(n.Content))
		for i, c := range n.Content {
			s[i] = w.generic(c, path+"["+itoa(i)+"]")
		}
		return s
	case yaml.ScalarNode:
		return w.genericScalar(n, path)
	}
	w.fault(n, path, "is not a value")
	return nil
}

func (w *walker) genericScalar(n *yaml.Node, path string) any {
	switch n.Tag {
	case "!!null":
		return nil
	case "!!bool":
		if b, ok := boolean(n); ok {
			return b
		}
	case "!!int":
		if s := digits(n); s != "" {
			return Number(s)
		}
		return n.Value // hexadecimal, octal: kept as it is written
	case "!!float":
		if f, ok := float(n); ok {
			return f
		}
		w.fault(n, path, "must be a finite number")
		return nil
	}
	return n.Value
}

// Number returns a decimal number as a float64, or as a json.Number where it is
// an integer that a float64 can't hold.
func Number(s string) any {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return json.Number(strings.TrimPrefix(s, "+"))
	}
	if !strings.ContainsAny(s, ".eE") && math.Abs(f) > 1<<53 {
		return json.Number(strings.TrimPrefix(s, "+"))
	}
	if f == 0 {
		f = 0 // JSON's -0 is 0
	}
	return f
}

var timeLayouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02"}

// ParseTime reads a time as a person writes it: RFC 3339, or a date with or
// without a time, in UTC where it names no zone.
func ParseTime(s string) (time.Time, bool) {
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, s); err == nil && t.Year() >= 1 && t.Year() <= 9999 {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

func wanted(v reflect.Value) string {
	switch {
	case v.Type() == timeType:
		return "a date or time (2006-01-02 or 2006-01-02T15:04:05Z)"
	case v.Type() == durationType:
		return "a duration (90s, 5m, 2h)"
	}
	switch v.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "a whole number"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number, not negative"
	}
	return "a " + v.Type().String()
}

func nameOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	return "a single value"
}
