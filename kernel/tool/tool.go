package tool

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
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
	Type        string   `yaml:"type"` // one of Types; "" is string
	Description string   `yaml:"description"`
	Required    bool     `yaml:"required"`
	OneOf       []string `yaml:"one_of"`
	Default     any      `yaml:"default"`
}

// types are what an argument may be, as JSON schema has it.
var types = map[string]map[string]any{
	"string":  {"type": "string"},
	"strings": {"type": "array", "items": map[string]any{"type": "string"}},
	"number":  {"type": "number"},
	"integer": {"type": "integer"},
	"boolean": {"type": "boolean"},
	"object":  {"type": "object"},
}

// typeName is the argument's type.
func (a Arg) typeName() string {
	if a.Type == "" {
		return "string"
	}
	return a.Type
}

// fault says why the argument can't have a value, or "".
func (a Arg) fault(value any) string {
	v, ok := reflect.ValueOf(value), false
	switch a.typeName() {
	case "string":
		_, ok = value.(string)
	case "strings":
		list, isList := value.([]any)
		ok = isList && !slices.ContainsFunc(list, func(item any) bool { return reflect.TypeOf(item) != reflect.TypeFor[string]() })
	case "number":
		ok = v.CanInt() || v.CanFloat()
	case "integer":
		ok = v.CanInt() || v.CanFloat() && v.Float() == float64(int64(v.Float()))
	case "boolean":
		ok = v.Kind() == reflect.Bool
	case "object":
		ok = v.Kind() == reflect.Map
	}
	switch {
	case !ok:
		return "must be " + map[string]string{
			"string": "a text", "strings": "a list of texts", "number": "a number", "integer": "a whole number", "boolean": "true or false", "object": "an object",
		}[a.typeName()]
	case len(a.OneOf) > 0 && !slices.Contains(a.OneOf, v.String()):
		return "must be one of " + strings.Join(a.OneOf, ", ")
	}
	return ""
}

// ArgNames returns the names of the arguments: those that are required first, each sorted.
func (t Tool) ArgNames() []string {
	return slices.SortedFunc(maps.Keys(t.Args), func(a, b string) int {
		if t.Args[a].Required != t.Args[b].Required {
			if t.Args[a].Required {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
}

// Schema is the JSON schema of the arguments.
func (t Tool) Schema() map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, name := range t.ArgNames() {
		a := t.Args[name]
		p := maps.Clone(types[a.typeName()])
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
		case !known && len(t.Args) == 0:
			return nil, invalid("unknown argument %s; there are none", memory.QuoteName(name))
		case !known:
			return nil, invalid("unknown argument %s; known are %s", memory.QuoteName(name), strings.Join(t.ArgNames(), ", "))
		case args[name] == nil:
			delete(args, name)
			continue
		}
		if list, isText := args[name].(string); isText && a.Type == "strings" {
			args[name] = split(list)
		}
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

// split is a list that was written as one text.
func split(list string) []any {
	items := []any{}
	for item := range strings.SplitSeq(list, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
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
// body. mask takes secrets out of the arguments that it repeats: the device may have masked
// them, too, before it stored them.
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
		repeated[name] = masked(value, mask)
	}
	out, _ := fill(template, reply, repeated)
	if fields, ok := out.(map[string]any); ok && reply["ok"] == false {
		maps.Copy(reply, fields)
		out = reply
	}
	return encode(out)
}

// masked is a value with its texts masked.
func masked(value any, mask func(string) string) any {
	switch v := value.(type) {
	case string:
		return mask(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = masked(v[i], mask)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name := range v {
			out[mask(name)] = masked(v[name], mask)
		}
		return out
	}
	return value
}

// encode is v as one line of JSON with its newline.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // values of JSON
	return b.Bytes()
}
