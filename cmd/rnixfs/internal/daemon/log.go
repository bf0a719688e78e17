package daemon

import (
	"context"
	"log/slog"
	"slices"
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
	attrs = slices.Clone(attrs)
	for i, a := range attrs {
		attrs[i] = h.attr(a)
	}
	return namedLog{h.Handler.WithAttrs(attrs), h.name}
}

func (h namedLog) WithGroup(name string) slog.Handler {
	return namedLog{h.Handler.WithGroup(name), h.name}
}

func (h namedLog) attr(a slog.Attr) slog.Attr {
	switch v := a.Value.Resolve(); v.Kind() {
	case slog.KindString, slog.KindAny, slog.KindGroup:
		return slog.String(a.Key, h.name("", v.String()))
	}
	return a
}
