package tool

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Tool is a request of a device under another name.
type Tool struct {
	Device      string         `yaml:"device"`
	Description string         `yaml:"description"`
	Args        map[string]Arg `yaml:"args"`
	Request     any            `yaml:"request"` // a template
	Reply       any            `yaml:"reply"`   // a template; nil is the device's own reply
	Failed      any            `yaml:"failed"`  // a template of fields that a failed reply has besides its own
}

// Arg is an argument of a tool.
type Arg struct {
	Type        string   `yaml:"type"` // "" is string
	Description string   `yaml:"description"`
	Required    bool     `yaml:"required"`
	OneOf       []string `yaml:"one_of"`
	Default     any      `yaml:"default"`
	// As has other names of texts, and what they stand for.
	As map[string]string `yaml:"as"`
}

// kind is what an argument may be, as JSON schema and as people have it.
type kind struct {
	name, words string
	is          func(any) bool
}

// types are the kinds by their names in rows.
var types = map[string]kind{
	"": textKind, "string": textKind,
	"strings": {"array", "a list of texts", func(v any) bool {
		list, ok := v.([]any)
		return ok && !slices.ContainsFunc(list, func(item any) bool { return !is[string](item) })
	}},
	"number":  {"number", "a number", is[float64]},
	"integer": {"integer", "a whole number", func(v any) bool { f, ok := v.(float64); return ok && f == math.Trunc(f) }},
	"boolean": {"boolean", "true or false", is[bool]},
	"object":  {"object", "an object", is[map[string]any]},
	"any":     {"", "any value", func(any) bool { return true }},
}

var textKind = kind{"string", "a text", is[string]}

func is[T any](v any) bool {
	_, ok := v.(T)
	return ok
}

// fault says why the argument can't have a value, or "".
func (a Arg) fault(value any) string {
	if !types[a.Type].is(value) {
		return "must be " + types[a.Type].words
	}
	if len(a.OneOf) > 0 && !slices.Contains(a.OneOf, text(value)) {
		return "must be one of " + strings.Join(a.OneOf, ", ")
	}
	return ""
}

// named is a value, or a list of values, by the names that As has for them.
func (a Arg) named(value any) any {
	switch v := value.(type) {
	case string:
		return cmp.Or(a.As[v], v)
	case []any:
		for i := range v {
			v[i] = a.named(v[i])
		}
	}
	return value
}

// ArgNames returns the names of the arguments: those that are required first, each sorted.
func (t Tool) ArgNames() []string {
	rank := func(arg string) string { return strconv.FormatBool(!t.Args[arg].Required) + arg }
	return slices.SortedFunc(maps.Keys(t.Args), func(a, b string) int { return strings.Compare(rank(a), rank(b)) })
}

// Schema is the JSON schema of the arguments.
func (t Tool) Schema() map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, name := range t.ArgNames() {
		a := t.Args[name]
		p := map[string]any{}
		if kind := types[a.Type].name; kind != "" {
			p["type"] = kind
		}
		if a.Type == "strings" {
			p["items"] = map[string]any{"type": "string"}
		}
		if a.Description != "" {
			p["description"] = a.Description
		}
		if len(a.OneOf) > 0 {
			p["enum"] = a.OneOf
		}
		if a.Default != nil {
			p["default"] = a.Default
		}
		if a.Required {
			required = append(required, name)
		}
		properties[name] = p
	}
	return map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

// Bind reads the arguments of a call, a JSON object, and puts in what is left out and has
// a default. A null is left out; a list of texts may be one text with commas.
func (t Tool) Bind(raw []byte) (map[string]any, error) {
	var args map[string]any
	if err := memory.DecodeStrict(raw, &args); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		a, known := t.Args[name]
		switch {
		case !known:
			return nil, invalid("unknown argument %s; known are %s", memory.QuoteName(name), cmp.Or(strings.Join(t.ArgNames(), ", "), "none"))
		case args[name] == nil:
			delete(args, name)
			continue
		}
		if list, isText := args[name].(string); isText && a.Type == "strings" {
			items := []any{}
			for item := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == ',' }) {
				items = append(items, strings.TrimSpace(item))
			}
			args[name] = items
		}
		args[name] = a.named(args[name])
		if reason := a.fault(args[name]); reason != "" {
			return nil, invalid("argument %q: %s", name, reason)
		}
	}
	bound := map[string]any{}
	for name, a := range t.Args {
		if a.Default != nil {
			bound[name] = a.Default
		}
	}
	maps.Copy(bound, args)
	for _, name := range t.ArgNames() {
		if _, given := bound[name]; t.Args[name].Required && !given {
			return nil, invalid("argument %q is required", name)
		}
	}
	return bound, nil
}

func invalid(format string, args ...any) error {
	return memory.Errorf(memory.KindInvalid, "tool", format, args...)
}

// RequestFor is the request that the arguments make.
func (t Tool) RequestFor(args map[string]any) []byte {
	request, _ := fill(t.Request, args)
	return encode(request)
}

// ReplyTo is what the tool answers, one line of JSON, where the device has answered with
// body. The arguments that it repeats are texts then, of which mask takes the secrets: the
// device may have masked them, too, before it stored them.
func (t Tool) ReplyTo(args map[string]any, body []byte, mask func(string) string) []byte {
	var reply map[string]any
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber() // a number is shown as the device wrote it
	if err := dec.Decode(&reply); err != nil {
		return body
	}
	template := t.Reply
	if reply["ok"] == false {
		template = t.Failed
	}
	if template == nil {
		return body
	}
	repeated := map[string]any{}
	for name, value := range args {
		if repeated[name] = value; !is[float64](value) && !is[bool](value) {
			repeated[name] = mask(text(value))
		}
	}
	out, _ := fill(template, reply, repeated)
	if fields, ok := out.(map[string]any); ok && reply["ok"] == false {
		maps.Copy(reply, fields)
		out = reply
	}
	return encode(out)
}

// encode is v as one line of JSON with its newline.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // values of JSON
	return b.Bytes()
}
