package vfs

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Request is one request on its way through a table. It has an id once the log has a
// line about it; the reply carries that as "request", so that a line can be found by
// the reply that somebody complains of.
type Request struct {
	number uint64
	logged atomic.Bool
	told   atomic.Bool // its asker has a reply, which was counted
	began  time.Time
}

// instance tells the ids of this process from those of others in the same log.
var instance = func() string {
	var b [3]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}()

var requests atomic.Uint64

// id names the request in the log, and makes its reply carry the id.
func (r *Request) id() string {
	r.logged.Store(true)
	return instance + "-" + strconv.FormatUint(r.number, 36)
}

type requestKey struct{}

// Begin begins a request. A front end that may answer before the request has ended
// begins it itself; [Table.Exec] begins any other.
func Begin(ctx context.Context) (context.Context, *Request) {
	if r, ok := ctx.Value(requestKey{}).(*Request); ok {
		return ctx, r
	}
	r := &Request{number: requests.Add(1), began: time.Now()}
	return context.WithValue(ctx, requestKey{}, r), r
}

// Logged is the id for a line of the log that is written while a request runs; "" outside
// of any. The reply carries it, too.
func Logged(ctx context.Context) string {
	if r, ok := ctx.Value(requestKey{}).(*Request); ok {
		return r.id()
	}
	return ""
}

// note logs a reply that says that the system is at fault, or any at debug level, and
// returns it with the id of its request where the log has a line of that.
func (t *Table) note(ctx context.Context, r *Request, d Device, res Result) Result {
	level, msg := slog.LevelDebug, "request"
	switch {
	case res.OK:
	case res.Kind == memory.KindInternal:
		level, msg = slog.LevelError, "request failed"
	case res.Kind == memory.KindTimeout:
		level, msg = slog.LevelWarn, "request is late"
	}
	if t.log.Enabled(ctx, level) {
		var reply failure
		_ = json.Unmarshal(res.Body, &reply) // made here
		attrs := []any{"request", r.id(), "device", d.Name(), "seconds", time.Since(r.began).Seconds()}
		if !res.OK {
			attrs = append(attrs, "code", res.Kind.Code(), "error", reply.Error)
		}
		t.log.Log(ctx, level, msg, attrs...)
	}
	if end := []byte("}\n"); r.logged.Load() && bytes.HasSuffix(res.Body, end) {
		body := bytes.TrimSuffix(res.Body, end)
		res.Body = append(body[:len(body):len(body)], `,"request":"`+r.id()+"\"}\n"...)
	}
	return res
}

// Late is the reply of a request whose asker is told now that it goes on.
func (t *Table) Late(ctx context.Context, d Device, err error) Result {
	ctx, r := Begin(ctx)
	res := t.note(ctx, r, d, Failure(err, nil))
	t.counters.late(r, d.Name(), res)
	return res
}
