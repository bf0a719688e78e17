package daemon

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMade: what was made is removed, and nothing else.
func TestMade(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	there := func(dir string) bool { return !removed(dir) }

	base := t.TempDir()
	deep := filepath.Join(base, "a", "b", "c")
	var dirs made
	if err := dirs.make(deep); err != nil || len(dirs) != 3 {
		t.Fatalf("%v, made %q", err, dirs)
	}
	dirs.remove(log)
	if there(filepath.Join(base, "a")) || !there(base) {
		t.Error("not just what was made is gone")
	}

	if err := os.Mkdir(filepath.Join(base, "a"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := dirs.make(deep); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(base, "a", "b", "note")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	dirs.remove(log)
	if there(deep) || !there(file) {
		t.Error("a folder with a file in it is to stay, the empty one in it not")
	}

	if err := os.Symlink("nowhere", filepath.Join(base, "link")); err != nil {
		t.Fatal(err)
	}
	if err := dirs.make(filepath.Join(base, "link")); err == nil || len(dirs) != 0 {
		t.Errorf("a link to nothing: %v, made %q", err, dirs)
	}
}

func TestMountpointNotEmpty(t *testing.T) {
	for name, requests := range map[string]bool{"commit": true, "recall": true, "notes.txt": false} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
		var dirs made
		err := makeMountpoint(dir, &dirs)
		if err == nil || !strings.Contains(err.Error(), "not empty") || strings.Contains(err.Error(), "requests") != requests {
			t.Errorf("%s: %v", name, err)
		}
	}
}
