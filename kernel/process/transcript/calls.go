package transcript

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// calls are the calls of tools that wait for their results.
type calls struct {
	w    *writer
	open []call
}

type call struct {
	id         string // the tool's
	turn       string // ours, or ""
	name, args string
}

// maxCalls bounds the calls that wait, in a file that never gives a result.
const maxCalls = 4096

func (c *calls) wait(id, turn, name string, args json.RawMessage) {
	if len(c.open) >= maxCalls {
		c.drop()
	}
	c.open = append(c.open, call{id, turn, cmp.Or(short(name, maxName), "tool"), arguments(args)})
}

// drop counts the calls that no result came for.
func (c *calls) drop() {
	if len(c.open) > 0 {
		c.w.skipped.add(skipNoAnswer, len(c.open))
	}
	c.open = nil
}

// answer makes a turn that of a tool, with what it was asked and what it answered. A
// result without an id is that of the first call.
func (c *calls) answer(t *process.Turn, id, text string, failed bool) {
	asked := call{name: cmp.Or(t.Tool, "tool")}
	if i := slices.IndexFunc(c.open, func(o call) bool { return o.id == id || id == "" }); i >= 0 {
		asked = c.open[i]
		c.open = slices.Delete(c.open, i, i+1)
	}
	t.ID, t.Role, t.Tool, t.Failed = cmp.Or(asked.turn, t.ID), process.RoleTool, asked.name, failed
	t.Content = called(asked.name, asked.args, text)
}
