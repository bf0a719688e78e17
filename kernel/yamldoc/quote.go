package yamldoc

import (
	"encoding"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

func indirect(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return reflect.Value{}
		}
		if _, ok := v.Interface().(encoding.TextMarshaler); ok && v.Kind() == reflect.Pointer {
			return v
		}
		v = v.Elem()
	}
	return v
}

// scalarText returns the text of a value that fits on one line, empty
// collections included.
func scalarText(v reflect.Value) (text string, ok bool, err error) {
	if !v.IsValid() {
		return "null", true, nil
	}
	switch x := v.Interface().(type) {
	case time.Duration:
		return x.String(), true, nil
	case time.Time:
		return x.UTC().Format(time.RFC3339Nano), true, nil
	case json.Number:
		if f, err := strconv.ParseFloat(string(x), 64); err != nil || math.IsInf(f, 0) || strings.Trim(string(x), "0123456789+-.eE") != "" {
			return "", false, errors.New("not a finite number")
		}
		return string(x), true, nil
	case encoding.TextMarshaler:
		b, err := x.MarshalText()
		return Quote(string(b)), true, err
	}
	switch v.Kind() {
	case reflect.String:
		if !utf8.ValidString(v.String()) {
			return "", false, errors.New("a text is not valid UTF-8")
		}
		return Quote(v.String()), true, nil
	case reflect.Bool:
		return strconv.FormatBool(v.Bool()), true, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10), true, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.FormatUint(v.Uint(), 10), true, nil
	case reflect.Float32, reflect.Float64:
		return floatText(v.Float())
	case reflect.Slice:
		return "[]", v.Len() == 0, nil
	case reflect.Map:
		return "{}", v.Len() == 0, nil
	}
	return "", false, nil
}

func floatText(f float64) (string, bool, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return "", false, errors.New("not a finite number")
	}
	if f == math.Trunc(f) && math.Abs(f) <= 1<<53 {
		return strconv.FormatInt(int64(f), 10), true, nil
	}
	s := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.Contains(s, ".") { // 1e+300: YAML 1.2 takes it, yaml.v3 wants the point
		s = strings.Replace(s, "e", ".0e", 1)
	}
	return s, true, nil
}

// plainDate are the dates that people write without quotes; other tools tell a
// date from a text by that, so they are written back that way.
func plainDate(s string) bool {
	if len(s) != len("2006-01-02") {
		return false
	}
	_, err := time.Parse("2006-01-02", s)
	return err == nil
}

// Quote returns a text as a YAML scalar that reads as that text: plain when it
// is a harmless word, else in double quotes with JSON's escapes.
func Quote(s string) string {
	if plain(s) || plainDate(s) {
		return s
	}
	return string(AppendQuoted(make([]byte, 0, len(s)+8), s))
}

func quoteKey(s string) string {
	if plain(s) {
		return s
	}
	return string(AppendQuoted(make([]byte, 0, len(s)+8), s))
}

// plain reports whether s begins with a letter of any script, goes on with
// letters, digits and -_./ with single spaces between, and is no word that
// some YAML reader takes for another type.
func plain(s string) bool {
	if s == "" || len(s) > 120 {
		return false
	}
	switch strings.ToLower(s) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf":
		return false
	}
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= 0xC0 && r < 0x2000 && r != 0xD7 || r >= 0x3040 && r <= 0xD7A3
		switch {
		case letter:
		case i == 0:
			return false
		case r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.' || r == '/':
		case r == ' ' && s[i-1] != ' ' && i != len(s)-1:
		default:
			return false
		}
	}
	return true
}

const hex = "0123456789abcdef"

// AppendQuoted appends a text in double quotes. What YAML forbids in a document
// or takes for a line break is escaped (YAML 1.2 §5.1, §5.4).
func AppendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, '\\', 'n')
		case r == '\t':
			dst = append(dst, '\\', 't')
		case r < 0x20 || r >= 0x7F && r <= 0xA0 || r == 0x2028 || r == 0x2029 || r >= 0xFDD0 && r <= 0xFDEF || r >= 0xFFFE && r <= 0xFFFF || r == 0xFEFF:
			dst = append(dst, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return append(dst, '"')
}
