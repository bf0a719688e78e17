package config_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/config"
	"github.com/rnixfs/rnixfs/kernel/memory"
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

// TestWorking leaves out a project's file with a mistake, whoever else's is right.
func TestWorking(t *testing.T) {
	dir := t.TempDir()
	from := config.Sources{UserDir: filepath.Join(dir, "user"), Project: filepath.Join(dir, "p"), WorkDir: filepath.Join(dir, "w")}
	own := put(t, filepath.Join(from.UserDir, "memory.yaml"), "store: {memory_char_limit: 1}\n")
	put(t, filepath.Join(from.Project, ".rnix", "memory.yaml"), "store: {memory_char_limit: 2}\nx: 1\n")
	here := put(t, filepath.Join(from.WorkDir, "memory.yaml"), "writeback: {max_entries: 3}\nlog: {level: debug}\n")
	l, err := config.Working(t.Context(), from)
	must(t, err)
	if l.Config.Store.MemoryCharLimit != 1 || l.Config.Writeback.MaxEntries != 3 || l.Config.Log.Level != "info" || len(l.Files) != 2 {
		t.Errorf("in force is %+v of %v", l.Config, l.Files)
	}
	// One that is not theirs to set is ignored by itself.
	if l.Refused == nil || len(l.Refused.Problems) != 2 || l.Refused.Problems[0].Line != 2 || l.Refused.Problems[1].Path != "log.level" {
		t.Errorf("refused %v, want line 2 of the project's file, and log.level", l.Refused)
	}
	raw, err := json.Marshal(l.Refused.Problems)
	must(t, err)
	if !strings.Contains(string(raw), `"line":2,"column":1,"key":"x","reason":"unknown key`) {
		t.Errorf("as JSON: %s", raw)
	}
	for _, path := range []string{own, here} {
		put(t, path, "x: 1\n")
		named := config.Sources{Explicit: path}
		if _, err := config.Working(t.Context(), named); err == nil {
			t.Errorf("%s was named, and passed over", path)
		}
	}
	if _, err := config.Working(t.Context(), from); err == nil || !strings.Contains(err.Error(), own) {
		t.Errorf("the user's own file was passed over: %v", err)
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
	// Nor may it name a program to run, or say what is sent where.
	for _, key := range []string{"writeback: {command: [evil]}", "writeback: {command: evil -p}", "writeback: {prompt: /tmp/x}", "llm: {base_url: https://evil/v1}", "llm: {api: openai}"} {
		must(t, os.WriteFile(theirs, []byte(key+"\n"), 0o600))
		l, err := config.Working(t.Context(), from)
		must(t, err)
		if c, def := l.Config, config.Default(); len(c.Writeback.Command) > 0 || c.Writeback.Prompt != "" || c.LLM != def.LLM || l.Refused == nil {
			t.Errorf("%s is in force: %+v", key, c)
		}
	}
}

// TestCommand is the program that extracts: a list, or words between blanks.
func TestCommand(t *testing.T) {
	for doc, want := range map[string]config.Words{
		`[gemini, -p, ""]`: {"gemini", "-p", ""}, "claude  -p": {"claude", "-p"}, "[]": {}, `""`: nil, "x": {"x"},
	} {
		l, err := load(t, "writeback: {command: "+doc+"}")
		must(t, err)
		if got := l.Config.Writeback.Command; !slices.Equal(got, want) {
			t.Errorf("%s: got %q", doc, got)
		}
	}
	for doc, want := range map[string]string{
		`sh -c 'x y'`: "must be a list of words", `["", x]`: "command[0]: must name a program", "{a: b}": "must be a list", `["a\nb"]`: "printable", "[[x]]": "must be a text",
	} {
		if _, err := load(t, "writeback: {command: "+doc+"}"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", doc, err)
		}
	}
}

// TestAProjectSpeaksForItself: what a repository's file says holds for the project's own
// scopes, and for nothing else; it is told.
func TestAProjectSpeaksForItself(t *testing.T) {
	dir := t.TempDir()
	from := config.Sources{UserDir: filepath.Join(dir, "user"), Project: filepath.Join(dir, "p"), WorkDir: filepath.Join(dir, "p")}
	put(t, filepath.Join(from.UserDir, "memory.yaml"), "store: {memory_char_limit: 5000}\nscopes: {diary: {owner: user}, notes: {owner: project, ttl: 3d}}\n")
	put(t, filepath.Join(from.Project, ".rnix", "memory.yaml"), `
store: {memory_char_limit: 40, user_char_limit: 40, overflow_policy: fifo}
scopes: {user: {chars: 1}, diary: {ttl: 1m}, session: {entries: 1}, notes: {owner: user, recall: false, chars: 7}, theirs: {chars: 1}}
mount: {allow_other: true}
user_profile: {enabled: false}
recall: {enabled: false, max_results: 1}
log: {level: debug}
score: {importance: 0}
`)
	put(t, filepath.Join(from.WorkDir, "memory.yaml"), "enabled: false\n")
	before, err := config.Working(t.Context(), config.Sources{UserDir: from.UserDir})
	must(t, err)
	l, err := config.Working(t.Context(), from)
	must(t, err)
	if c, own := l.Config, l.Own; c.Mount != own.Mount || c.Recall != own.Recall || c.Log != own.Log || c.Score != own.Score || !own.Enabled {
		t.Errorf("in force is %+v", c)
	}
	for scope, p := range before.Policies() {
		if p.Owner == memory.OwnerProject {
			p.ReadOnly, p.Overflow = true, memory.OverflowFIFO
			p.Runes = map[memory.Scope]int{memory.ScopeProject: 40, "notes": 7}[scope]
		}
		if got := l.Policies()[scope]; got != p {
			t.Errorf("%s: got %+v, want %+v", scope, got, p)
		}
	}
	if n := len(l.Policies()); n != len(before.Policies()) || len(l.Refused.Problems) != 13 {
		t.Errorf("%d scopes; refused %v", n, l.Refused)
	}
}
