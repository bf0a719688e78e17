package yamldoc

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Append appends a JSON value to dst in block style, map keys sorted, each line
// indented by indent levels of two spaces. An error names a value that a document
// could not give back: not finite, not UTF-8, nested too deeply.
func Append(dst []byte, v any, indent int) ([]byte, error) {
	return appendBlock(dst, v, indent, 0)
}

// appendBlock writes v where a line begins.
func appendBlock(dst []byte, v any, indent, depth int) (_ []byte, err error) {
	if depth > MaxDepth {
		return dst, fmt.Errorf("nested deeper than %d levels", MaxDepth)
	}
	pad := strings.Repeat("  ", indent)
	switch x := v.(type) {
	case []any:
		for _, item := range x {
			if dst, err = appendAfter(append(dst, pad+"-"...), item, indent, depth); err != nil {
				return dst, err
			}
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(x)) {
			if !utf8.ValidString(key) {
				return dst, errors.New("a key is not valid UTF-8")
			}
			name := key
			if !plain(key) {
				name = strconv.Quote(key)
			}
			if dst, err = appendAfter(append(dst, pad+name+":"...), x[key], indent, depth); err != nil {
				return dst, err
			}
		}
	}
	return dst, nil
}

// appendAfter writes v behind a "key:" or a "-".
func appendAfter(dst []byte, v any, indent, depth int) ([]byte, error) {
	text, err := oneLine(v)
	if text != "" || err != nil {
		return append(dst, " "+text+"\n"...), err
	}
	return appendBlock(append(dst, '\n'), v, indent+1, depth+1)
}

// oneLine returns the text of a value that fits on one line, "" for others.
func oneLine(v any) (string, error) {
	switch x := v.(type) {
	case nil:
		return "null", nil
	case bool:
		return strconv.FormatBool(x), nil
	case int, int64:
		return fmt.Sprint(x), nil
	case float64:
		return number(x)
	case json.Number:
		if _, err := x.Float64(); err != nil || !json.Valid([]byte(x)) {
			return "", errors.New("not a finite number")
		}
		return string(x), nil
	case string:
		if !utf8.ValidString(x) {
			return "", errors.New("a text is not valid UTF-8")
		}
		return Quote(x), nil
	case []any:
		if len(x) == 0 {
			return "[]", nil
		}
	case map[string]any:
		if len(x) == 0 {
			return "{}", nil
		}
	default:
		return "", fmt.Errorf("can't write a %T", v)
	}
	return "", nil
}

func number(f float64) (string, error) {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return "", errors.New("not a finite number")
	case f == math.Trunc(f) && math.Abs(f) <= 1<<53:
		return strconv.FormatInt(int64(f), 10), nil
	}
	s := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.Contains(s, ".") { // 1e+300: YAML 1.2 takes it, yaml.v3 wants the point
		s = strings.Replace(s, "e", ".0e", 1)
	}
	return s, nil
}

// Quote returns a text as a YAML scalar that reads as that text: as it is when it
// is a harmless word or a date, else in double quotes. Go's escapes are YAML's.
func Quote(s string) string {
	if _, err := time.Parse(time.DateOnly, s); err == nil || plain(s) {
		return s // of a date, other tools would tell quotes
	}
	return strconv.Quote(s)
}

var (
	words    = regexp.MustCompile(`^\pL[\pL\pM\pN_./-]*( [\pL\pM\pN_./-]+)*$`)
	reserved = regexp.MustCompile(`^(?i:y|n|yes|no|on|off|true|false|null|nan|inf)$`)
)

// plain reports whether a text is words that no reader of YAML takes for anything
// but a text.
func plain(s string) bool {
	return len(s) <= 120 && words.MatchString(s) && !reserved.MatchString(s)
}
