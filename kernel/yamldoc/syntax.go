package yamldoc

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// compose parses data and returns the top of its only document, nil if it has none.
func compose(data []byte) (*yaml.Node, []Problem) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	doc, err := next(dec)
	if err == nil && doc != nil {
		var more *yaml.Node
		if more, err = next(dec); more != nil {
			return nil, []Problem{{Line: more.Line, Column: more.Column, Reason: "more than one document"}}
		}
	}
	switch {
	case err != nil:
		return nil, []Problem{syntaxProblem(err, data)}
	case doc == nil || len(doc.Content) == 0:
		return nil, nil
	}
	return doc.Content[0], nil
}

// next returns the next document, nil at the end. A panic of the parser on hostile
// input must not take the program down.
func next(dec *yaml.Decoder) (doc *yaml.Node, err error) {
	defer func() {
		if recover() != nil {
			doc, err = nil, errors.New("the document can't be parsed")
		}
	}()
	doc = &yaml.Node{}
	if err := dec.Decode(doc); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return doc, nil
}

// syntaxProblem makes a problem of an error of yaml.v3.
func syntaxProblem(err error, data []byte) Problem {
	reason, line := faultOf(err)
	if slices.ContainsFunc(parserFaults, func(s string) bool { return strings.HasPrefix(reason, s) }) {
		line = min(parserLine(reason, line, data), bytes.Count(bytes.TrimRight(data, "\r\n"), []byte("\n"))+1)
	}
	if strings.Contains(reason, "`") || strings.Contains(reason, "'") && !strings.Contains(reason, "expected") {
		reason = "syntax error" // it may quote a value
	}
	return Problem{Line: line, Reason: reason}
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// faultOf takes an error's text apart, the only place where yaml.v3 has the line
// ("yaml: line 3: did not find expected key").
func faultOf(err error) (reason string, line int) {
	reason = err.Error()
	if m := yamlLine.FindStringSubmatch(reason); m != nil {
		reason = reason[len(m[0]):]
		line, _ = strconv.Atoi(m[1])
	}
	return strings.TrimSpace(reason), line
}

const openFlow = "did not find expected ',' or "

// parserFaults are the beginnings of the errors of yaml.v3's parser, which counts
// lines from 0, as its scanner does not (decode.go and parserc.go of v3.0.1).
var parserFaults = []string{
	openFlow, "did not find expected key", "did not find expected '-' indicator", "did not find expected node content",
	"did not find expected <document start>", "found undefined tag handle",
}

// parserLine is the line of a parser's error. yaml.v3 tells where the enclosing
// list or map begins, unless that is line 0: then where it ends. Only an open [ or {
// is best told by its beginning: data is parsed again with its first line as line 1
// for these, and as line 0 for others.
func parserLine(reason string, line int, data []byte) int {
	body := bytes.TrimLeft(data, "\n")
	above := len(data) - len(body)
	if strings.HasPrefix(reason, openFlow) {
		body, above = append([]byte("\n"), body...), above-1
	}
	if _, err := next(yaml.NewDecoder(bytes.NewReader(body))); err != nil {
		_, line = faultOf(err)
		line += above
	}
	return line + 1
}

func lineOfInvalid(data []byte) int {
	line := 1
	for text := range bytes.Lines(data) {
		if !utf8.Valid(text) {
			break
		}
		line++
	}
	return line
}
