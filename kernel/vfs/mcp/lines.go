package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxLine bounds a message: a device takes 384 KiB, of which JSON may escape each byte
// with six.
const maxLine = 4 << 20

// lines is a connection on which each line is a message. It implements sdk.Transport and
// sdk.Connection.
type lines struct {
	mask   func(string) string
	in     chan line
	closed chan struct{}
	once   sync.Once

	queue []json.RawMessage // the rest of a batch; only Read uses it

	mu   sync.Mutex // guards the fields below, and is held during a write
	out  io.Writer
	open map[jsonrpc.ID]bool // requests without an answer yet
	idle chan struct{}       // closed when there are none
}

// line is a line of the input, without its text where it was too long.
type line struct {
	text []byte
	long bool
}

// newLines reads in on a goroutine, which a read that never returns outlives: no other
// way ends a read of standard input.
func newLines(in io.Reader, out io.Writer, mask func(string) string) *lines {
	l := &lines{mask: mask, in: make(chan line), closed: make(chan struct{}), out: out, open: map[jsonrpc.ID]bool{}, idle: make(chan struct{})}
	close(l.idle)
	go l.scan(bufio.NewReaderSize(in, 64<<10))
	return l
}

func (l *lines) scan(in *bufio.Reader) {
	defer close(l.in)
	var next line
	for {
		part, err := in.ReadSlice('\n')
		if next.long = next.long || len(next.text)+len(part) > maxLine; next.long {
			next.text = nil
		} else {
			next.text = append(next.text, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if next.text = bytes.TrimSpace(next.text); len(next.text) > 0 || next.long {
			select {
			case l.in <- next:
			case <-l.closed:
				return
			}
		}
		if next = (line{}); err != nil {
			return
		}
	}
}

func (l *lines) Connect(context.Context) (sdk.Connection, error) { return l, nil }

func (l *lines) SessionID() string { return "" }

// Close unblocks a Read. It never fails.
func (l *lines) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Read returns the next message. The messages of a batch, which revision 2025-03-26 has,
// are messages like others, and are answered one by one.
func (l *lines) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		if len(l.queue) == 0 {
			select {
			case next, more := <-l.in:
				if !more {
					return nil, l.drain(ctx)
				}
				l.take(next)
			case <-l.closed:
				return nil, io.EOF
			case <-ctx.Done():
				return nil, ctx.Err()
			}
			continue
		}
		raw := l.queue[0]
		l.queue = l.queue[1:]
		msg, err := jsonrpc.DecodeMessage(raw)
		if err != nil {
			l.refuse(jsonrpc.CodeInvalidRequest, "this is no message of JSON-RPC 2.0")
			continue
		}
		if r, ok := msg.(*jsonrpc.Request); ok && r.IsCall() && r.Method != listen {
			l.asked(r.ID)
		}
		return msg, nil
	}
}

// listen is the one request that is answered when the session ends.
const listen = "subscriptions/listen"

// take queues what a line holds, or answers what it is wrong with.
func (l *lines) take(next line) {
	switch {
	case next.long:
		l.refuse(jsonrpc.CodeInvalidRequest, "too_big: the message is longer than 4 MiB and was not read; the session goes on")
	case !json.Valid(next.text):
		l.refuse(jsonrpc.CodeParseError, "this line is no JSON; a message is one line")
	case next.text[0] == '[':
		_ = json.Unmarshal(next.text, &l.queue) // it is valid
	default:
		l.queue = []json.RawMessage{next.text}
	}
}

// refuse answers what has no id that is known.
func (l *lines) refuse(code int64, message string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	answer, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": jsonrpc.Error{Code: code, Message: message}})
	_, _ = l.out.Write(append(answer, '\n')) // a client that is gone is told of nothing
}

func (l *lines) asked(id jsonrpc.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.open) == 0 {
		l.idle = make(chan struct{})
	}
	l.open[id] = true
}

// drainTime bounds how long the end of the input waits for answers.
const drainTime = time.Minute

// drain returns io.EOF once all is answered: the SDK gives up what runs when the input
// ends.
func (l *lines) drain(ctx context.Context) error {
	l.mu.Lock()
	idle := l.idle
	l.mu.Unlock()
	select {
	case <-idle:
	case <-time.After(drainTime):
	case <-l.closed:
	case <-ctx.Done():
	}
	return io.EOF
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
	if ok && l.open[answer.ID] {
		if delete(l.open, answer.ID); len(l.open) == 0 {
			close(l.idle)
		}
	}
	return err
}
