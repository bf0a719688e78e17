package transcript

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rnixfs/rnixfs/kernel/process"
)

var update = flag.Bool("update", false, "write the .golden files anew")

func TestMain(m *testing.M) {
	zone = time.FixedZone("test", 2*60*60)
	os.Exit(m.Run())
}

// history is what a file was read as: chunks put together.
type history struct {
	conversations []process.Transcript
	skips         map[string]int
	err           error
}

// take reads a file, and checks what holds for every reader.
func take(t testing.TB, f Format, path string) history {
	t.Helper()
	h := history{skips: map[string]int{}}
	for c, err := range f.Read(t.Context(), path) {
		if err == nil && h.err != nil {
			t.Fatal("something was yielded after the error that ends")
		}
		var skip *Skip
		switch {
		case errors.As(err, &skip):
			if !errors.Is(err, ErrSkipped) || h.skips[skip.Kind] != 0 || skip.Count <= 0 {
				t.Fatalf("a skip that is none, or twice: %v", err)
			}
			h.skips[skip.Kind] = skip.Count
		case err != nil:
			if h.err != nil {
				t.Fatalf("two errors: %v, %v", h.err, err)
			}
			h.err = err
		default:
			h.add(c)
		}
	}
	return h
}

func (h *history) add(c process.Transcript) {
	if n := len(h.conversations); n > 0 && h.conversations[n-1].External == c.External {
		last := &h.conversations[n-1]
		last.Conversation, last.Turns = c.Conversation, append(last.Turns, c.Turns...)
		return
	}
	h.conversations = append(h.conversations, c)
}

func (h *history) text(root string) string {
	var b strings.Builder
	for _, c := range h.conversations {
		// Where a test runs is not part of what it expects.
		external := strings.NewReplacer(placeDigest(root, c.External), "PLACE").Replace(c.External)
		fmt.Fprintf(&b, "== %s %s\n", c.Agent, external)
		for _, f := range [][2]string{
			{"parent", c.Parent},
			{"project", strings.Replace(c.Project, root, "ROOT", 1)},
			{"title", c.Title},
			{"branch", c.Branch},
			{"model", c.Model},
			{"exit", c.ExitReason},
			{"start", when(c.Start)},
			{"end", when(c.End)},
		} {
			if f[1] != "" {
				fmt.Fprintf(&b, "%s: %s\n", f[0], f[1])
			}
		}
		for _, t := range c.Turns {
			failed := ""
			if t.Failed {
				failed = " FAILED"
			}
			id := strings.Replace(t.ID, c.External, external, 1)
			fmt.Fprintf(&b, "\n-- %s\n", strings.Join(strings.Fields(fmt.Sprintf("%s %s %s %s%s", id, t.Role, t.Tool, when(t.Time), failed)), " "))
			fmt.Fprintln(&b, t.Content)
		}
		b.WriteByte('\n')
	}
	for _, skip := range skips(h.skips).errors() {
		fmt.Fprintln(&b, "!!", skip)
	}
	if h.err != nil {
		fmt.Fprintln(&b, "!! ended:", h.err)
	}
	return b.String()
}

// placeDigest is the part of an External that comes of where the file is.
func placeDigest(root, external string) string {
	found := "\x00"
	_ = filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.Contains(external, digest(path, 8)) {
			found = digest(path, 8)
		}
		return nil
	})
	return found
}

func when(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339Nano)
}

// TestGolden reads each history below testdata by the format that its folder is
// named after, and compares with the text beside it.
func TestGolden(t *testing.T) {
	root, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range Formats() {
		for _, path := range examples(t, f.Name()) {
			t.Run(strings.TrimPrefix(path, "testdata/"), func(t *testing.T) {
				if got, err := Detect(path); err != nil || got.Name() != f.Name() {
					t.Errorf("detected as %v, %v", got, err)
				}
				h := take(t, f, path)
				sane(t, h)
				got := h.text(root)
				golden := path + ".golden"
				if *update {
					if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(golden)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), got); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
			})
		}
	}
}

// examples are the histories of a format in testdata.
func examples(t testing.TB, name string) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(filepath.Join("testdata", name), func(path string, d fs.DirEntry, err error) error {
		base := filepath.Base(path)
		beside := strings.HasSuffix(base, ".golden") || strings.HasSuffix(base, ".meta.json") ||
			base == "session_index.jsonl" || base == "projects.json" || base == ".project_root" ||
			base == "history_item.json" || base == "history.jsonl"
		if err == nil && !d.IsDir() && !beside {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil || len(paths) == 0 {
		t.Fatalf("no examples of %s: %v", name, err)
	}
	return paths
}
