package process_test

import (
	"os"
	"testing"

	"pgregory.net/rapid"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// tempDir is t.TempDir for a rapid test.
func tempDir(t *rapid.T) string {
	dir, err := os.MkdirTemp("", "rnixfs-process-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// FuzzLog reads and extends a log with any bytes in it: nothing fails, readers
// agree with each other, and what is added is there.
func FuzzLog(f *testing.F) {
	f.Add([]byte(`{"n":1,"id":"1","role":"user","content":"one"}` + "\n"))
	f.Add([]byte(`{"n":1,"id":"1","role":"user","content":"one"}` + "\n" + `{"n":7,"id":"1","role":"tool"}` + "\n" + `{"n":2,"id":"2","ro`))
	f.Add([]byte("\n\n\x00\n{}\n{\"id\":\"new\",\"role\":\"user\"}"))
	f.Add([]byte(`{"n":9223372036854775807,"id":"1","role":"system","time":"0000-01-01T00:00:00Z"}` + "\n"))
	f.Fuzz(func(t *testing.T, log []byte) {
		s := open(t, t.TempDir(), process.Options{})
		p := begin(t, s, process.Conversation{Agent: "a", External: "1"})
		if err := os.WriteFile(logFile(t, s, p), log, 0o600); err != nil {
			t.Fatal(err)
		}
		before := len(readAll(t, s, p))
		res := add(t, s, p, user("new", "new"))
		all := readAll(t, s, p)
		if len(all) < before+res.Added || len(all) > before+res.Added+1 { // a whole last line is completed
			t.Errorf("%d turns, then %d", before, len(all))
		}
		found := 0
		for _, turn := range all {
			if turn.ID == "new" {
				found++
			}
		}
		if res.Added+found == 0 || res.Added == 1 && found != 1 {
			t.Errorf("the new turn is there %d times", found)
		}
		for size, err := range s.Sizes(t.Context(), p.Project) {
			if err != nil || len(all) > 0 && size.Turns != all[len(all)-1].Number {
				t.Errorf("size %+v, %v", size, err)
			}
		}
	})
}

// readAll reads all turns, and each of them alone and from the one before on.
func readAll(t *testing.T, s *process.Store, p process.Conversation) []process.Placed {
	t.Helper()
	var all []process.Placed
	for turn, err := range s.Turns(t.Context(), p.Project, p.UUID, process.Position{}) {
		if err != nil {
			t.Fatal(err)
		}
		one, err := s.TurnAt(t.Context(), p.Project, p.UUID, turn.Offset)
		if err != nil || one.ID != turn.ID || one.Content != turn.Content || one.End != turn.End {
			t.Errorf("alone it is %+v, %v; in order %+v", one, err, turn)
		}
		if len(all) > 0 {
			if turn.Number <= all[len(all)-1].Number {
				t.Errorf("number %d follows %d", turn.Number, all[len(all)-1].Number)
			}
			for next, err := range s.Turns(t.Context(), p.Project, p.UUID, all[len(all)-1].Next()) {
				equal(t, []any{next, err}, []any{turn, nil})
				break
			}
		}
		all = append(all, turn)
	}
	return all
}
