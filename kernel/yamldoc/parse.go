package yamldoc

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// The bounds of a document.
const (
	MaxBytes = 1 << 20
	MaxDepth = 32
	MaxNodes = 100_000
)

// Document is a parsed document.
type Document struct {
	root   *yaml.Node            // nil when empty
	values map[string]*yaml.Node // by path
	nodes  int
	faults []Problem
}

// Parse reads one document. With problems the document is still usable as far
// as it was read, and never nil; a syntax error leaves it empty.
func Parse(data []byte) (doc *Document, problems []Problem) {
	doc = &Document{values: map[string]*yaml.Node{}}
	if len(data) > MaxBytes {
		return doc, []Problem{{Reason: fmt.Sprintf("the document is larger than %d bytes", MaxBytes)}}
	}
	if !utf8.Valid(data) {
		return doc, []Problem{{Line: lineOfInvalid(data), Reason: "not valid UTF-8"}}
	}
	root, problems := compose(data)
	if root != nil && !isNull(root) {
		doc.root = root
		doc.inspect(root, "", 0)
	}
	return doc, Sorted(append(problems, doc.faults...))
}

// Empty reports whether the document is nothing, comments only, or null.
func (d *Document) Empty() bool { return d.root == nil }

// Mapping reports whether the document is a mapping.
func (d *Document) Mapping() bool { return !d.Empty() && d.root.Kind == yaml.MappingNode }

// Has reports whether the document gives a value, null or not, at the path.
func (d *Document) Has(path string) bool { return d.values[path] != nil }

// Null reports whether the document has the path, and no value there.
func (d *Document) Null(path string) bool { return d.Has(path) && isNull(d.values[path]) }

// At makes a problem about the value at the path, with its place if the
// document has one there.
func (d *Document) At(path, format string, args ...any) Problem {
	p := Problem{Path: shown(path), Reason: fmt.Sprintf(format, args...)}
	if n := d.values[path]; n != nil {
		p.Line, p.Column = n.Line, n.Column
	}
	return p
}

// inspect refuses what is outside the subset and notes the values by their paths.
func (d *Document) inspect(n *yaml.Node, path string, depth int) {
	d.nodes++
	switch {
	case d.nodes == MaxNodes+1:
		d.fault(n, path, "more than %d values", MaxNodes)
		return
	case d.nodes > MaxNodes:
		return
	}
	d.values[path] = n
	switch {
	case depth > MaxDepth:
		d.fault(n, path, "nested deeper than %d levels", MaxDepth)
		return
	case n.Kind == yaml.AliasNode:
		d.fault(n, path, "aliases are not supported")
	case n.Anchor != "":
		d.fault(n, path, "anchors are not supported")
	case n.Style&yaml.TaggedStyle != 0:
		d.fault(n, path, "tags are not supported")
	}
	switch n.Kind {
	case yaml.SequenceNode:
		for i, c := range n.Content {
			d.inspect(c, path+"["+strconv.Itoa(i)+"]", depth+1)
		}
	case yaml.MappingNode:
		d.inspectMapping(n, path, depth)
	}
}

func (d *Document) inspectMapping(n *yaml.Node, path string, depth int) {
	seen := make(map[string]int, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		at := join(path, k.Value)
		switch {
		case k.Kind != yaml.ScalarNode:
			d.fault(k, path, "a key must be a word")
			continue
		case k.Tag == "!!merge":
			d.fault(k, at, "merge keys are not supported")
			continue
		case k.Anchor != "" || k.Style&yaml.TaggedStyle != 0:
			d.fault(k, at, "anchors and tags are not supported")
		}
		if line, twice := seen[k.Value]; twice {
			d.fault(k, at, "given twice, first in line %d", line)
			continue
		}
		seen[k.Value] = k.Line
		d.inspect(n.Content[i+1], at, depth+1)
	}
}

func (d *Document) fault(n *yaml.Node, path, format string, args ...any) {
	d.faults = append(d.faults, Problem{Line: n.Line, Column: n.Column, Path: shown(path), Reason: fmt.Sprintf(format, args...)})
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func isNull(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Tag == "!!null"
}
