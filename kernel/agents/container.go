package agents

import (
	"slices"

	"github.com/tailscale/hujson"
)

// container is an object or a list; any other value has no items.
type container struct {
	object *hujson.Object
	list   *hujson.Array
}

func containerOf(v *hujson.Value) (c container) {
	c.object, _ = v.Value.(*hujson.Object)
	c.list, _ = v.Value.(*hujson.Array)
	return c
}

func (c container) len() int {
	switch {
	case c.object != nil:
		return len(c.object.Members)
	case c.list != nil:
		return len(c.list.Elements)
	}
	return 0
}

// item returns the i-th value.
func (c container) item(i int) *hujson.Value {
	if c.object != nil {
		return &c.object.Members[i].Value
	}
	return &c.list.Elements[i]
}

// start is where the i-th item begins, its key included.
func (c container) start(i int) int {
	if c.object != nil {
		return c.object.Members[i].Name.StartOffset
	}
	return c.list.Elements[i].StartOffset
}

// before is what stands before the i-th item or, after the last, before the
// closing bracket.
func (c container) before(i int) *hujson.Extra {
	switch {
	case c.object != nil && i < len(c.object.Members):
		return &c.object.Members[i].Name.BeforeExtra
	case c.object != nil:
		return &c.object.AfterExtra
	case i < len(c.list.Elements):
		return &c.list.Elements[i].BeforeExtra
	}
	return &c.list.AfterExtra
}

// add appends an item; name is its key, of no meaning in a list.
func (c container) add(name string, v hujson.Value) {
	if c.object != nil {
		c.object.Members = append(c.object.Members, hujson.ObjectMember{Name: hujson.Value{Value: hujson.String(name)}, Value: v})
	} else {
		c.list.Elements = append(c.list.Elements, v)
	}
}

// drop removes the i-th item.
func (c container) drop(i int) {
	if c.object != nil {
		c.object.Members = slices.Delete(c.object.Members, i, i+1)
	} else {
		c.list.Elements = slices.Delete(c.list.Elements, i, i+1)
	}
}
