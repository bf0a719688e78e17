package fuse

import (
	"context"
	"log"
	"log/slog"
	"strings"
)

// logWriter hands go-fuse's lines to slog.
type logWriter struct{ log *slog.Logger }

// Write takes one line. The answer to a request whose caller was killed fails with
// ENOENT, which is no fault.
func (w logWriter) Write(p []byte) (int, error) {
	msg := strings.TrimSpace(string(p))
	level := slog.LevelWarn
	if strings.HasPrefix(msg, "writer: Write/Writev failed, err: 2=") {
		level = slog.LevelDebug
	}
	w.log.Log(context.Background(), level, "go-fuse", "message", msg)
	return len(p), nil
}

func goFuseLogger(l *slog.Logger) *log.Logger { return log.New(logWriter{l}, "", 0) }
