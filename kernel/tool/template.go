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
		if asked, choice := t[when]; choice {
			branch := "then"
			if v, given := fill(asked, values...); !given || v == false {
				branch = "else"
			}
			chosen, there := t[branch]
			filled, ok := fill(chosen, values...)
			return filled, ok && there
		}
		source, many := t[each]
		if !many {
			return mapping(t, values), true
		}
		list, _ := fill(source, values...)
		items, _ := list.([]any)
		out := []any{}
		for _, item := range items {
			fields, _ := item.(map[string]any)
			out = append(out, mapping(t, []map[string]any{fields}))
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
	total summary summarized_by not_by_model behind missing meaning unread searched elsewhere context chunks total_tokens sources events sequence gap
	uuid added masked turns job process collections`)

// Fault says where a row is wrong, from its name on (".request.content"), and why; no
// reason is right.
func (t Tool) Fault() (at, reason string) {
	for _, arg := range slices.Sorted(maps.Keys(t.Args)) {
		if cell, reason := t.Args[arg].rowFault(arg); reason != "" {
			return ".args." + arg + cell, reason
		}
	}
	if t.Request == nil {
		return "", "must have a request, a mapping with $name for what it takes"
	}
	args := slices.Collect(maps.Keys(t.Args))
	for _, part := range []struct {
		at       string
		template any
		known    []string
	}{{".request", t.Request, args}, {".reply", t.Reply, slices.Concat(args, replyFields)}, {".failed", t.Failed, slices.Concat(args, replyFields)}} {
		if _, ok := part.template.(map[string]any); !ok && part.template != nil {
			return part.at, "must be a mapping, with $name for what it takes"
		}
		if at, reason := fault(part.template, part.known); reason != "" {
			return part.at + at, reason
		}
	}
	return "", ""
}

var argName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)

func (a Arg) rowFault(arg string) (at, reason string) {
	_, known := types[a.Type]
	switch {
	case !argName.MatchString(arg):
		return "", "must be a name of small letters, digits and '_', at most 40"
	case !known:
		return ".type", "must be boolean, integer, number, object, string or strings"
	case len(a.OneOf) > 0 && types[a.Type].name != "string":
		return ".one_of", "is for an argument that is a text"
	case a.Default != nil && a.fault(a.Default) != "":
		return ".default", a.fault(a.Default)
	}
	return "", ""
}

// anyName is known where the fields of a list's items are asked for.
const anyName = "*"

func fault(template any, known []string) (at, reason string) {
	switch t := template.(type) {
	case string:
		for _, found := range name.FindAllString(t, -1) {
			first, _, _ := strings.Cut(strings.Trim(found, "${}"), ".")
			if first != "" && !slices.Contains(known, first) && !slices.Contains(known, anyName) {
				return "", "has a $name that is no argument of args, nor, in a reply, a field of one"
			}
		}
	case []any:
		for i, item := range t {
			if at, reason := fault(item, known); reason != "" {
				return "[" + strconv.Itoa(i) + "]" + at, reason
			}
		}
	case map[string]any:
		_, many := t[each]
		_, choice := t[when]
		for _, key := range slices.Sorted(maps.Keys(t)) {
			special, inner := key == each || key == when, known
			switch {
			case strings.HasPrefix(key, "$") && !special:
				return "." + key, "no key has a $name; there are $each and $if"
			case choice && key != when && key != "then" && key != "else":
				return "." + key, "has no place beside $if, but then and else"
			case many && !special:
				inner = []string{anyName}
			}
			if at, reason := fault(t[key], inner); reason != "" {
				return "." + key + at, reason
			}
		}
	}
	return "", ""
}
