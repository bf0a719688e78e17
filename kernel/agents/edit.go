package agents

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tailscale/hujson"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// put enters a value under a path of keys, with the objects that are missing on the
// way; in a list, at the end of the one that the last key names.
func (d *document) put(keys []string, value []byte, list bool) (*document, error) {
	at, kind := &d.root, hujson.Kind('{')
	for i, key := range keys {
		next := at.Find("/" + key)
		if next == nil {
			if list {
				value = fmt.Appendf(nil, "[%s]", value)
			}
			for _, k := range slices.Backward(keys[i+1:]) {
				value = fmt.Appendf(nil, "{%q:%s}", k, value)
			}
			return d.insert(at, key, value)
		}
		if at = next; i == len(keys)-1 {
			kind = '['
		}
		if at.Value.Kind() != kind {
			return nil, memory.Errorf(memory.KindInvalid, "read settings", "%q in the file is not what is looked for there; the file is left alone", key)
		}
	}
	return d.insert(at, "", value)
}

// steps lead to a value from the root: each is a value in an object or a list.
type steps []step

type step struct{ in, item *hujson.Value }

// stepsTo returns the steps to the value under keys, or to the i-th of the list there.
func (d *document) stepsTo(keys []string, i int, list bool) (all steps) {
	at := &d.root
	for _, key := range keys {
		all = append(all, step{at, at.Find("/" + key)})
		at = all[len(all)-1].item
	}
	if list {
		all = append(all, step{at, containerOf(at).item(i)})
	}
	return all
}

// cut removes the last value and every container that holds nothing else: an event
// without hooks, hooks without events.
func (s steps) cut(d *document) (*document, error) {
	last := len(s) - 1
	for last > 0 && containerOf(s[last].in).len() == 1 {
		last--
	}
	return d.cut(s[last].in, s[last].item)
}

// insert adds an item at the end of an object or a list, laid out as the file is.
// name is its key, "" in a list; value is compact JSON.
func (d *document) insert(in *hujson.Value, name string, value []byte) (*document, error) {
	c := containerOf(in)
	n := c.len()
	// The item follows what stands last before the closing bracket, be it a comment.
	before := bytes.TrimRight(*c.before(n), " \t\r\n")
	after := (*c.before(n))[len(before):]
	if !d.compact && (n == 0 || !d.oneLine(in)) {
		outer := d.lineIndent(in.StartOffset)
		inner := outer + d.unit
		if n > 0 {
			if own := d.indent(c.start(n - 1)); own != "" {
				inner = own
			}
		} else if !bytes.Contains(after, []byte("\n")) {
			after = hujson.Extra(d.newline + outer)
		}
		before = slices.Concat(before, []byte(d.newline+inner))
		var b bytes.Buffer
		if err := json.Indent(&b, value, inner, d.unit); err != nil {
			return nil, err
		}
		value = bytes.ReplaceAll(b.Bytes(), []byte("\n"), []byte(d.newline))
		if name != "" {
			value = slices.Concat([]byte(" "), value)
		}
	}
	v, err := hujson.Parse(value)
	if err != nil {
		return nil, err
	}
	c.add(name, v)
	*c.before(n), *c.before(n + 1) = before, after
	return d.edited()
}

// cut takes an item out of an object or a list, with one comma and the white space
// before it. Comments around it stay.
func (d *document) cut(in, item *hujson.Value) (*document, error) {
	c := containerOf(in)
	i, n := 0, c.len()
	for c.item(i) != item {
		i++
	}
	end := c.before(i + 1)
	before := bytes.TrimRight(*c.before(i), " \t\r\n")
	switch {
	case i+1 < n || i == 0:
		*end = d.join(before, item.AfterExtra, *end)
	default: // the comma before it goes
		last := c.item(i - 1)
		*end = d.join(last.AfterExtra, before, *end)
		last.AfterExtra = nil
	}
	if n == 1 && len(bytes.TrimSpace(*end)) == 0 {
		*end = nil // nothing is left between the brackets
	}
	c.drop(i)
	return d.edited()
}

// join puts comments and white space together. A comment to the end of the line
// keeps a line end.
func (d *document) join(parts ...hujson.Extra) hujson.Extra {
	var all hujson.Extra
	for _, p := range parts {
		if !all.IsValid() && !bytes.HasPrefix(bytes.TrimLeft(p, " \t\r"), []byte("\n")) {
			all = append(all, d.newline...)
		}
		all = append(all, p...)
	}
	return all
}
