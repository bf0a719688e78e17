package agents

import (
	"encoding/json"
	"slices"
	"strings"
)

// value is a part that is one value under keys, or one string in the list there.
type value struct {
	name string
	at   place
	keys []string
	list bool
	want any            // a string, or entry
	ours func(any) bool // whether a value is what was entered, also by a program elsewhere
	same func(any) bool // and as it is to be
}

// entry is an MCP server as all clients have it.
type entry struct {
	Type    string   `json:"type,omitempty" toml:"type,omitempty"`
	Command string   `json:"command" toml:"command"`
	Args    []string `json:"args" toml:"args"`
}

// server is the entry of our server.
func (a *Agent) server(binary string) value {
	e := entry{Command: binary, Args: []string{"mcp"}}
	if a.typed {
		e.Type = "stdio"
	}
	return value{"MCP entry", a.mcp, []string{a.servers, "rnixfs"}, false, e, func(v any) bool {
		args, _ := under(v, "args").([]any)
		return slices.Equal(args, []any{"mcp"}) && Command{Binary: binary}.own(commandOf(v))
	}, func(v any) bool { return commandOf(v) == binary }}
}

func commandOf(v any) string {
	s, _ := under(v, "command").(string)
	return s
}

// folder is one that commands in the agent's sandbox may write to.
func (a *Agent) folder(path string) value {
	is := func(v any) bool { return v == path }
	return value{"writable folder", a.sandbox, a.writable, true, path, is, is}
}

func (v value) String() string { return v.name }

// toml reports whether a file is TOML.
func (p place) toml() bool { return strings.HasSuffix(p.home, ".toml") }

// find returns what is there: the list, or the one value, also if a person has made it.
func (v value) find(text []byte) ([]any, error) {
	m := fields{}
	if v.at.toml() {
		if err := parseTOML(text, &m); err != nil {
			return nil, err
		}
	} else {
		d, err := parse(text, true)
		if err != nil {
			return nil, err
		}
		plain := d.root.Clone()
		plain.Standardize()
		_ = json.Unmarshal(plain.Pack(), &m) // it was parsed
	}
	switch all := under(m, v.keys...).(type) {
	case nil:
		return nil, nil
	case []any:
		return all, nil
	default:
		return []any{all}, nil
	}
}

func (v value) has(text []byte) (bool, error) {
	have, err := v.find(text)
	return slices.ContainsFunc(have, v.same) || !v.list && len(have) > 0 && !v.ours(have[0]), err
}

func (v value) add(text []byte) ([]byte, error) {
	have, err := v.find(text)
	switch {
	case err != nil || slices.ContainsFunc(have, v.ours) || !v.list && len(have) > 0:
		return text, err
	case v.at.toml() && v.list:
		return putTOML(text, v.keys[:1], map[string]any{v.keys[1]: []any{v.want}})
	case v.at.toml():
		return putTOML(text, v.keys, v.want)
	}
	return change(text, func(d *document) (*document, error) { return d.put(v.keys, compact(v.want), v.list) })
}

func (v value) remove(text []byte) ([]byte, error) {
	have, err := v.find(text)
	i := slices.IndexFunc(have, v.ours)
	switch {
	case err != nil || i < 0:
		return text, err
	case v.at.toml() && v.list:
		return cutTOML(text, v.keys[:1], map[string]any{v.keys[1]: []any{v.want}})
	case v.at.toml():
		return cutTOML(text, v.keys, nil)
	}
	return change(text, func(d *document) (*document, error) {
		path := d.stepsTo(v.keys)
		if v.list {
			list := path[len(path)-1].item
			path = append(path, step{list, containerOf(list).item(i)})
		}
		return path.cut(d)
	})
}

// change edits a file of JSON.
func change(text []byte, edit func(*document) (*document, error)) ([]byte, error) {
	d, err := parse(text, true)
	if err == nil {
		d, err = edit(d)
	}
	if err != nil {
		return nil, err
	}
	return d.bytes(), nil
}
