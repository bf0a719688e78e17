package agents

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

const threeLines = "one\ntwo\nthree\n"

// planned applies a plan and returns what the file holds, "-" where it is not there.
func planned(t *testing.T, path, lines string) string {
	t.Helper()
	p, err := Tell(path, lines)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Apply(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return "-"
	}
	return string(text)
}

// TestTell: the block comes and goes, once, and every other byte stays.
func TestTell(t *testing.T) {
	path := filepath.Join(t.TempDir(), "CLAUDE.md")
	const block = toldBegin + threeLines + toldEnd
	if got := planned(t, path, threeLines); got != block+"\n" {
		t.Errorf("a new file: %q", got)
	}
	if got := planned(t, path, ""); got != "-" {
		t.Errorf("taken out: %q", got)
	}
	for before, want := range map[string]string{
		"# Rules\r\n\r\n- a\r\n": "# Rules\r\n\r\n- a\r\n" + block + "\n",
		"no line end":            "no line end\n" + block,
		"\n\n":                   "\n\n" + block + "\n",
	} {
		if err := os.WriteFile(path, []byte(before), 0o640); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if got := planned(t, path, threeLines); got != want {
				t.Errorf("%q: %q", before, got)
			}
		}
		if got := planned(t, path, "other\n"); !strings.Contains(got, toldBegin+"other\n") || strings.Contains(got, "one") {
			t.Errorf("%q: %q", before, got)
		}
		if fi, _ := os.Stat(path); fi.Mode().Perm() != 0o640 {
			t.Errorf("mode %v", fi.Mode())
		}
		if got := planned(t, path, ""); got != before {
			t.Errorf("%q is %q after all", before, got)
		}
	}
	// What was written behind it stays as well.
	planned(t, path, "")
	if err := os.WriteFile(path, []byte("a\n"+block+"\nb\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := planned(t, path, "other\n"); got != "a\n"+toldBegin+"other\n"+toldEnd+"\nb\n" {
		t.Errorf("another block: %q", got)
	}
	if got := planned(t, path, ""); got != "a\nb\n" {
		t.Errorf("text behind the block: %q", got)
	}
}

func TestTellProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOf(rapid.SampledFrom([]string{"\n", "\r\n", "a", " ", "<!--", "\xff"})).Draw(t, "text")
		before := []byte(strings.Join(text, ""))
		if got := withoutBlock(withBlock(before, toldBegin+threeLines+toldEnd)); string(got) != string(before) {
			t.Fatalf("%q is %q", before, got)
		}
	})
}

func TestTellRefuses(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other")
	for name, make := range map[string]func(path string) error{
		"a link":           func(path string) error { return os.Symlink(other, path) },
		"a link to a file": func(path string) error { return os.Symlink("told_test.go", path) },
		"a directory":      func(path string) error { return os.Mkdir(path, 0o700) },
		"half a block":     func(path string) error { return os.WriteFile(path, []byte(toldBegin+"x\n"), 0o600) },
	} {
		path := filepath.Join(dir, name)
		if err := make(path); err != nil {
			t.Fatal(err)
		}
		if _, err := Tell(path, threeLines); memory.KindOf(err) != memory.KindInvalid || err == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
