package fuse

import (
	"bytes"
	"errors"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// MaxRequest is the largest JSON object that is taken as a request, in bytes. It
// stays below the size of a single WRITE, so that a larger write(2) is refused whole
// and not accepted in part.
const MaxRequest = 384 << 10

// maxWrite is the largest WRITE. It is above MaxRequest, so that a larger
// write(2) is seen to be too large in its first WRITE.
const maxWrite = 512 << 10

// framer cuts a stream of bytes into JSON objects, however the stream is divided into
// writes. It does not check the JSON: it follows strings, escapes and braces, which is
// enough to find the end of an object, and refuses at once bytes that can't become an
// object. The zero value is ready.
type framer struct {
	buf    []byte // the part of the object from earlier writes
	depth  int    // braces that are open
	inText bool   // inside a string
	escape bool   // after a backslash inside a string
}

// next takes bytes from p up to the end of the first object. It returns how many
// it took, and the object's bytes exactly, or nil when p ended first. The object
// is valid as long as p when it lies in p, else for good.
//
// After an error the framer is reset; n is where the fault lies.
func (f *framer) next(p []byte) (n int, object []byte, err error) {
	start := 0
	if f.depth == 0 {
		start = len(p) - len(bytes.TrimLeft(p, space))
		if start == len(p) {
			return start, nil, nil
		}
		if p[start] != '{' {
			return start, nil, errNotObject(p[start])
		}
	}
	room := MaxRequest - len(f.buf)
	for i := start; i < len(p); i++ {
		if i-start >= room {
			f.reset()
			return i, nil, errTooBig()
		}
		if f.inText && p[i] < ' ' {
			f.reset()
			return i, nil, errRawControl(p[i])
		}
		if f.step(p[i]) {
			object = p[start : i+1 : i+1]
			if f.buf != nil {
				object = append(f.buf, object...)
			}
			f.reset()
			return i + 1, object, nil
		}
	}
	f.buf = append(f.buf, p[start:]...)
	return len(p), nil, nil
}

// step follows one byte and reports whether it closed the object.
func (f *framer) step(c byte) bool {
	switch {
	case f.escape:
		f.escape = false
	case f.inText:
		f.escape = c == '\\'
		f.inText = c != '"'
	case c == '"':
		f.inText = true
	case c == '{':
		f.depth++
	case c == '}':
		f.depth--
		return f.depth == 0
	}
	return false
}

// pending reports how many bytes of an unfinished object are held.
func (f *framer) pending() int { return len(f.buf) }

func (f *framer) reset() { *f = framer{} }

// space is JSON's white space (RFC 8259, 2).
const space = " \t\n\r"

// wholeObject reports whether p is one complete object and nothing else.
func wholeObject(p []byte) bool {
	var f framer
	n, object, err := f.next(p)
	return err == nil && object != nil && len(bytes.TrimLeft(p[n:], space)) == 0
}

const shape = `a request is one JSON object, like {"action":"..."}`

// errArray has a variable of its own because the elements of an array look like
// requests: see writing.refuse.
var errArray = errors.New("an array; " + shape + "; send several one after another")

func errNotObject(c byte) error {
	switch c {
	case '[':
		return &memory.Error{Op: "read request", Kind: memory.KindInvalid, Err: errArray}
	case 0xef:
		return memory.Errorf(memory.KindInvalid, "read request", "a byte order mark; %s, in UTF-8 without one", shape)
	case '}':
		return memory.Errorf(memory.KindInvalid, "read request", "a closing brace too many; %s", shape)
	}
	return memory.Errorf(memory.KindInvalid, "read request", "not a JSON object; %s", shape)
}

func errRawControl(c byte) error {
	hint := "unescaped control character in a string"
	if c == '\n' || c == '\r' {
		hint = `line break in a string, or a quote that is never closed; write a line break as \n (the echo of dash and zsh makes line breaks of those: printf '%s\n' does not)`
	}
	return memory.Errorf(memory.KindInvalid, "read request", "%s", hint)
}

func errTooBig() error {
	return memory.Errorf(memory.KindTooBig, "read request",
		"a request is at most %d bytes; split it into several", MaxRequest)
}

func errIncomplete(n int) error {
	return memory.Errorf(memory.KindInvalid, "read request",
		"the JSON object is cut off after %d bytes: a brace or a quote is not closed", n)
}
