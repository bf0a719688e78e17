package process_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/process"
)

func changesOf(t *testing.T, s *process.Store, project string, since process.Cursor) ([]string, bool, process.Cursor) {
	t.Helper()
	uuids, all, next, err := s.Changes(project, since)
	if err != nil {
		t.Fatal(err)
	}
	return uuids, all, next
}

// TestChanges follows a project from another program's store.
func TestChanges(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	keep := process.Options{Redact: func(_ context.Context, text string) (string, bool, error) { return text, false, nil }}
	writer, err := process.Open(dir, keep)
	if err != nil {
		t.Fatal(err)
	}
	reader, err := process.Open(dir, process.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const project = "/home/ann/shop"
	if uuids, all, _ := changesOf(t, reader, project, process.Cursor{}); len(uuids) > 0 || all {
		t.Fatalf("changes of nothing: %v, %t", uuids, all)
	}
	p, err := writer.Begin(ctx, process.Conversation{Project: project, Agent: "claude", External: "one"})
	if err != nil {
		t.Fatal(err)
	}
	_, all, at := changesOf(t, reader, project, process.Cursor{})
	if !all {
		t.Fatal("a cursor that is nowhere has not missed anything")
	}
	if uuids, all, same := changesOf(t, reader, project, at); len(uuids) > 0 || all || same != at {
		t.Fatalf("nothing changed: %v, %t, %v", uuids, all, same)
	}
	steps := map[string]func() error{
		"append": func() error {
			_, err := writer.Append(ctx, project, p.UUID, []process.Turn{{Role: process.RoleUser, Content: "hello"}})
			return err
		},
		"end": func() error { return writer.End(ctx, project, p.UUID, process.End{Reason: "exit"}) },
		"title": func() error {
			_, err := writer.Begin(ctx, process.Conversation{Project: project, Agent: "claude", External: "one", Title: "A title"})
			return err
		},
		"remove": func() error { return writer.Remove(ctx, project, p.UUID) },
	}
	for _, name := range []string{"append", "end", "title", "remove"} {
		if err := steps[name](); err != nil {
			t.Fatal(err)
		}
		uuids, all, next := changesOf(t, reader, project, at)
		if all || !slices.Equal(uuids, []string{p.UUID}) {
			t.Fatalf("%s: changes are %v, %t", name, uuids, all)
		}
		at = next
	}
	folder, err := reader.Folder(project)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder.Path, ".changes"), []byte("what is this\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, all, _ := changesOf(t, reader, project, at); !all {
		t.Fatal("a file that was written anew went unnoticed")
	}
}
