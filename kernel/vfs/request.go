package vfs

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Request is one request on its way through a table. Once the log has a line about it,
// its reply carries the id of that line in "request".
type Request struct {
	number       uint64
	began        time.Time
	logged, told atomic.Bool // told: its asker has a reply, which was counted
}

var (
	requests atomic.Uint64
	instance = strconv.FormatInt(time.Now().UnixMilli(), 36) // tells ids from those before, in the same log
)

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
// of any.
func Logged(ctx context.Context) string {
	r, ok := ctx.Value(requestKey{}).(*Request)
	if !ok {
		return ""
	}
	r.logged.Store(true)
	return instance + "-" + strconv.FormatUint(r.number, 36)
}

// note logs a reply that says that the system is at fault, or any at debug level, and
// puts the id of the request into the reply where the log has a line about it.
func (t *Table) note(ctx context.Context, r *Request, d Device, res Result) Result {
	level, msg := slog.LevelDebug, "request"
	switch {
	case res.OK:
	case res.Kind == memory.KindInternal:
		level, msg = slog.LevelError, "request failed"
	case res.Kind == memory.KindTimeout:
		level, msg = slog.LevelWarn, "request is late"
	}
	if t.log.Enabled(ctx, level) && (level == slog.LevelDebug || t.mayLog()) {
		var reply failure
		_ = json.Unmarshal(res.Body, &reply) // made here
		t.log.Log(ctx, level, msg, "request", Logged(ctx), "device", d.Name(), "seconds", time.Since(r.began).Seconds(), "code", reply.Code, "error", reply.Error)
	}
	if body, ok := bytes.CutSuffix(res.Body, []byte("}\n")); ok && r.logged.Load() {
		res.Body = append(body[:len(body):len(body)], `,"request":"`+Logged(ctx)+"\"}\n"...)
	}
	return res
}

// mayLog bounds the lines about failures: a loop of requests must not fill the disk.
func (t *Table) mayLog() bool {
	if now := time.Now().Unix(); t.second.Swap(now) != now {
		t.lines.Store(0)
	}
	return t.lines.Add(1) <= 10
}

// Late is the reply of a request whose asker is told now that it goes on.
func (t *Table) Late(ctx context.Context, d Device, err error) Result {
	ctx, r := Begin(ctx)
	res := t.note(ctx, r, d, Failure(err, nil))
	t.counters.count(r, d.Name(), -1, res)
	return res
}
