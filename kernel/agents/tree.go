package agents

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// node is one value of a settings file, with its place in the text.
type node struct {
	kind       byte // '{', '[', '"' or 0 for anything else
	start, end int  // of the text
	text       string
	keys       []key   // of an object, one for each of items
	items      []*node // of an object or a list
}

type key struct {
	name  string
	start int
}

// get returns the value of a key of an object, or nil. A key that is there twice
// has none that all programs agree on.
func (n *node) get(name string) (*node, error) {
	if n == nil {
		return nil, nil
	}
	var found *node
	for i, k := range n.keys {
		if k.name == name && found != nil {
			return nil, memory.Errorf(memory.KindInvalid, "read settings", "the file has the key %q twice; leave one", name)
		}
		if k.name == name {
			found = n.items[i]
		}
	}
	return found, nil
}

// begins is where the i-th item begins, its key included.
func (n *node) begins(i int) int {
	if n.kind == '{' {
		return n.keys[i].start
	}
	return n.items[i].start
}

// bom is the mark that some editors of other systems put before UTF-8.
var bom = []byte("\xef\xbb\xbf")

// parse reads a settings file. clean is the text with comments and a byte order
// mark as blanks, so that places in it are places in the text.
func parse(text []byte, comments bool) (root *node, clean []byte, err error) {
	clean = blank(text)
	if !comments && !bytes.Equal(clean, blankMark(text)) {
		if json.Valid(clean) {
			return nil, nil, memory.Errorf(memory.KindInvalid, "read settings", "the file has comments, which this agent's settings do not take; remove them, or enter the hooks by hand")
		}
		clean = blankMark(text)
	}
	var whole json.RawMessage
	if err := json.Unmarshal(clean, &whole); err != nil {
		return nil, nil, unreadable(text, err)
	}
	p := parser{clean: clean}
	root, err = p.value(0)
	if err != nil {
		return nil, nil, err
	}
	if root.kind != '{' {
		return nil, nil, memory.Errorf(memory.KindInvalid, "read settings", "the file does not hold an object")
	}
	return root, clean, nil
}

func unreadable(text []byte, err error) error {
	var syntax *json.SyntaxError
	at := int64(len(text))
	if errors.As(err, &syntax) {
		at = min(max(syntax.Offset-1, 0), at)
	}
	before := text[:at]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len(before) - bytes.LastIndexByte(before, '\n')
	return memory.Errorf(memory.KindInvalid, "read settings", "%d:%d: the file is not valid JSON, so it is left alone; mend it, or enter the hooks by hand", line, column)
}

func blankMark(text []byte) []byte {
	out := bytes.Clone(text)
	if bytes.HasPrefix(out, bom) {
		copy(out, "   ")
	}
	return out
}

// blank replaces comments by blanks, line ends excepted.
func blank(text []byte) []byte {
	out := blankMark(text)
	for i := 0; i < len(out); i++ {
		switch {
		case out[i] == '"':
			for i++; i < len(out) && out[i] != '"'; i++ {
				if out[i] == '\\' {
					i++
				}
			}
		case bytes.HasPrefix(out[i:], []byte("//")):
			for ; i < len(out) && out[i] != '\n' && out[i] != '\r'; i++ {
				out[i] = ' '
			}
		case bytes.HasPrefix(out[i:], []byte("/*")):
			end := bytes.Index(out[i+2:], []byte("*/"))
			if end < 0 {
				return out // not closed: not valid
			}
			for last := i + 2 + end + 2; i < last; i++ {
				if out[i] != '\n' && out[i] != '\r' {
					out[i] = ' '
				}
			}
			i--
		}
	}
	return out
}

// maxDepth bounds the nesting of a settings file.
const maxDepth = 500

// parser makes nodes of a text that is known to be valid JSON.
type parser struct {
	clean []byte
	at    int
}

func (p *parser) value(depth int) (*node, error) {
	p.space()
	n := &node{start: p.at}
	switch c := p.clean[p.at]; {
	case depth > maxDepth:
		return nil, memory.Errorf(memory.KindInvalid, "read settings", "the file is nested too deeply")
	case c == '{' || c == '[':
		n.kind = c
		return n, p.items(n, depth)
	case c == '"':
		n.kind = c
		n.text = p.string()
	default:
		for p.at < len(p.clean) && bytes.IndexByte([]byte(",]} \t\r\n"), p.clean[p.at]) < 0 {
			p.at++
		}
	}
	n.end = p.at
	return n, nil
}

// items reads what is between the brackets of n.
func (p *parser) items(n *node, depth int) error {
	p.at++
	for p.space(); p.clean[p.at] != '}' && p.clean[p.at] != ']'; p.space() {
		if p.clean[p.at] == ',' {
			p.at++
			p.space()
		}
		if n.kind == '{' {
			k := key{start: p.at}
			k.name = p.string()
			n.keys = append(n.keys, k)
			p.space()
			p.at++ // the colon
		}
		item, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		n.items = append(n.items, item)
	}
	p.at++
	n.end = p.at
	return nil
}

func (p *parser) string() string {
	start := p.at
	for p.at++; p.clean[p.at] != '"'; p.at++ {
		if p.clean[p.at] == '\\' {
			p.at++
		}
	}
	p.at++
	var s string
	_ = json.Unmarshal(p.clean[start:p.at], &s) // valid: all of the text is
	return s
}

func (p *parser) space() {
	for p.at < len(p.clean) && isSpace(p.clean[p.at]) {
		p.at++
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
