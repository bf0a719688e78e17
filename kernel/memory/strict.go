package memory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// DecodeStrict decodes one JSON value into v: unknown fields, fields in other
// letters, keys that stand twice, wrong types, trailing data, invalid UTF-8 and
// half surrogate pairs are KindInvalid errors that say where. Numbers in untyped
// places become float64.
func DecodeStrict(data []byte, v any) error {
	if !utf8.Valid(data) {
		return Errorf(KindInvalid, "decode request", "invalid JSON: not valid UTF-8")
	}
	if loneSurrogate(data) {
		return Errorf(KindInvalid, "decode request", `invalid JSON: half of a surrogate pair (\ud800 to \udfff) stands alone`)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		if strings.HasPrefix(err.Error(), "json: unknown field ") {
			if named := checkKeys(data, v); named != nil {
				return named
			}
		}
		return Errorf(KindInvalid, "decode request", "%s", describeJSON(err))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Errorf(KindInvalid, "decode request", "invalid JSON: more than one value")
	}
	return checkKeys(data, v)
}

// embedded matches the names of embedded structs in a field's path: those of
// requests are in lower case.
var embedded = regexp.MustCompile(`[A-Z]\w*\.`)

// describeJSON says what is wrong without quoting values, which may be secrets:
// encoding/json names fields and types only, except for the offending character
// of a syntax error.
func describeJSON(err error) string {
	var typ *json.UnmarshalTypeError
	var syn *json.SyntaxError
	switch {
	case errors.As(err, &typ):
		if typ.Field == "" {
			return fmt.Sprintf("invalid JSON: a request is an object, not %s", article(typ.Value))
		}
		field := embedded.ReplaceAllString(typ.Field, "")
		kind, number, _ := strings.Cut(typ.Value, " ") // "number 2.5", or "string"
		want, got := article(typ.Type.Kind().String()), article(kind)
		switch {
		case want == "an integer" && strings.ContainsAny(number, ".eE"):
			return fmt.Sprintf("field %q: must be a whole number, without a point or an exponent", field)
		case want == "an integer" && number != "", want == got:
			return fmt.Sprintf("field %q: is too large for %s", field, want)
		}
		return fmt.Sprintf("field %q: must be %s, not %s", field, want, got)
	case errors.As(err, &syn):
		return fmt.Sprintf("invalid JSON: %s (at byte %d)", syn.Error(), syn.Offset)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "invalid JSON: cut off"
	}
	return "invalid JSON"
}

func article(kind string) string {
	switch kind {
	case "slice", "array":
		return "an array"
	case "map", "struct", "object":
		return "an object"
	case "ptr", "interface", "value":
		return "a value"
	case "int", "int64":
		return "an integer"
	case "float64":
		return "a number"
	case "bool":
		return "true or false"
	}
	return "a " + kind
}

// loneSurrogate reports an escape of half a surrogate pair, which encoding/json
// would replace by U+FFFD without a word.
func loneSurrogate(data []byte) bool {
	awaited := -1 // where the second half of a pair must begin
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' {
			continue
		}
		start, r := i, uint64(0)
		if i++; i+4 < len(data) && data[i] == 'u' {
			r, _ = strconv.ParseUint(string(data[i+1:i+5]), 16, 16) // else it is no JSON
			i += 4
		}
		if second := r >= 0xDC00 && r <= 0xDFFF; second != (awaited == start) || awaited >= 0 && !second {
			return true
		}
		if awaited = -1; r >= 0xD800 && r < 0xDC00 {
			awaited = i + 1
		}
	}
	return awaited >= 0
}
