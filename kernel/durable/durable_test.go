package durable_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rnixfs/rnixfs/kernel/durable"
)

func TestReplace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	for _, text := range []string{"one", "two"} {
		if err := durable.Replace(path, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Fatalf("%q, %v", got, err)
		}
	}
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
	only(t, filepath.Dir(path), "f")
}

func TestReplaceFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := durable.Replace(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	boom := errors.New("boom")
	if err := durable.ReplaceWith(path, 0o600, func(*os.File) error { return boom }); !errors.Is(err, boom) {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "old" {
		t.Errorf("the file is %q", got)
	}
	only(t, filepath.Dir(path), "f")
}

func only(t *testing.T, dir, name string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 1 || list[0].Name() != name {
		t.Errorf("%v, %v", list, err)
	}
}

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	err := durable.WithLock(t.Context(), path, func() error {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		if got, err := durable.TryLock(f, durable.Shared); got || err != nil {
			t.Errorf("held, but taken: %v", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if err := durable.Lock(ctx, f, durable.Exclusive); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("waiting for it: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := durable.WithLock(t.Context(), path, func() error { return nil }); err != nil {
		t.Error(err)
	}
}
