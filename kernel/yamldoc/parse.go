package yamldoc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// The bounds of a document.
const (
	MaxBytes = 1 << 20
	MaxDepth = 32
	MaxNodes = 100_000
)

// Kind is what a document is at its top.
type Kind uint8

// The kinds of documents.
const (
	Empty Kind = iota // nothing, comments only, or null
	Mapping
	Sequence
	Scalar
)

// Document is a parsed document.
type Document struct {
	root   *yaml.Node // nil when empty
	places map[string][2]int
	nodes  int
	faults []Problem
}

// Parse reads one document. With problems the document is still usable as far
// as it was read, and never nil; a syntax error leaves it empty.
func Parse(data []byte) (doc *Document, problems []Problem) {
	doc = &Document{places: map[string][2]int{}}
	if len(data) > MaxBytes {
		return doc, []Problem{{Reason: fmt.Sprintf("the document is larger than %d bytes", MaxBytes)}}
	}
	if !utf8.Valid(data) {
		return doc, []Problem{{Line: lineOfInvalid(data), Reason: "not valid UTF-8"}}
	}
	root, ps := compose(data)
	if len(ps) > 0 {
		return doc, ps
	}
	if root != nil && !isNull(root) {
		doc.root = root
		doc.inspect(root, "", 0)
	}
	return doc, sorted(doc.faults)
}

// Kind says what the document is.
func (d *Document) Kind() Kind {
	switch {
	case d.root == nil:
		return Empty
	case d.root.Kind == yaml.MappingNode:
		return Mapping
	case d.root.Kind == yaml.SequenceNode:
		return Sequence
	}
	return Scalar
}

// Has reports whether the document gives a value, null or not, at the path.
func (d *Document) Has(path string) bool {
	_, ok := d.places[path]
	return ok
}

// At makes a problem about the value at the path, with its place if the
// document has one there.
func (d *Document) At(path, format string, args ...any) Problem {
	at := d.places[path]
	return Problem{Line: at[0], Column: at[1], Path: path, Reason: fmt.Sprintf(format, args...)}
}

// compose is the parser of yaml.v3 with its panics and errors made problems. An
// unknown panic of a parser on hostile input must not take the kernel down.
func compose(data []byte) (root *yaml.Node, problems []Problem) {
	defer func() {
		if recover() != nil {
			root, problems = nil, []Problem{{Reason: "the document can't be parsed"}}
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var n yaml.Node
	switch err := dec.Decode(&n); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, []Problem{syntaxProblem(err, data)}
	}
	var next yaml.Node
	if err := dec.Decode(&next); !errors.Is(err, io.EOF) {
		if err != nil {
			return nil, []Problem{syntaxProblem(err, data)}
		}
		return nil, []Problem{{Line: next.Line, Column: next.Column, Reason: "more than one document"}}
	}
	if n.Kind == yaml.DocumentNode && len(n.Content) > 0 {
		return n.Content[0], nil
	}
	return nil, nil
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// syntaxProblem takes the line out of an error text of yaml.v3, which has no
// other way to say it ("yaml: line 3: did not find expected key").
func syntaxProblem(err error, data []byte) Problem {
	text := err.Error()
	m := yamlLine.FindStringSubmatch(text)
	p := Problem{Reason: strings.TrimSpace(text)}
	if m != nil {
		p.Reason = strings.TrimSpace(text[len(m[0]):])
		p.Line, _ = strconv.Atoi(m[1])
	}
	if p.Line > 0 && ofParser(p.Reason) {
		p.Line = parserLine(p, data)
	}
	if strings.Contains(p.Reason, "`") || strings.Contains(p.Reason, "'") && !strings.Contains(p.Reason, "expected") {
		p.Reason = "syntax error" // it may quote a value
	}
	return p
}

// ofParser tells the errors of yaml.v3's parser from those of its scanner: only the
// scanner's count lines from 1 (decode.go and parserc.go of v3.0.1).
func ofParser(reason string) bool {
	switch reason {
	case "did not find expected key", "did not find expected '-' indicator", "did not find expected node content",
		"did not find expected <document start>", "found undefined tag handle":
		return true
	}
	return strings.HasPrefix(reason, openFlow)
}

const openFlow = "did not find expected ',' or "

// parserLine is the line of a parser's error. yaml.v3 tells where the list or map
// begins that the error is in, unless that is the first line: then where it ends.
// An open [ or { is best told by its beginning, the others by their end.
func parserLine(p Problem, data []byte) int {
	body, above := bytes.TrimLeft(data, "\n"), 0
	if strings.HasPrefix(p.Reason, openFlow) {
		body, above = append([]byte("\n"), body...), -1
	}
	above += bytes.Count(data, []byte("\n")) - bytes.Count(bytes.TrimLeft(data, "\n"), []byte("\n"))
	line := p.Line + 1
	var n yaml.Node
	if err := yaml.Unmarshal(body, &n); err != nil {
		if m := yamlLine.FindStringSubmatch(err.Error()); m != nil && m[1] != "" {
			from0, _ := strconv.Atoi(m[1])
			line = from0 + 1 + above
		}
	}
	return min(line, bytes.Count(bytes.TrimRight(data, "\r\n"), []byte("\n"))+1)
}

// inspect refuses what is outside the subset and notes each value's place.
func (d *Document) inspect(n *yaml.Node, path string, depth int) {
	d.nodes++
	if d.nodes > MaxNodes {
		if d.nodes == MaxNodes+1 {
			d.fault(n, path, "more than %d values", MaxNodes)
		}
		return
	}
	d.places[path] = [2]int{n.Line, n.Column}
	if depth > MaxDepth {
		d.fault(n, path, "nested deeper than %d levels", MaxDepth)
		return
	}
	switch {
	case n.Kind == yaml.AliasNode:
		d.fault(n, path, "aliases are not supported")
		return
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
	d.faults = append(d.faults, Problem{Line: n.Line, Column: n.Column, Path: path, Reason: fmt.Sprintf(format, args...)})
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

func lineOfInvalid(data []byte) int {
	line := 1
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r == utf8.RuneError && size == 1 {
			return line
		}
		if r == '\n' {
			line++
		}
		data = data[size:]
	}
	return line
}
