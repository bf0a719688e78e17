package agents

import (
	"bytes"
	"encoding/json"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// timeoutSeconds bounds a hook. Handing over takes milliseconds; what is shown to
// a session that starts may have to wait for a store to open. A bound of its own
// also raises the 1.5 s that Claude Code gives all hooks of SessionEnd together.
const timeoutSeconds = 10

// handler is one hook, as all three agents have it.
type handler struct {
	Name    string `json:"name,omitempty"`
	Type    string `json:"type"`
	Command string `json:"command"`
	Timeout int    `json:"timeout"`
}

type group struct {
	Hooks []handler `json:"hooks"`
}

// Events returns the events that c is installed for.
func (a *Agent) Events(c Command) []string {
	if c.Recall {
		return append([]string{a.prompt}, a.install...)
	}
	return a.install
}

// command is the command of one event: only the prompt's searches.
func (a *Agent) command(c Command, event string) string {
	c.Recall = c.Recall && event == a.prompt
	return c.line(a.Name)
}

func (a *Agent) group(c Command, event string) ([]byte, error) {
	h := handler{Type: "command", Command: a.command(c, event), Timeout: timeoutSeconds}
	if a.millis {
		h.Timeout *= 1000
	}
	if a.named {
		h.Name = "rnixfs"
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(group{[]handler{h}})
	return bytes.TrimSpace(b.Bytes()), err
}

// Add enters the hooks into the text of a settings file. Text that has them
// already, as they are to be, is returned as it is.
func (a *Agent) Add(text []byte, c Command) ([]byte, error) {
	if done, err := a.installed(text, c); err != nil || done {
		return text, err
	}
	text, err := a.Remove(text, c)
	if err != nil {
		return nil, err
	}
	d, err := open(text, a.comments)
	if err != nil {
		return nil, err
	}
	for _, event := range a.Events(c) {
		if d, err = a.addEvent(d, c, event); err != nil {
			return nil, err
		}
	}
	return d.text, nil
}

func (a *Agent) addEvent(d *document, c Command, event string) (*document, error) {
	entry, err := a.group(c, event)
	if err != nil {
		return nil, err
	}
	hooks, err := child(d.root, "hooks", '{')
	if err != nil {
		return nil, err
	}
	if hooks == nil {
		name, err := json.Marshal(event)
		if err != nil {
			return nil, err
		}
		value := append(append(append([]byte("{"), name...), ":["...), entry...)
		return d.insert(d.root, "hooks", append(value, "]}"...))
	}
	list, err := child(hooks, event, '[')
	if err != nil {
		return nil, err
	}
	if list == nil {
		return d.insert(hooks, event, append(append([]byte("["), entry...), ']'))
	}
	return d.insert(list, "", entry)
}

// child returns the value of a key, which must be of the kind, or nil.
func child(of *node, name string, kind byte) (*node, error) {
	n, err := of.get(name)
	if n != nil && n.kind != kind {
		return nil, memory.Errorf(memory.KindInvalid, "read settings", "%q in the file is not what hooks are; the file is left alone", name)
	}
	return n, err
}

// installed reports whether the text has exactly the hooks of c.
func (a *Agent) installed(text []byte, c Command) (bool, error) {
	d, err := open(text, a.comments)
	if err != nil {
		return false, err
	}
	found, err := a.find(d, c)
	if err != nil {
		return false, err
	}
	want := map[string]string{}
	for _, event := range a.Events(c) {
		want[event] = a.command(c, event)
	}
	for _, f := range found {
		if want[f.event] != f.command {
			return false, nil
		}
		delete(want, f.event)
	}
	return len(want) == 0, nil
}

// Remove takes the hooks out of the text of a settings file, and the lists and
// objects that they leave empty. The binary of c need not be the one that was
// installed.
func (a *Agent) Remove(text []byte, c Command) ([]byte, error) {
	d, err := open(text, a.comments)
	if err != nil {
		return nil, err
	}
	for changed := false; ; changed = true {
		found, err := a.find(d, c)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 && !changed {
			return text, nil
		}
		if len(found) == 0 {
			return d.text, nil
		}
		if d, err = found[0].cut(d); err != nil {
			return nil, err
		}
	}
}

// place is one of our hooks in a document: from the root to it, each step a
// container and the item's number in it.
type place struct {
	event, command string
	path           []step
}

type step struct {
	in *node
	i  int
}

// cut removes the hook and every container that holds nothing else: a group
// without hooks, an event without groups.
func (p place) cut(d *document) (*document, error) {
	last := len(p.path) - 1
	for last > 0 && len(p.path[last].in.items) == 1 {
		last--
	}
	return d.cut(p.path[last].in, p.path[last].i)
}

// find returns the places of all our hooks.
func (a *Agent) find(d *document, c Command) ([]place, error) {
	hooks, err := d.root.get("hooks")
	if hooks == nil || hooks.kind != '{' || err != nil {
		return nil, err
	}
	var found []place
	for e, list := range hooks.items {
		for g, one := range list.items {
			inner, err := one.get("hooks")
			if err != nil {
				return nil, err
			}
			if list.kind != '[' || inner == nil || inner.kind != '[' {
				continue
			}
			for h, hook := range inner.items {
				command, err := hook.get("command")
				if err != nil {
					return nil, err
				}
				if command != nil && c.ours(command.text, a.Name) {
					found = append(found, place{hooks.keys[e].name, command.text, []step{
						{d.root, indexOf(d.root, hooks)}, {hooks, e}, {list, g}, {inner, h},
					}})
				}
			}
		}
	}
	return found, nil
}

func indexOf(in, item *node) int {
	for i, n := range in.items {
		if n == item {
			return i
		}
	}
	return -1
}
