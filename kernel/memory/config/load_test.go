package config_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/memory/config"
)

func TestFilesThatCannotBeTaken(t *testing.T) {
	for name, tc := range map[string]struct {
		make func(path string) error
		want string
	}{
		"folder": {func(p string) error { return os.Mkdir(p, 0o700) }, "is not a regular file"},
		"fifo":   {func(p string) error { return syscall.Mkfifo(p, 0o600) }, "is not a regular file"},
		"loop":   {func(p string) error { return os.Symlink(p, p) }, "cannot be opened: too many levels of symbolic links"},
		"big":    {func(p string) error { return os.WriteFile(p, []byte(strings.Repeat("#", 1<<20)), 0o600) }, "is larger than 65536 bytes"},
		"anybody's": {func(p string) error {
			return errors.Join(os.WriteFile(p, nil, 0o600), os.Chmod(p, 0o602))
		}, "could have been written by another user; chown or chmod it, or name it with --config"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "memory.yaml")
			must(t, tc.make(path))
			_, err := config.Load(context.Background(), config.Sources{WorkDir: dir})
			var e *config.Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v, want a *config.Error", err)
			}
			if got, want := e.Error(), path+": "+tc.want; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestAFileNamedByHandIsTrusted(t *testing.T) {
	path := put(t, filepath.Join(t.TempDir(), "m.yaml"), "enabled: false\n")
	must(t, os.Chmod(path, 0o666))
	l, err := config.Load(context.Background(), config.Sources{Explicit: path})
	must(t, err)
	if l.Config.Enabled {
		t.Error("the file was not read")
	}
}

func TestMissingFiles(t *testing.T) {
	dir := t.TempDir()
	file := put(t, filepath.Join(dir, "file"), "")
	l, err := config.Load(context.Background(), config.Sources{UserDir: filepath.Join(dir, "none"), Project: file, WorkDir: dir})
	must(t, err)
	if !l.Config.Equal(config.Default()) || l.Files != nil {
		t.Errorf("got %+v from %v", l.Config, l.Files)
	}
	_, err = config.Load(context.Background(), config.Sources{Explicit: filepath.Join(dir, "none.yaml")})
	var e *config.Error
	if !errors.As(err, &e) || !strings.Contains(e.Error(), "none.yaml: cannot be opened: no such file") {
		t.Errorf("a missing file named by hand: got %v", err)
	}
}

func TestLoadStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := config.Load(ctx, config.Sources{WorkDir: t.TempDir()}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestPersonalKeys are those that a project's file, which may have come with a
// cloned repository, must not set.
func TestPersonalKeys(t *testing.T) {
	user, project := t.TempDir(), t.TempDir()
	must(t, os.WriteFile(filepath.Join(user, "memory.yaml"), []byte("scanner: {pii: warn}\n"), 0o600))
	must(t, os.MkdirAll(filepath.Join(project, ".rnix"), 0o700))
	theirs := filepath.Join(project, ".rnix", "memory.yaml")
	must(t, os.WriteFile(theirs, []byte("store: {memory_char_limit: 7}\n"), 0o600))
	from := config.Sources{UserDir: user, Project: project}
	l, err := config.Load(t.Context(), from)
	must(t, err)
	if l.Config.Scanner.PII != config.ScanWarn || l.Config.Store.MemoryCharLimit != 7 {
		t.Fatalf("loaded %+v", l.Config)
	}
	must(t, os.WriteFile(theirs, []byte("scanner:\n  secret: off\n"), 0o600))
	if _, err := config.Load(t.Context(), from); err == nil || !strings.Contains(err.Error(), "memory.yaml:2:11: scanner.secret: counts only in your own") {
		t.Fatalf("a project switched the scanner off: %v", err)
	}
	_, err = config.Load(t.Context(), config.Sources{Explicit: theirs})
	must(t, err)
}
