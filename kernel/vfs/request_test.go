package vfs

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// answering is a device that answers what it is told to.
type answering struct {
	readOnly
	exec func(ctx context.Context) Result
}

func (d answering) Exec(ctx context.Context, _ memory.Caller, _ []byte) Result { return d.exec(ctx) }

func (d answering) Read(context.Context, memory.Caller) []byte { panic("bug") }

// TestRequestIDs: the id in a reply names the line of the log that is about its request. A
// request that the log has no line of has no id.
func TestRequestIDs(t *testing.T) {
	var out bytes.Buffer
	fail := func(k memory.Kind) func(context.Context) Result {
		return func(context.Context) Result { return Failure(memory.Errorf(k, "do it", "as asked"), nil) }
	}
	fine := Result{OK: true, Body: []byte(`{"ok":true}` + "\n")}
	for name, c := range map[string]struct {
		level slog.Level
		exec  func(context.Context) Result
		lines int
	}{
		"internal":  {slog.LevelInfo, fail(memory.KindInternal), 1},
		"late":      {slog.LevelInfo, fail(memory.KindTimeout), 1},
		"panic":     {slog.LevelInfo, func(context.Context) Result { panic("bug") }, 2},
		"its fault": {slog.LevelInfo, fail(memory.KindNotFound), 0},
		"done":      {slog.LevelInfo, func(context.Context) Result { return fine }, 0},
		"debug":     {slog.LevelDebug, func(context.Context) Result { return fine }, 1},
		"done, with a line of the log": {slog.LevelInfo, func(ctx context.Context) Result {
			slog.New(slog.NewJSONHandler(&out, nil)).Info("odd", "request", Logged(ctx))
			return fine
		}, 1},
	} {
		out.Reset()
		table := NewTable(slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: c.level})))
		res := table.Exec(t.Context(), answering{readOnly{"commit"}, c.exec}, memory.Caller{}, nil)
		var reply, line struct{ Request, Code string }
		if err := json.Unmarshal(res.Body, &reply); err != nil || !bytes.HasSuffix(res.Body, []byte("}\n")) {
			t.Fatalf("%s: %s: %v", name, res.Body, err)
		}
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		if out.Len() == 0 {
			lines = nil
		}
		if len(lines) != c.lines || (reply.Request == "") != (c.lines == 0) {
			t.Errorf("%s: %s, log %s", name, res.Body, &out)
		}
		for _, l := range lines {
			if err := json.Unmarshal([]byte(l), &line); err != nil || line.Request != reply.Request {
				t.Errorf("%s: %s, log %s", name, res.Body, l)
			}
		}
	}
	if string(fine.Body) != `{"ok":true}`+"\n" {
		t.Errorf("a device's reply was changed: %s", fine.Body)
	}
	out.Reset()
	table := NewTable(slog.New(slog.NewJSONHandler(&out, nil)))
	if body := table.Read(t.Context(), answering{readOnly: readOnly{"commit"}}, memory.Caller{}); !bytes.Contains(body, []byte(`"request":`)) {
		t.Errorf("a device that panics when it is read: %s", body)
	}
}

// TestLogIsBounded: a loop of requests that fail does not fill the log, and a reply has an
// id if and only if there is a line.
func TestLogIsBounded(t *testing.T) {
	var out bytes.Buffer
	table, ids := NewTable(slog.New(slog.NewJSONHandler(&out, nil))), 0
	d := answering{readOnly{"commit"}, func(context.Context) Result {
		return Failure(memory.Errorf(memory.KindInternal, "do it", "as asked"), nil)
	}}
	for range 5000 {
		if bytes.Contains(table.Exec(t.Context(), d, memory.Caller{}, nil).Body, []byte(`"request":`)) {
			ids++
		}
	}
	if lines := strings.Count(out.String(), "\n"); lines != ids || lines < 10 || lines > 2500 {
		t.Errorf("%d lines, %d ids", lines, ids)
	}
}

// TestLate: a request whose asker was told to wait is counted once, by what they were
// told, and how long it took in the end; its lines have one id.
func TestLate(t *testing.T) {
	table := NewTable(nil)
	d := answering{readOnly{"commit"}, func(context.Context) Result { return Result{OK: true, Body: []byte("{}\n")} }}
	ctx, _ := Begin(t.Context())
	late := table.Late(ctx, d, memory.Errorf(memory.KindTimeout, "commit", "not done yet"))
	table.Exec(ctx, d, memory.Caller{}, nil)
	table.Exec(t.Context(), d, memory.Caller{}, nil)
	table.Late(ctx, d, memory.Errorf(memory.KindTimeout, "commit", "too late to be late"))
	c := table.Counters()["commit"]
	ran := uint64(0)
	for _, n := range c.Seconds.Counts {
		ran += n
	}
	if late.Kind != memory.KindTimeout || c.OK != 1 || c.Failed["timeout"] != 1 || ran != 2 {
		t.Errorf("%s: %+v", late.Body, c)
	}
}
