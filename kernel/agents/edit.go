package agents

import (
	"bytes"
	"encoding/json"
)

// document is a settings file while it is edited: text and the places of its
// values. Each edit makes a new one.
type document struct {
	text     []byte
	clean    []byte // text without comments, of the same length
	root     *node
	comments bool
	unit     string // of indentation
	newline  string
	compact  bool // the whole file is on one line
}

// open reads a settings file. No text at all stands for an empty object.
func open(text []byte, comments bool) (*document, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	d := &document{text: text, comments: comments, unit: "  ", newline: "\n"}
	var err error
	if d.root, d.clean, err = parse(text, comments); err != nil {
		return nil, err
	}
	first, _, more := bytes.Cut(text, []byte("\n"))
	if more && bytes.HasSuffix(first, []byte("\r")) {
		d.newline = "\r\n"
	}
	d.compact = len(d.root.items) > 0 && !bytes.Contains(text[d.root.start:d.root.end], []byte("\n"))
	if len(d.root.items) > 0 {
		if in := d.indent(d.root.begins(0)); in != "" {
			d.unit = in
		}
	}
	return d, nil
}

// indent is the white space before what begins at the place, if that is the first
// thing on its line; "" otherwise.
func (d *document) indent(at int) string {
	line := bytes.LastIndexByte(d.text[:at], '\n') + 1
	if space := d.text[line:at]; line > 0 && len(bytes.Trim(space, " \t")) == 0 {
		return string(space)
	}
	return ""
}

// lineIndent is the white space at the beginning of the line of a place.
func (d *document) lineIndent(at int) string {
	line := bytes.LastIndexByte(d.text[:at], '\n') + 1
	rest := d.text[line:at]
	return string(rest[:len(rest)-len(bytes.TrimLeft(rest, " \t"))])
}

// insert adds an item at the end of an object or a list. name is its key, "" in a
// list; value is compact JSON.
func (d *document) insert(in *node, name string, value []byte) (*document, error) {
	item := value
	if name != "" {
		quoted, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		item = append(append(quoted, ':'), value...)
	}
	last := len(in.items) - 1
	inside := d.text[in.start:in.end]
	oneLine := d.compact || last >= 0 && !bytes.Contains(inside, []byte("\n"))
	// What stands last before the closing bracket, be it a comment.
	at := in.start + len(bytes.TrimRight(d.text[in.start:in.end-1], " \t\r\n"))
	var b bytes.Buffer
	if last >= 0 {
		b.Write(d.text[:in.items[last].end])
		b.WriteByte(',')
		b.Write(d.text[in.items[last].end:at])
	} else {
		b.Write(d.text[:at])
	}
	rest := d.text[at:]
	if oneLine {
		b.Write(item)
	} else {
		outer := d.lineIndent(in.start)
		inner := outer + d.unit
		if last >= 0 {
			if own := d.indent(in.begins(last)); own != "" {
				inner = own
			}
		}
		b.WriteString(d.newline + inner)
		if err := d.write(&b, name, value, inner); err != nil {
			return nil, err
		}
		if last < 0 && !bytes.Contains(d.text[at:in.end], []byte("\n")) {
			b.WriteString(d.newline + outer)
			rest = d.text[in.end-1:]
		}
	}
	b.Write(rest)
	return open(b.Bytes(), d.comments)
}

// write lays out an item over several lines, as the file is laid out.
func (d *document) write(b *bytes.Buffer, name string, value []byte, indent string) error {
	var out bytes.Buffer
	if name != "" {
		quoted, err := json.Marshal(name)
		if err != nil {
			return err
		}
		out.Write(append(quoted, ": "...))
	}
	if err := json.Indent(&out, value, indent, d.unit); err != nil {
		return err
	}
	b.Write(bytes.ReplaceAll(out.Bytes(), []byte("\n"), []byte(d.newline)))
	return nil
}

// cut takes the i-th item out of an object or a list, with one comma and the
// white space before it.
func (d *document) cut(in *node, i int) (*document, error) {
	begin, end := in.begins(i), in.items[i].end
	begin = len(bytes.TrimRight(d.text[:begin], " \t\r\n"))
	var b bytes.Buffer
	switch {
	case i+1 < len(in.items): // the comma after it
		comma := end + bytes.IndexByte(d.clean[end:in.end], ',')
		b.Write(d.text[:begin])
		b.Write(d.text[end:comma])
		end = comma + 1
	case i > 0: // the comma before it
		before := in.items[i-1].end
		comma := before + bytes.IndexByte(d.clean[before:begin], ',')
		b.Write(d.text[:comma])
		b.Write(d.text[comma+1 : begin])
	default:
		b.Write(d.text[:begin])
		if rest := d.text[end : in.end-1]; begin == in.start+1 && len(bytes.TrimSpace(rest)) == 0 {
			end = in.end - 1 // nothing is left between the brackets
		}
	}
	if d.inComment(begin) && !bytes.HasPrefix(d.text[end:], []byte("\n")) && !bytes.HasPrefix(d.text[end:], []byte("\r")) {
		b.WriteString(d.newline) // or the comment would go on
	}
	b.Write(d.text[end:])
	return open(b.Bytes(), d.comments)
}

// inComment reports whether a comment ends before the place, with its line.
func (d *document) inComment(at int) bool {
	return at > 0 && isSpace(d.clean[at-1]) && !isSpace(d.text[at-1]) && !bytes.HasSuffix(d.text[:at], []byte("*/"))
}
