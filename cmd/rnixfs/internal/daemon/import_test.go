package daemon

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
)

// plain is a made-up format: "talk ID [DIR]" begins a conversation, "+ TEXT" is
// said in it, "title TEXT" names it, "bad KIND" is a record that is passed over,
// "fail" ends the reading. Parts are of two turns.
type plain struct{}

type badRecord struct{ kind string }

func (b badRecord) Error() string { return b.kind }

func (plain) Name() string { return "plain" }

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
				ok = yield(process.Transcript{}, badRecord{rest})
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

var plainFormats = ConversationFormats{
	All: []ConversationFormat{plain{}},
	Detect: func(path string) (ConversationFormat, error) {
		if strings.HasSuffix(path, ".talk") {
			return plain{}, nil
		}
		return nil, memory.Errorf(memory.KindInvalid, "detect", "not a talk")
	},
	Skipped: func(err error) (string, int, bool) {
		var b badRecord
		return b.kind, 1, errors.As(err, &b)
	},
}

// importing is an importer with folders of its own.
type importing struct {
	t    *testing.T
	dir  string
	last *importer
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

func (i *importing) run(ctx context.Context, opts ImportOptions) ImportSummary {
	i.t.Helper()
	if opts.Paths == nil {
		opts.Paths = []string{filepath.Join(i.dir, "in")}
	}
	i.last = &importer{
		ImportOptions: opts, formats: plainFormats, store: i.store(), ledgerFile: filepath.Join(i.dir, "data", "imports.json"),
		projectOf: func(dir string) (string, bool) {
			root, _, ok := strings.Cut(dir, "/sub")
			return root, ok
		},
	}
	if err := i.last.run(ctx); err != nil {
		i.t.Fatal(err)
	}
	return i.last.sum
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
	sum := ImportSummary{
		Files: ImportFiles{Read: 2, Unknown: 1}, Conversations: ImportConversations{New: 4}, Turns: 8, Masked: 1,
		Skipped: map[string]int{"lines": 2, "turn of an unknown role": 1}, Unknown: unknown,
	}

	dry := sum
	dry.DryRun = true
	i.want(i.run(t.Context(), ImportOptions{Here: "/here", DryRun: true}), dry)
	i.want(i.said(), map[string][]string{})

	i.want(i.run(t.Context(), ImportOptions{Here: "/here"}), sum)
	got := i.said()
	i.want(got, want)
	i.want(i.run(t.Context(), ImportOptions{Here: "/here"}), ImportSummary{Files: ImportFiles{Unchanged: 2, Unknown: 1}, Skipped: map[string]int{}, Unknown: unknown})
	sum.Conversations, sum.Turns, sum.Masked = ImportConversations{Unchanged: 4}, 0, 0
	i.want(i.run(t.Context(), ImportOptions{Here: "/here", Force: true}), sum)
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
	i.run(t.Context(), ImportOptions{})
	i.file("a.talk", "talk 1 /p/sub", "+ one", "+ two")
	sum := i.run(t.Context(), ImportOptions{})
	i.want(sum, ImportSummary{Files: ImportFiles{Read: 1}, Conversations: ImportConversations{Updated: 1}, Turns: 1, Skipped: map[string]int{}})
	// Known conversations stay where they are.
	i.want(i.run(t.Context(), ImportOptions{Project: "/q", Force: true}).Conversations, ImportConversations{Unchanged: 1})
	i.file("b.talk", "talk 2 /p/sub", "+ three")
	i.run(t.Context(), ImportOptions{Project: "/q"})
	i.want(i.said(), map[string][]string{"/p": {"one", "two"}, "/q": {"three"}})

	if err := i.store().Remove(t.Context(), "/p", process.ID(0, "plain", "1")); err != nil {
		t.Fatal(err)
	}
	i.file("a.talk", "talk 1 /p/sub", "+ one", "+ two", "+ more")
	for _, dry := range []bool{true, false} {
		i.want(i.run(t.Context(), ImportOptions{DryRun: dry}).Conversations, ImportConversations{Removed: 1})
	}
	i.want(i.said(), map[string][]string{"/q": {"three"}})
}

func TestImportFailures(t *testing.T) {
	i := newImporting(t)
	i.file("a.talk", "talk 1 /p/sub", "+ one", "fail", "+ never")
	i.file("b.talk", "talk 2 /p/sub", "+ two")
	readme := i.file("README.md", "no talk")
	sum := i.run(t.Context(), ImportOptions{})
	i.want(sum.Failures, []ImportFailure{{Path: filepath.Join(i.dir, "in", "a.talk"), Error: "it is damaged"}})
	i.want(len(i.said()["/p"]), 2)
	// What failed is read again.
	sum = i.run(t.Context(), ImportOptions{})
	i.want(sum.Files, ImportFiles{Unchanged: 1, Unknown: 1, Failed: 1})
	sum = i.run(t.Context(), ImportOptions{Paths: []string{readme, readme + ".gone"}})
	i.want(sum.Failures, []ImportFailure{{readme, "not a talk"}, {readme + ".gone", "no such file or directory"}})
}

func TestImportInterrupted(t *testing.T) {
	i := newImporting(t)
	i.file("a.talk", "talk 1 /p/sub", "+ one")
	i.file("b.talk", "talk 2 /p/sub", "+ two")
	i.file("c.talk", "talk 3 /p/sub", "+ three")
	ctx, cancel := context.WithCancel(t.Context())
	sum := i.run(ctx, ImportOptions{Progress: func(done, _ int, _ *ImportSummary) {
		if done == 2 {
			cancel()
		}
	}})
	i.want([]any{sum.Interrupted, sum.Files.Read, len(i.said()["/p"])}, []any{true, 2, 2})
	i.want(i.run(t.Context(), ImportOptions{}).Files, ImportFiles{Read: 1, Unchanged: 2})
}

// lines masks a secret that stands on one line, however long the text.
type lines struct{ longest int }

func (l *lines) Redact(_ context.Context, text string) (string, error) {
	l.longest = max(l.longest, len(text))
	return strings.ReplaceAll(text, "SECRET", "[x]"), nil
}

// TestCleanLong looks for secrets on every cut of a long text.
func TestCleanLong(t *testing.T) {
	for _, filler := range []string{"word ", "a line\n", "é", strings.Repeat("x", 1000) + "\n"} {
		text := strings.Repeat(filler, 3*pieceSize/len(filler))
		for _, at := range []int{0, pieceSize - 3, 2*pieceSize - 2, len(text)} {
			for at < len(text) && text[at]&0xc0 == 0x80 {
				at++
			}
			l := &lines{}
			got, err := cleanLong(t.Context(), l, text[:at]+"SECRET"+text[at:])
			if err != nil || got != text[:at]+"[x]"+text[at:] {
				t.Errorf("a secret at %d of %q is not masked, or more is (%v)", at, filler[:1], err)
			}
			if l.longest > pieceSize+4 {
				t.Errorf("a piece has %d bytes", l.longest)
			}
		}
	}
}
