package agents

import (
	"bytes"
	"fmt"

	"github.com/tailscale/hujson"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// The bounds of a settings file: of its bytes, and of what its parser nests.
const (
	maxSettings = 8 << 20
	maxBrackets = 100_000
	maxDepth    = 500
)

// bom is the mark that some editors of other systems put before UTF-8.
var bom = []byte("\xef\xbb\xbf")

// document is a settings file while it is edited: its text without the byte order
// mark, and its values with their places in it. Each edit makes a new one.
type document struct {
	text     []byte
	root     hujson.Value
	commas   bool // one may stand before a closing bracket
	comments bool
	marked   bool
	open     bool // the text does not end with a line end
	unit     string
	newline  string
	compact  bool // the whole file is on one line
}

// parse reads a settings file. No text at all stands for an empty object.
func parse(text []byte, comments, commas bool) (*document, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	d := &document{comments: comments, commas: commas, unit: "  ", newline: "\n"}
	d.text, d.marked = bytes.CutPrefix(text, bom)
	d.open = !bytes.HasSuffix(text, []byte("\n"))
	if err := d.read(); err != nil {
		return nil, err
	}
	first, _, more := bytes.Cut(d.text, []byte("\n"))
	if more && bytes.HasSuffix(first, []byte("\r")) {
		d.newline = "\r\n"
	}
	if c := containerOf(&d.root); c.len() > 0 {
		d.compact = d.oneLine(&d.root)
		if own := d.indent(c.start(0)); own != "" {
			d.unit = own
		}
	}
	return d, nil
}

// read parses the text and refuses what the agents don't read.
func (d *document) read() error {
	if bytes.Count(d.text, []byte("{"))+bytes.Count(d.text, []byte("[")) > maxBrackets {
		return memory.Errorf(memory.KindInvalid, "read settings", "the file is nested too deeply")
	}
	text := bytes.Clone(d.text)
	if d.open { // for a comment on the last line
		text = append(text, '\n')
	}
	var err error
	if d.root, err = hujson.Parse(text); err != nil {
		var line, column int
		_, _ = fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &line, &column) // its error quotes values
		return d.unreadable(line, column)
	}
	if err := d.check(&d.root, 0); err != nil {
		return err
	}
	switch {
	case !d.comments && !d.root.IsStandard():
		return memory.Errorf(memory.KindInvalid, "read settings", "the file has comments, which this agent's settings do not take; remove them, or enter the lines by hand")
	case d.root.Value.Kind() != '{':
		return memory.Errorf(memory.KindInvalid, "read settings", "the file does not hold an object")
	}
	return nil
}

// check refuses commas before closing brackets, which hujson reads and most agents
// don't, keys that are there twice, whose value not all programs agree on, and values
// that are nested too deeply.
func (d *document) check(v *hujson.Value, depth int) error {
	if depth > maxDepth {
		return memory.Errorf(memory.KindInvalid, "read settings", "the file is nested too deeply")
	}
	c := containerOf(v)
	seen := map[string]bool{}
	for i := range c.len() {
		if c.object != nil {
			name := textOf(&c.object.Members[i].Name)
			if seen[name] {
				return memory.Errorf(memory.KindInvalid, "read settings", "the file has the key %q twice; leave one", name)
			}
			seen[name] = true
		}
		if err := d.check(c.item(i), depth+1); err != nil {
			return err
		}
	}
	if n := c.len(); !d.commas && n > 0 && c.item(n-1).AfterExtra != nil {
		before := d.text[:v.EndOffset-1]
		return memory.Errorf(memory.KindInvalid, "read settings", "%d:%d: a comma before %c, which the agent may not read; take it out, or enter the lines by hand",
			bytes.Count(before, []byte("\n"))+1, len(before)-bytes.LastIndexByte(before, '\n'), d.text[v.EndOffset-1])
	}
	return nil
}

// unreadable names a place in the text, or the end of it.
func (d *document) unreadable(line, column int) error {
	lines := bytes.Split(d.text, []byte("\n"))
	if line > len(lines) {
		line, column = len(lines), maxSettings
	}
	column = max(min(column, len(lines[line-1])), 1)
	return memory.Errorf(memory.KindInvalid, "read settings", "%d:%d: the file is not valid JSON, so it is left alone; mend it, or enter the lines by hand", line, column)
}

// edited is the document that the values make now.
func (d *document) edited() (*document, error) { return parse(d.bytes(), d.comments, d.commas) }

// bytes is the file as the values make it.
func (d *document) bytes() []byte {
	text := d.root.Pack()
	if d.open {
		text = bytes.TrimSuffix(text, []byte("\n"))
	}
	if d.marked {
		text = append(bytes.Clone(bom), text...)
	}
	return text
}

func (d *document) oneLine(v *hujson.Value) bool {
	return !bytes.Contains(d.text[v.StartOffset:v.EndOffset], []byte("\n"))
}

// lineIndent is the white space at the beginning of the line of a place.
func (d *document) lineIndent(at int) string {
	rest := d.text[bytes.LastIndexByte(d.text[:at], '\n')+1 : at]
	return string(rest[:len(rest)-len(bytes.TrimLeft(rest, " \t"))])
}

// indent is the white space before what begins at the place, if that is the first
// thing on its line and not in the first line; "" otherwise.
func (d *document) indent(at int) string {
	line := bytes.LastIndexByte(d.text[:at], '\n') + 1
	if own := d.lineIndent(at); line > 0 && line+len(own) == at {
		return own
	}
	return ""
}

// textOf returns a string's value, and any other literal as it is written.
func textOf(v *hujson.Value) string {
	if v == nil {
		return ""
	}
	l, _ := v.Value.(hujson.Literal)
	return l.String()
}
