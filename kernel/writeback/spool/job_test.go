package spool

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSubmit(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "rnix", "spool")
	code := 143
	job := Job{
		Agent: "claude", External: "e", Transcript: "/t", Project: "/p", Event: "Stop", ExitCode: &code,
		End: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), UID: 7,
	}
	s := New(dir, Options{})
	var wg sync.WaitGroup
	for range 20 { // the folders are made by whoever is first
		wg.Go(func() {
			if _, err := s.Submit(context.Background(), job); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	names, err := os.ReadDir(filepath.Join(dir, "new"))
	if err != nil || len(names) != 20 {
		t.Fatalf("%d jobs (%v)", len(names), err)
	}
	for _, n := range names {
		text, err := os.ReadFile(filepath.Join(dir, "new", n.Name()))
		if err != nil {
			t.Fatal(err)
		}
		var got Job
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(job, got); diff != "" {
			t.Fatal(diff)
		}
		if fi, err := n.Info(); err != nil || fi.Mode() != 0o600 {
			t.Errorf("mode %v (%v)", fi.Mode(), err)
		}
	}
	if left, _ := os.ReadDir(filepath.Join(dir, "tmp")); len(left) > 0 {
		t.Errorf("left in tmp: %v", left)
	}
}

func TestSubmitFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if id, err := New(filepath.Join(file, "spool"), Options{}).Submit(context.Background(), Job{}); err == nil {
		t.Errorf("a job %s in a folder that can't be", id)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := New(t.TempDir(), Options{}).Submit(ctx, Job{}); err == nil {
		t.Error("submitted after the end")
	}
	s := New(t.TempDir(), Options{NewID: func() string { return "one" }})
	if _, err := s.Submit(context.Background(), Job{Event: "a"}); err != nil {
		t.Fatal(err)
	}
}
