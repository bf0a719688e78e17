package transcript

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"time"
)

// decode reads JSON. A field of another type than we know stays empty: one odd
// field must not cost the record. Depth is bounded by encoding/json, at 10,000.
func decode(text []byte, into any) error {
	err := json.Unmarshal(text, into)
	var odd *json.UnmarshalTypeError
	if errors.As(err, &odd) && odd.Field != "" {
		return nil
	}
	return err
}

// isObject says whether a text begins as a JSON object.
func isObject(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n\xef\xbb\xbf")
	return len(text) > 0 && text[0] == '{'
}

func isString(text []byte) bool { return len(text) > 0 && text[0] == '"' }

// items are the elements of a JSON list, or the one value that raw is, without white
// space around them.
func items(raw json.RawMessage) (list []json.RawMessage) {
	raw = bytes.TrimSpace(raw)
	if len(raw) > 0 && raw[0] != '[' {
		return []json.RawMessage{raw}
	}
	_ = decode(raw, &list) // what is no list has no elements
	return list
}

// arguments is what a tool was asked, on one line: the value of a sole argument,
// else "name: value" in the order in which they were written. Text that is no
// JSON object is taken as it is.
func arguments(raw []byte) string {
	var whole string
	if json.Unmarshal(raw, &whole) == nil {
		raw = []byte(whole)
	}
	names, values := members(raw)
	switch {
	case names == nil && (!isObject(raw) || !json.Valid(raw)):
		return short(string(raw), maxArgs)
	case len(names) == 1:
		return short(values[0], maxArgs)
	}
	var b strings.Builder
	for i, name := range names {
		if b.Len() > 4*maxArgs {
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(short(name, maxName) + ": " + short(values[i], maxArg))
	}
	return short(b.String(), maxArgs)
}

// members returns the members of a JSON object in order: strings as they are,
// all else as compact JSON. Both are nil where raw is no object.
func members(raw []byte) (names, values []string) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, nil
	}
	for dec.More() && len(names) < 64 {
		t, err := dec.Token()
		name, ok := t.(string)
		var value json.RawMessage
		if err != nil || !ok || dec.Decode(&value) != nil {
			return nil, nil
		}
		names, values = append(names, name), append(values, plain(value))
	}
	return names, values
}

// plain is a JSON string's text, or any other value's compact JSON; "" for null.
func plain(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	var s string
	switch {
	case len(raw) == 0 || bytes.Equal(raw, []byte("null")):
		return ""
	case raw[0] == '"' && json.Unmarshal(raw, &s) == nil:
		return s
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return ""
	}
	return b.String()
}

// moment reads a time as the tools write it: RFC 3339, or a JSON number of
// milliseconds or seconds. The zero time for anything else.
func moment(raw json.RawMessage) time.Time {
	var s string
	if json.Unmarshal(raw, &s) == nil && s != "" {
		return instant(s)
	}
	var n float64
	if json.Unmarshal(raw, &n) != nil || n <= 0 {
		return time.Time{}
	}
	if n < 1e11 { // the year 5138 in seconds, 1973 in milliseconds
		n *= 1000
	}
	return sound(time.UnixMilli(int64(min(n, 1e15))))
}

func instant(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{}
	}
	return sound(t)
}

// sound is a time in UTC, or none when it is not of a history: before there were
// computers' clocks, or after the last year that JSON holds.
func sound(t time.Time) time.Time {
	if t = t.UTC(); t.Year() < 1970 || t.Year() > 9999 {
		return time.Time{}
	}
	return t
}

// first returns the first time that is one.
func first(times ...time.Time) time.Time {
	for _, t := range times {
		if !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}

// folder is a recorded working directory, or "" when it is none of this system.
func folder(path string) string {
	if !filepath.IsAbs(path) || len(path) > 4096 || clean(path) != path {
		return ""
	}
	return filepath.Clean(path)
}

// handle makes an id of another tool fit to be one of ours: printable, without
// spaces, of at most 200 bytes.
func handle(id string) string {
	id = strings.Join(strings.Fields(clean(id)), "_")
	if len(id) <= 200 {
		return id
	}
	return "sha256-" + digest(id, 32)
}

func digest(s string, digits int) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])[:digits]
}

// placeName is the External of a file that has no id of its own: its name, and
// where it lies, so that two files of the same name are two.
func placeName(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	name := filepath.Base(path)
	if ext := filepath.Ext(name); ext != name {
		name = strings.TrimSuffix(name, ext)
	}
	return handle(name + "-" + digest(path, 8))
}
