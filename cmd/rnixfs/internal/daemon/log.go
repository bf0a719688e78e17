package daemon

import (
	"context"
	"log/slog"
)

// namedLog is the last gate of the log: each text of a record passes name. Messages are
// constants.
type namedLog struct {
	slog.Handler
	name func(label, text string) string
}

func (h namedLog) Handle(ctx context.Context, r slog.Record) error {
	out := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	r.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(h.attr(a))
		return true
	})
	return h.Handler.Handle(ctx, out)
}

func (h namedLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return namedLog{h.Handler.WithAttrs(h.attrs(attrs)), h.name}
}

func (h namedLog) WithGroup(name string) slog.Handler {
	return namedLog{h.Handler.WithGroup(name), h.name}
}

func (h namedLog) attrs(attrs []slog.Attr) []slog.Attr {
	out := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		out[i] = h.attr(a)
	}
	return out
}

func (h namedLog) attr(a slog.Attr) slog.Attr {
	switch v := a.Value.Resolve(); v.Kind() {
	case slog.KindString, slog.KindAny:
		return slog.String(a.Key, h.name("", v.String()))
	case slog.KindGroup:
		return slog.Attr{Key: a.Key, Value: slog.GroupValue(h.attrs(v.Group())...)}
	}
	return a
}
