package agents

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

// hooks are the hooks of an agent, as a part of its settings.
type hooks struct {
	*Agent
	c Command
}

func (hooks) String() string { return "hooks" }

// command is the command of one event: only the prompt's searches.
func (h hooks) command(event string) string {
	c := h.c
	c.Recall = c.Recall && event == h.prompt
	return c.line(h.Name)
}

func (a hooks) group(event string) []byte {
	h := handler{Type: "command", Command: a.command(event), Timeout: timeoutSeconds}
	if a.millis {
		h.Timeout *= 1000
	}
	if a.named {
		h.Name = "rnixfs"
	}
	return compact(group{[]handler{h}})
}

// add enters the hooks into the text of a settings file. Text that has them
// already, as they are to be, is returned as it is.
func (h hooks) add(text []byte) ([]byte, error) {
	if done, err := h.has(text); err != nil || done {
		return text, err
	}
	text, err := h.remove(text)
	if err != nil {
		return nil, err
	}
	d, err := parse(text, h.comments)
	if err != nil {
		return nil, err
	}
	for _, event := range h.Events(h.c) {
		if d, err = d.put([]string{"hooks", event}, h.group(event), true); err != nil {
			return nil, err
		}
	}
	return d.bytes(), nil
}

// has reports whether the text has exactly these hooks.
func (h hooks) has(text []byte) (bool, error) {
	d, err := parse(text, h.comments)
	if err != nil {
		return false, err
	}
	want := map[string]string{}
	for _, event := range h.Events(h.c) {
		want[event] = h.command(event)
	}
	for _, f := range h.find(d) {
		if want[f.event] != f.command {
			return false, nil
		}
		delete(want, f.event)
	}
	return len(want) == 0, nil
}

// remove takes the hooks out of the text of a settings file, and the lists and
// objects that they leave empty. The binary need not be the one that was installed.
func (h hooks) remove(text []byte) ([]byte, error) {
	d, err := parse(text, h.comments)
	if err != nil {
		return nil, err
	}
	found := h.find(d)
	if len(found) == 0 {
		return text, nil
	}
	for ; len(found) > 0; found = h.find(d) {
		if d, err = found[0].path.cut(d); err != nil {
			return nil, err
		}
	}
	return d.bytes(), nil
}

// found is one of our hooks in a document.
type found struct {
	event, command string
	path           steps
}

// find returns the places of all our hooks.
func (h hooks) find(d *document) []found {
	hooks := d.root.Find("/hooks")
	if hooks == nil || hooks.Value.Kind() != '{' {
		return nil
	}
	var all []found
	for i := range containerOf(hooks).object.Members {
		event := &containerOf(hooks).object.Members[i]
		for _, group := range elements(&event.Value) {
			inner := group.Find("/hooks")
			for _, hook := range elements(inner) {
				if line := textOf(hook.Find("/command")); h.c.ours(line, h.Name) {
					all = append(all, found{textOf(&event.Name), line, steps{
						{&d.root, hooks}, {hooks, &event.Value}, {&event.Value, group}, {inner, hook},
					}})
				}
			}
		}
	}
	return all
}
