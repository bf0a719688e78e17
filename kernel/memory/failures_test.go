package memory_test

import (
	"bytes"
	"errors"
	"log/slog"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

func TestFailures(t *testing.T) {
	var log bytes.Buffer
	var failures memory.Failures
	full, gone := errors.New("disk full"), errors.New("no such folder")
	for i, c := range []struct {
		work   string
		err    error
		logged bool
	}{
		{"index", nil, false},
		{"index", full, true},
		{"index", errors.New("disk full"), false},
		{"checkpoint", full, true},
		{"index", gone, true},
		{"index", full, true},
		{"index", nil, false},
		{"index", full, true},
		{"checkpoint", full, false},
	} {
		log.Reset()
		failures.Report(slog.New(slog.NewTextHandler(&log, nil)), c.work, c.err, "folder", "/x")
		if logged := log.Len() > 0; logged != c.logged {
			t.Errorf("%d: %s: %v: logged %q", i, c.work, c.err, &log)
		}
	}
}
