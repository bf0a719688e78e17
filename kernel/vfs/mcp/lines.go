package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxLine bounds a message: a device takes 384 KiB, of which JSON may escape each byte
// with six.
const maxLine = 4 << 20

// lines is a connection on which each line is a message. It implements sdk.Transport and
// sdk.Connection.
type lines struct {
	in    *bufio.Reader
	queue []json.RawMessage // read, and not yet returned: of a batch there are several
	mask  func(string) string

	mu   sync.Mutex // guards the fields below, and is held during a write
	out  io.Writer
	open map[jsonrpc.ID]bool // requests without an answer yet
	idle sync.Cond           // there are none
}

func newLines(in io.Reader, out io.Writer, mask func(string) string) *lines {
	l := &lines{in: bufio.NewReaderSize(in, 64<<10), mask: mask, out: out, open: map[jsonrpc.ID]bool{}}
	l.idle.L = &l.mu
	return l
}

func (l *lines) Connect(context.Context) (sdk.Connection, error) { return l, nil }

func (l *lines) SessionID() string { return "" }

// Close has the end of the input wait for no answer any more.
func (l *lines) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.open)
	l.idle.Broadcast()
	return nil
}

// Read returns the next message; those of a batch, which revision 2025-03-26 has, one by
// one. At the end of the input it waits until all is answered.
func (l *lines) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		for len(l.queue) == 0 {
			if err := l.fill(); err != nil {
				l.mu.Lock()
				defer l.mu.Unlock()
				for len(l.open) > 0 {
					l.idle.Wait()
				}
				return nil, io.EOF
			}
		}
		raw := l.queue[0]
		l.queue = l.queue[1:]
		msg, err := jsonrpc.DecodeMessage(raw)
		r, ok := msg.(*jsonrpc.Request)
		switch {
		case err != nil:
			l.refuse(jsonrpc.CodeInvalidRequest, "this is no message of JSON-RPC 2.0")
			continue
		case ok && !r.IsCall() && hasID(raw): // to the SDK, a notification
			l.refuse(jsonrpc.CodeInvalidRequest, "id is null: a request has a text or a number, a notification has no id")
			continue
		case ok && r.IsCall() && len(r.Params) > 0 && r.Params[0] != '{' && string(r.Params) != "null":
			_ = l.Write(ctx, &jsonrpc.Response{ID: r.ID, Error: &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "params is not an object"}})
			continue
		}
		// The one request that is answered when the session ends is subscriptions/listen.
		if ok && r.IsCall() && r.Method != "subscriptions/listen" {
			l.mu.Lock()
			l.open[r.ID] = true
			l.mu.Unlock()
		}
		return msg, nil
	}
}

// hasID reports whether a message has an id, be it null.
func hasID(raw []byte) bool {
	var has map[string]json.RawMessage
	_ = json.Unmarshal(raw, &has) // it was decoded
	_, ok := has["id"]
	return ok
}

// fill queues what a line holds, or answers what is wrong with it.
func (l *lines) fill() error {
	var text, part []byte
	var err error
	long := false
	for {
		part, err = l.in.ReadSlice('\n')
		if long = long || len(text)+len(part) > maxLine; !long {
			text = append(text, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			break
		}
	}
	switch text = bytes.TrimSpace(text); {
	case long:
		l.refuse(jsonrpc.CodeInvalidRequest, "too_big: the message is longer than 4 MiB and was not read; the session goes on")
	case len(text) == 0:
		return err
	case !json.Valid(text):
		l.refuse(jsonrpc.CodeParseError, "this line is no JSON; a message is one line")
	case text[0] == '[':
		if err := json.Unmarshal(text, &l.queue); err != nil || len(l.queue) > 0 {
			return err
		}
		l.refuse(jsonrpc.CodeInvalidRequest, "the batch is empty")
	default:
		l.queue = []json.RawMessage{text}
	}
	return nil
}

// refuse answers what has no id that is known.
func (l *lines) refuse(code int64, message string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	answer, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": jsonrpc.Error{Code: code, Message: message}})
	_, _ = l.out.Write(append(answer, '\n')) // a client that is gone is told of nothing
}

// Write writes a message. Errors of the SDK may quote what a client sent by mistake.
func (l *lines) Write(_ context.Context, msg jsonrpc.Message) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	answer, ok := msg.(*jsonrpc.Response)
	if ok && answer.Error != nil {
		shown := jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: l.mask(answer.Error.Error())}
		if e, ok := errors.AsType[*jsonrpc.Error](answer.Error); ok {
			if shown.Code = e.Code; l.mask(string(e.Data)) == string(e.Data) {
				shown.Data = e.Data
			}
		}
		answer.Error = &shown
	}
	raw, err := jsonrpc.EncodeMessage(msg)
	if err == nil {
		_, err = l.out.Write(append(raw, '\n'))
	}
	if ok {
		delete(l.open, answer.ID)
		l.idle.Broadcast()
	}
	return err
}
