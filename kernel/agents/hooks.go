package agents

import (
	"maps"
	"slices"
	"strings"
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

// hooked is the hooks of an agent: one for each event that c is installed for, and none
// for the others.
func (a *Agent) hooked(c Command) part {
	p := part{name: "hooks", at: a.hooks, comments: a.comments}
	wanted := a.install
	if c.Recall && a.Recalls() {
		wanted = append([]string{a.prompt}, wanted...)
	}
	for _, event := range slices.Sorted(maps.Keys(a.events)) {
		if !slices.Contains(wanted, event) {
			p.values = append(p.values, a.hook(c, event, false))
		}
	}
	for _, event := range wanted {
		p.values = append(p.values, a.hook(c, event, true))
	}
	return p
}

func (a *Agent) hook(c Command, event string, wanted bool) value {
	c.Recall = c.Recall && event == a.prompt // only the prompt's searches
	v, said := value{keys: []string{"hooks", event}, list: true}, ""
	if a.bare {
		v.keys[0], said = "rnixfs", " "+event
	}
	v.is = c.line(a.Name) + said
	v.id = func(hook any) string {
		if all, _ := under(hook, "hooks").([]any); len(all) == 1 && !a.bare {
			hook = all[0]
		}
		if line, ok := strings.CutSuffix(commandOf(hook), said); ok && c.ours(line, a.Name) {
			return line + said
		}
		return ""
	}
	h := handler{Type: "command", Command: v.is, Timeout: timeoutSeconds}
	if a.millis {
		h.Timeout *= 1000
	}
	if a.named {
		h.Name = "rnixfs"
	}
	switch {
	case wanted && a.bare:
		v.want = h
	case wanted:
		v.want = group{[]handler{h}}
	}
	return v
}
