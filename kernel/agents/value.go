package agents

import (
	"encoding/json"
	"slices"
	"strings"
)

// part is what is entered into a file for one purpose.
type part struct {
	name     string
	at       place
	comments bool // the file may have some
	values   []value
}

// value is one value under keys, or one of the list there.
type value struct {
	keys []string
	list bool
	want any              // nil for none: what an earlier installation entered goes
	is   string           // the id of what is wanted
	id   func(any) string // of a value that was installed, also for a program elsewhere; else ""
}

// toml reports whether a file is TOML.
func (p place) toml() bool { return strings.HasSuffix(p.home, ".toml") }

// commas reports whether one may stand before a closing bracket (microsoft/vscode, mcpResourceScannerService.ts).
func (p place) commas() bool { return strings.HasSuffix(p.home, "Code/User/mcp.json") }

// find returns the values that are there, also a person's, and their ids.
func (p part) find(text []byte, v value) (have []any, ids []string, err error) {
	var m fields
	if p.at.toml() {
		m, err = parseTOML(text)
	} else {
		var d *document
		if d, err = parse(text, p.comments, p.at.commas()); err == nil {
			plain := d.root.Clone()
			plain.Standardize()
			_ = json.Unmarshal(plain.Pack(), &m) // it was parsed
		}
	}
	if at := under(m, v.keys...); v.list {
		have, _ = at.([]any)
	} else if at != nil {
		have = []any{at}
	}
	for _, x := range have {
		ids = append(ids, v.id(x))
	}
	return have, ids, err
}

// has reports whether the text has the values as they are to be. One that a person has
// put in the place of ours is left as it is.
func (p part) has(text []byte) (bool, error) {
	for _, v := range p.values {
		_, ids, err := p.find(text, v)
		if err != nil {
			return false, err
		}
		byHand := !v.list && len(ids) > 0 && ids[0] == ""
		ids = slices.DeleteFunc(ids, func(id string) bool { return id == "" })
		if v.want != nil && !byHand && !slices.Equal(ids, []string{v.is}) || v.want == nil && len(ids) > 0 {
			return false, nil
		}
	}
	return true, nil
}

// add enters the values into a text from which ours were removed, as far as they can be.
func (p part) add(text []byte) ([]byte, error) {
	for _, v := range p.values {
		have, ids, err := p.find(text, v)
		switch {
		case err != nil:
			return nil, err
		case v.want == nil || !v.list && len(have) > 0 || slices.Contains(ids, v.is):
		case p.at.toml():
			text, err = putTOML(text, v)
		default:
			text, err = p.edit(text, func(d *document) (*document, error) { return d.put(v.keys, compact(v.want), v.list) })
		}
		if err != nil {
			return nil, err
		}
	}
	return text, nil
}

// remove takes the values out, and the lists and objects that they leave empty.
func (p part) remove(text []byte) ([]byte, error) {
	for _, v := range p.values {
		_, ids, err := p.find(text, v)
		for i, id := range slices.Backward(ids) {
			switch {
			case err != nil || id == "":
			case p.at.toml():
				text, err = cutTOML(text, v)
			default:
				text, err = p.edit(text, func(d *document) (*document, error) { return d.stepsTo(v.keys, i, v.list).cut(d) })
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return text, nil
}

func (p part) edit(text []byte, change func(*document) (*document, error)) ([]byte, error) {
	d, err := parse(text, p.comments, p.at.commas())
	if err == nil {
		d, err = change(d)
	}
	if err != nil {
		return nil, err
	}
	return d.bytes(), nil
}

// entry is an MCP server as all clients have it.
type entry struct {
	Type    string   `json:"type,omitempty" toml:"type,omitempty"`
	Command string   `json:"command" toml:"command"`
	Args    []string `json:"args" toml:"args"`
}

// server is the entry of our MCP server.
func (a *Agent) server(c Command) part {
	e := entry{Command: c.Binary, Args: []string{"mcp"}}
	if a.typed {
		e.Type = "stdio"
	}
	return part{"MCP entry", a.mcp, true, []value{{[]string{a.servers, "rnixfs"}, false, e, c.Binary, func(v any) string {
		args, _ := under(v, "args").([]any)
		if path := commandOf(v); c.own(path) && slices.Equal(args, []any{"mcp"}) {
			return path
		}
		return ""
	}}}}
}

func commandOf(v any) string {
	s, _ := under(v, "command").(string)
	return s
}

// folder is one that commands in the agent's sandbox may write to.
func (a *Agent) folder(path string) part {
	return part{"writable folder", a.sandbox, a.comments, []value{{a.writable, true, path, path, func(v any) string {
		if v == path {
			return path
		}
		return ""
	}}}}
}
