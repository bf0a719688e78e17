package agents

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/tailscale/hujson"
)

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
