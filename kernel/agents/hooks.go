package agents

import (
	"bytes"
	"fmt"

	"github.com/tailscale/hujson"

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
	text, err := encode(group{[]handler{h}})
	return bytes.TrimSpace(text), err
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
	d, err := parse(text, a.comments)
	if err != nil {
		return nil, err
	}
	for _, event := range a.Events(c) {
		if d, err = a.addEvent(d, c, event); err != nil {
			return nil, err
		}
	}
	return d.bytes(), nil
}

func (a *Agent) addEvent(d *document, c Command, event string) (*document, error) {
	entry, err := a.group(c, event)
	if err != nil {
		return nil, err
	}
	hooks, list := d.root.Find("/hooks"), d.root.Find("/hooks/"+event)
	switch {
	case hooks == nil:
		return d.insert(&d.root, "hooks", fmt.Appendf(nil, "{%q:[%s]}", event, entry))
	case hooks.Value.Kind() != '{':
		return nil, notHooks("hooks")
	case list == nil:
		return d.insert(hooks, event, fmt.Appendf(nil, "[%s]", entry))
	case list.Value.Kind() != '[':
		return nil, notHooks(event)
	}
	return d.insert(list, "", entry)
}

func notHooks(name string) error {
	return memory.Errorf(memory.KindInvalid, "read settings", "%q in the file is not what hooks are; the file is left alone", name)
}

// installed reports whether the text has exactly the hooks of c.
func (a *Agent) installed(text []byte, c Command) (bool, error) {
	d, err := parse(text, a.comments)
	if err != nil {
		return false, err
	}
	want := map[string]string{}
	for _, event := range a.Events(c) {
		want[event] = a.command(c, event)
	}
	for _, f := range a.find(d, c) {
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
	d, err := parse(text, a.comments)
	if err != nil {
		return nil, err
	}
	found := a.find(d, c)
	if len(found) == 0 {
		return text, nil
	}
	for ; len(found) > 0; found = a.find(d, c) {
		if d, err = found[0].cut(d); err != nil {
			return nil, err
		}
	}
	return d.bytes(), nil
}

// place is one of our hooks in a document. The steps lead to it from the root.
type place struct {
	event, command string
	path           []step
}

// step is a value in an object or a list.
type step struct{ in, item *hujson.Value }

// cut removes the hook and every container that holds nothing else: a group
// without hooks, an event without groups.
func (p place) cut(d *document) (*document, error) {
	last := len(p.path) - 1
	for last > 0 && containerOf(p.path[last].in).len() == 1 {
		last--
	}
	return d.cut(p.path[last].in, p.path[last].item)
}

// find returns the places of all our hooks.
func (a *Agent) find(d *document, c Command) []place {
	hooks := d.root.Find("/hooks")
	if hooks == nil || hooks.Value.Kind() != '{' {
		return nil
	}
	var found []place
	for i := range containerOf(hooks).object.Members {
		event := &containerOf(hooks).object.Members[i]
		for _, group := range elements(&event.Value) {
			inner := group.Find("/hooks")
			for _, hook := range elements(inner) {
				if line := textOf(hook.Find("/command")); c.ours(line, a.Name) {
					found = append(found, place{textOf(&event.Name), line, []step{
						{&d.root, hooks}, {hooks, &event.Value}, {&event.Value, group}, {inner, hook},
					}})
				}
			}
		}
	}
	return found
}

// elements returns the values of a list, none of anything else.
func elements(v *hujson.Value) (all []*hujson.Value) {
	if v != nil && v.Value.Kind() == '[' {
		for i := range containerOf(v).len() {
			all = append(all, containerOf(v).item(i))
		}
	}
	return all
}
