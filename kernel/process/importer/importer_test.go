package importer

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/process/transcript"
)

// plain is a made-up format: "talk ID [DIR]" begins a conversation, "+ TEXT" is
// said in it, "title TEXT" names it, "bad KIND" is a record that is passed over,
// "fail" ends the reading. Parts are of two turns.
type plain struct{}

func (plain) Name() string { return "plain" }

func (plain) Detect(path string, _ []byte) bool { return strings.HasSuffix(path, ".talk") }

func (plain) Find(home string, _ func(string) string) ([]string, error) {
	return filepath.Glob(filepath.Join(home, "*.talk"))
}

func (plain) Read(_ context.Context, path string) iter.Seq2[process.Transcript, error] {
	return func(yield func(process.Transcript, error) bool) {
		raw, err := os.ReadFile(path)
		if err != nil {
			yield(process.Transcript{}, err)
			return
		}
		var c process.Transcript
		at := time.Unix(1000, 0)
		flush := func() bool {
			part := c
			c.Turns = nil
			return part.External == "" || yield(part, nil)
		}
		for line := range strings.Lines(string(raw)) {
			word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
			ok := true
			switch word {
			case "talk":
				ok = flush()
				id, dir, _ := strings.Cut(rest, " ")
				c = process.Transcript{Conversation: process.Conversation{External: id, Project: dir, Start: at}}
			case "+":
				at = at.Add(time.Second)
				c.Turns = append(c.Turns, process.Turn{Role: process.RoleUser, Content: rest, Time: at.Truncate(time.Minute)})
				ok = len(c.Turns) < 2 || flush()
			case "title":
				c.Title = rest
			case "odd":
				c.Turns = append(c.Turns, process.Turn{Role: "poet", Content: rest})
			case "bad":
				ok = yield(process.Transcript{}, &transcript.Skip{Kind: rest, Count: 1})
			case "fail":
				flush()
				yield(process.Transcript{}, memory.Errorf(memory.KindInternal, "read", "it is damaged"))
				return
			}
			if !ok {
				return
			}
		}
		flush()
	}
}

func detectPlain(path string) (transcript.Format, error) {
	if (plain{}).Detect(path, nil) {
		return plain{}, nil
	}
	return nil, memory.Errorf(memory.KindInvalid, "detect", "not a talk")
}

// TestEmpty tells of files of a known kind that give no conversation, once.
func TestEmpty(t *testing.T) {
	i := newImporting(t)
	path := i.file("a.talk", "talk one", "bad unparsable", "odd word")
	i.file("b.talk", "talk two", "+ hello")
	want := []Failure{{Path: path, Error: "of the kind plain, and nothing that was said is in it; 1 record skipped: unparsable"}}
	ledger := filepath.Join(i.dir, "data", "imports.json")
	for _, opts := range []Options{{DryRun: true}, {}} {
		sum := i.run(t.Context(), opts)
		if diff := cmp.Diff(want, sum.Failures); diff != "" || sum.Files.Failed != 1 || sum.Files.Read != 1 {
			t.Errorf("%+v (-want +got)\n%s", sum.Files, diff)
		}
	}
	if sum := i.run(t.Context(), Options{}); len(sum.Failures) != 0 || sum.Files.Unchanged != 2 {
		t.Errorf("again: %+v", sum)
	}
	if diff := cmp.Diff(want, Empty(ledger)); diff != "" {
		t.Errorf("empty (-want +got)\n%s", diff)
	}
	i.file("a.talk", "talk one", "bad unparsable", "+ now something is said")
	if got := Empty(ledger); len(got) != 0 {
		t.Errorf("a file that changed since: %v", got)
	}
	if sum := i.run(t.Context(), Options{}); sum.Conversations.New != 1 || len(Empty(ledger)) != 0 {
		t.Errorf("after a change: %+v, %v", sum, Empty(ledger))
	}
}

// importing is an importer with folders of its own.
type importing struct {
	t   *testing.T
	dir string
}

func newImporting(t *testing.T) *importing {
	return &importing{t: t, dir: t.TempDir()}
}

func (i *importing) file(name string, lines ...string) string {
	i.t.Helper()
	path := filepath.Join(i.dir, "in", name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644)); err != nil {
		i.t.Fatal(err)
	}
	return path
}

func (i *importing) run(ctx context.Context, opts Options) Summary {
	i.t.Helper()
	if opts.Paths == nil {
		opts.Paths = []string{filepath.Join(i.dir, "in")}
	}
	im := &Importer{
		Store: i.store(), Ledger: filepath.Join(i.dir, "data", "imports.json"), formats: []transcript.Format{plain{}}, detect: detectPlain,
		FindProject: func(dir string) (string, bool) {
			root, _, ok := strings.Cut(dir, "/sub")
			return root, ok
		},
	}
	sum, err := im.Import(ctx, opts)
	if err != nil {
		i.t.Fatal(err)
	}
	return sum
}

func (i *importing) store() *process.Store {
	i.t.Helper()
	s, err := process.Open(filepath.Join(i.dir, "data"), process.Options{Redact: func(_ context.Context, text string) (string, bool, error) {
		clean := strings.ReplaceAll(text, "SECRET", "[redacted:x]")
		return clean, clean != text, nil
	}})
	if err != nil {
		i.t.Fatal(err)
	}
	return s
}

// said lists the turns of each project.
func (i *importing) said() map[string][]string {
	i.t.Helper()
	s, out := i.store(), map[string][]string{}
	projects, err := s.Projects(i.t.Context())
	if err != nil {
		i.t.Fatal(err)
	}
	for _, project := range projects {
		for p, err := range s.Conversations(i.t.Context(), project) {
			if err != nil {
				i.t.Fatal(err)
			}
			for turn, err := range s.Turns(i.t.Context(), project, p.UUID, process.Position{}) {
				if err != nil {
					i.t.Fatal(err)
				}
				out[project] = append(out[project], turn.Content)
			}
		}
	}
	return out
}

func (i *importing) want(got, want any) {
	i.t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		i.t.Errorf("(-want +got)\n%s", d)
	}
}

func TestImport(t *testing.T) {
	i := newImporting(t)
	gone := filepath.Join(i.dir, "gone")
	i.file("a.talk", "talk 1 /p/sub/x", "+ one", "+ two SECRET", "+ three", "+ three", "+ three", "title it is SECRET", "bad lines", "bad lines", "odd x")
	i.file("deep/b.talk", "talk 2 "+gone, "+ else", "talk 3 "+i.dir, "+ home", "talk 4", "+ nowhere", "talk 5 /p/sub")
	i.file("README.md", "no talk")
	unknown := []string{filepath.Join(i.dir, "in", "README.md")}
	if err := os.Symlink(i.dir, filepath.Join(i.dir, "in", "loop")); err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{"/p": {"one", "two [redacted:x]", "three", "three", "three"}, gone: {"else"}, "": {"home"}, "/here": {"nowhere"}}
	sum := Summary{
		Files: Files{Read: 2, Unknown: 1}, Conversations: Conversations{New: 4}, Turns: 8, Masked: 1,
		Skipped: map[string]int{"lines": 2, "turn of an unknown role": 1}, Unknown: unknown,
	}

	dry := sum
	dry.DryRun = true
	i.want(i.run(t.Context(), Options{Here: "/here", DryRun: true}), dry)
	i.want(i.said(), map[string][]string{})

	i.want(i.run(t.Context(), Options{Here: "/here"}), sum)
	got := i.said()
	i.want(got, want)
	i.want(i.run(t.Context(), Options{Here: "/here"}), Summary{Files: Files{Unchanged: 2, Unknown: 1}, Skipped: map[string]int{}, Unknown: unknown})
	sum.Conversations, sum.Turns, sum.Masked = Conversations{Unchanged: 4}, 0, 0
	i.want(i.run(t.Context(), Options{Here: "/here", Force: true}), sum)
	i.want(i.said(), want)
	p, err := i.store().Conversation(t.Context(), "/p", process.ID(0, "plain", "1"))
	if err != nil {
		t.Fatal(err)
	}
	i.want(p, process.Conversation{
		UUID: p.UUID, Project: "/p", Agent: "plain", External: "1", Title: "it is [redacted:x]", Trust: memory.TrustImported,
		Start: time.Unix(1000, 0).UTC(), End: time.Unix(960, 0).UTC(), ExitReason: "imported",
	})
}

func TestImportMore(t *testing.T) {
	i := newImporting(t)
	i.file("a.talk", "talk 1 /p/sub", "+ one")
	i.run(t.Context(), Options{})
	i.file("a.talk", "talk 1 /p/sub", "+ one", "+ two")
	sum := i.run(t.Context(), Options{})
	i.want(sum, Summary{Files: Files{Read: 1}, Conversations: Conversations{Updated: 1}, Turns: 1, Skipped: map[string]int{}})
	// Known conversations stay where they are.
	i.want(i.run(t.Context(), Options{Project: "/q", Force: true}).Conversations, Conversations{Unchanged: 1})
	i.file("b.talk", "talk 2 /p/sub", "+ three")
	i.run(t.Context(), Options{Project: "/q"})
	i.want(i.said(), map[string][]string{"/p": {"one", "two"}, "/q": {"three"}})

	if err := i.store().Remove(t.Context(), "/p", process.ID(0, "plain", "1")); err != nil {
		t.Fatal(err)
	}
	i.file("a.talk", "talk 1 /p/sub", "+ one", "+ two", "+ more")
	for _, dry := range []bool{true, false} {
		i.want(i.run(t.Context(), Options{DryRun: dry}).Conversations, Conversations{Removed: 1})
	}
	i.want(i.said(), map[string][]string{"/q": {"three"}})
}

func TestImportFailures(t *testing.T) {
	i := newImporting(t)
	i.file("a.talk", "talk 1 /p/sub", "+ one", "fail", "+ never")
	i.file("b.talk", "talk 2 /p/sub", "+ two")
	readme := i.file("README.md", "no talk")
	sum := i.run(t.Context(), Options{})
	i.want(sum.Failures, []Failure{{Path: filepath.Join(i.dir, "in", "a.talk"), Error: "it is damaged"}})
	i.want(len(i.said()["/p"]), 2)
	// What failed is read again.
	sum = i.run(t.Context(), Options{})
	i.want(sum.Files, Files{Unchanged: 1, Unknown: 1, Failed: 1})
	sum = i.run(t.Context(), Options{Paths: []string{readme, readme + ".gone"}})
	i.want(sum.Failures, []Failure{{readme, "not a talk"}, {readme + ".gone", "no such file or directory"}})
}

func TestImportInterrupted(t *testing.T) {
	i := newImporting(t)
	i.file("a.talk", "talk 1 /p/sub", "+ one")
	i.file("b.talk", "talk 2 /p/sub", "+ two")
	i.file("c.talk", "talk 3 /p/sub", "+ three")
	ctx, cancel := context.WithCancel(t.Context())
	sum := i.run(ctx, Options{Progress: func(done, _ int, _ *Summary) {
		if done == 2 {
			cancel()
		}
	}})
	i.want([]any{sum.Interrupted, sum.Files.Read, len(i.said()["/p"])}, []any{true, 2, 2})
	i.want(i.run(t.Context(), Options{}).Files, Files{Read: 1, Unchanged: 2})
}
