package tool

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The keys of mappings that stand for something else.
const (
	each = "$each" // the mapping is made for each item of this list
	when = "$if"   // "then", where this is there and not false, or "else"
)

// name is what stands for a value within a text.
var name = regexp.MustCompile(`\$(?:\$|\{([a-z_]\w*(?:\.\w+)*)\}|([a-z_]\w*(?:\.\w+)*))`)

// fill is a template with the values of its names, each of the first of values that has
// it. ok is false for a name alone that none has.
func fill(template any, values ...map[string]any) (filled any, ok bool) {
	switch t := template.(type) {
	case string:
		if at := name.FindStringSubmatch(t); at != nil && at[0] == t && at[2] != "" {
			return lookup(at[2], values)
		}
		return name.ReplaceAllStringFunc(t, func(found string) string {
			path := strings.Trim(found, "${}")
			if path == "" {
				return "$"
			}
			v, _ := lookup(path, values)
			return text(v)
		}), true
	case []any:
		out := []any{}
		for _, item := range t {
			if v, ok := fill(item, values...); ok {
				out = append(out, v)
			}
		}
		return out, true
	case map[string]any:
		source, many := t[each]
		if asked, choice := t[when]; choice {
			branch := "then"
			if v, given := fill(asked, values...); !given || v == false {
				branch = "else"
			}
			chosen, there := t[branch]
			if !there {
				return nil, false
			}
			return fill(chosen, values...)
		}
		if !many {
			return mapping(t, values), true
		}
		out, list := []any{}, any(nil)
		if list, _ = fill(source, values...); list != nil {
			items, _ := list.([]any)
			for _, item := range items {
				fields, _ := item.(map[string]any)
				out = append(out, mapping(t, []map[string]any{fields}))
			}
		}
		return out, true
	}
	return template, true
}

func mapping(template map[string]any, values []map[string]any) map[string]any {
	out := map[string]any{}
	for key, value := range template {
		if v, ok := fill(value, values...); ok && key != each {
			out[key] = v
		}
	}
	return out
}

// lookup is what a dotted path leads to in the first of values that has it.
func lookup(path string, values []map[string]any) (any, bool) {
	for _, at := range values {
		var v any = at
		ok := true
		for step := range strings.SplitSeq(path, ".") {
			m, _ := v.(map[string]any)
			if v, ok = m[step]; !ok {
				break
			}
		}
		if ok {
			return v, true
		}
	}
	return nil, false
}

// text is a value within a text: a list is its items, with commas between them.
func text(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		items := make([]string, len(v))
		for i := range v {
			items[i] = text(v[i])
		}
		return strings.Join(items, ", ")
	}
	return strings.TrimSuffix(string(encode(value)), "\n")
}

// replyFields are the fields that replies of devices have.
var replyFields = strings.Fields(`ok message code error hint findings warnings target folder id key revision
	duplicate_of evicted replayed snapshot entry entries next count history results used limit remaining entry_limit
	total summary behind unread context chunks total_tokens sources events sequence gap
	uuid added masked turns job process collections`)

// Fault says where a row is wrong, from its name on (".request.content"), and why; no
// reason is right. printable says what is wrong with a text that is shown.
func (t Tool) Fault(printable func(string) string) (at, reason string) {
	if reason := printable(t.Description); reason != "" {
		return ".description", reason
	}
	for _, arg := range slices.Sorted(maps.Keys(t.Args)) {
		if cell, reason := t.Args[arg].rowFault(arg, printable); reason != "" {
			return ".args." + arg + cell, reason
		}
	}
	if t.Request == nil {
		return "", "must have a request, a mapping with $name for what it takes"
	}
	args := slices.Sorted(maps.Keys(t.Args))
	for _, part := range []struct {
		at       string
		template any
		reply    bool
	}{{".request", t.Request, false}, {".reply", t.Reply, true}, {".failed", t.Failed, true}} {
		w := walk{known: args, reply: part.reply, printable: printable}
		if part.reply {
			w.known = append(args[:len(args):len(args)], replyFields...)
		}
		if _, ok := part.template.(map[string]any); !ok && part.template != nil {
			return part.at, "must be a mapping, the " + part.at[1:] + " with $name for what it takes"
		}
		if at, reason := w.fault(part.template); reason != "" {
			return part.at + at, reason
		}
	}
	return "", ""
}

var argName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)

func (a Arg) rowFault(arg string, printable func(string) string) (at, reason string) {
	_, known := types[a.typeName()]
	switch {
	case !argName.MatchString(arg):
		return "", "must be a name of small letters, digits and '_', at most 40"
	case !known:
		return ".type", "must be boolean, integer, number, object, string or strings"
	case printable(a.Description) != "":
		return ".description", printable(a.Description)
	case len(a.OneOf) > 0 && (a.typeName() != "string" || printable(strings.Join(a.OneOf, "")) != ""):
		return ".one_of", "must be printable texts, of an argument that is a text"
	case a.Default != nil && a.fault(a.Default) != "":
		return ".default", a.fault(a.Default)
	}
	return "", ""
}

// walk checks a template.
type walk struct {
	known     []string
	item      bool // of a list, whose fields are not known
	reply     bool
	printable func(string) string
}

func (w walk) fault(template any) (at, reason string) {
	switch t := template.(type) {
	case string:
		for _, found := range name.FindAllString(t, -1) {
			first, _, _ := strings.Cut(strings.Trim(found, "${}"), ".")
			switch {
			case first == "" || w.item || slices.Contains(w.known, first):
			case w.reply:
				return "", "has a $name that is no argument and no field of a reply"
			default:
				return "", "has a $name that is no argument; args declares them"
			}
		}
		return "", w.printable(t)
	case []any:
		for i, item := range t {
			if at, reason := w.fault(item); reason != "" {
				return "[" + strconv.Itoa(i) + "]" + at, reason
			}
		}
	case map[string]any:
		if _, many := t[each]; many && w.reply {
			if at, reason := w.fault(t[each]); reason != "" {
				return "." + each + at, reason
			}
			w.item = true
		}
		_, choice := t[when]
		for _, key := range slices.Sorted(maps.Keys(t)) {
			if strings.HasPrefix(key, "$") && key != when && (key != each || !w.reply) {
				return "." + key, "no key has a $name; there is $if, and in a reply $each"
			}
			if choice && key != when && key != "then" && key != "else" {
				return "." + key, "has no place beside $if, but then and else"
			}
			if reason := w.printable(key); reason != "" {
				return "." + key, reason
			}
			if at, reason := w.fault(t[key]); reason != "" {
				return "." + key + at, reason
			}
		}
	}
	return "", ""
}
