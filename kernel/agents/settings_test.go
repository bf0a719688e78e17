package agents

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// fileOf is the hooks of an agent alone, in a file.
func fileOf(a *Agent, path string, c Command) File {
	f := a.Files(func(string) string { return "" }, "", "/p", Wanted{Command: c})[0]
	f.Path, f.parts = path, f.parts[:1]
	return f
}

func install(t require, a *Agent, path string) *Plan {
	p, err := fileOf(a, path, command).Install()
	if err == nil {
		err = p.Apply()
	}
	if err != nil {
		t.Fatalf("install into %s: %v", path, err)
	}
	return p
}

func uninstall(t require, a *Agent, path string) *Plan {
	p, err := fileOf(a, path, Command{Binary: "/elsewhere/rnixfs"}).Uninstall()
	if err == nil {
		err = p.Apply()
	}
	if err != nil {
		t.Fatalf("uninstall from %s: %v", path, err)
	}
	return p
}

type require interface{ Fatalf(string, ...any) }

// TestThereAndBack: after an installation and its removal the folder is as it was.
func TestThereAndBack(t *testing.T) {
	for name, text := range map[string]string{
		"empty":         "",
		"blank":         " \n",
		"object":        "{}",
		"blank object":  "{ \n }\n",
		"no hooks":      "{\n  \"hooks\": {}\n}\n",
		"no groups":     "{\n  \"hooks\": { \"Stop\": [], \"AfterAgent\": [ ] }\n}\n",
		"no handlers":   "{\"hooks\": {\"Stop\": [{\"hooks\": []}]}}",
		"tabs":          "{\n\t\"model\": \"x\",\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{ \"hooks\": [] }\n\t\t]\n\t}\n}\n",
		"CRLF":          "{\r\n  \"model\": \"x\"\r\n}\r\n",
		"mark":          "\xef\xbb\xbf{\n  \"model\": \"x\"\n}",
		"no line end":   "{\n  \"model\": \"x\"}",
		"others' hooks": "{\n    \"z\": 1,\n    \"hooks\": {\n        \"SessionStart\": [ { \"matcher\": \"startup\", \"hooks\": [ { \"type\": \"command\", \"command\": \"a\" } ] } ],\n        \"PreToolUse\": []\n    },\n    \"a\": [1,\n2]\n}\n",
	} {
		for _, a := range hooked() {
			dir := t.TempDir()
			path := filepath.Join(dir, filepath.Base(a.hooks.home))
			if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
				t.Fatal(err)
			}
			if p := install(t, a, path); !p.Changed() {
				t.Errorf("%s, %s: nothing was installed", a.Name, name)
			}
			if again, err := fileOf(a, path, command).Install(); err != nil || again.Changed() {
				t.Errorf("%s, %s: a second installation changes the file (%v)", a.Name, name, err)
			}
			uninstall(t, a, path)
			checkFolder(t, dir, map[string]string{filepath.Base(a.hooks.home): text})
			if fi, err := os.Stat(path); err != nil || fi.Mode() != 0o640 {
				t.Errorf("%s, %s: the mode is %v (%v)", a.Name, name, fi.Mode(), err)
			}
			if p := uninstall(t, a, path); p.Changed() {
				t.Errorf("%s, %s: a second removal changes the file", a.Name, name)
			}
		}
	}
}

func checkFolder(t require, dir string, want map[string]string) {
	names, err := os.ReadDir(dir)
	if err != nil || len(names) != len(want) {
		t.Fatalf("the folder holds %v (%v)", names, err)
	}
	for name, text := range want {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || string(got) != text {
			t.Fatalf("%s is %q (%v), want %q", name, got, err, text)
		}
	}
}

func TestThereAndBackProperty(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		a := hooked()[rapid.IntRange(0, len(hooked())-1).Draw(t, "agent")]
		path := filepath.Join(dir, filepath.Base(a.hooks.home))
		text := settingsText(t, a.comments)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatalf("%v", err)
		}
		install(t, a, path)
		if rapid.Bool().Draw(t, "installed again from elsewhere") {
			p, err := fileOf(a, path, Command{Binary: "/opt/rnixfs", Recall: true}).Install()
			if err == nil {
				err = p.Apply()
			}
			if err != nil {
				t.Fatalf("%v", err)
			}
		}
		uninstall(t, a, path)
		checkFolder(t, dir, map[string]string{filepath.Base(a.hooks.home): text})
		os.Remove(path)
	})
}

func TestNoFile(t *testing.T) {
	for _, a := range hooked() {
		dir := t.TempDir()
		path := filepath.Join(dir, a.hooks.home)
		install(t, a, path)
		if fi, err := os.Stat(path); err != nil || fi.Mode().Perm()&0o600 != 0o600 {
			t.Fatalf("%s: %v", a.Name, err)
		}
		if _, err := os.Stat(path + backupSuffix); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: there is a backup of nothing (%v)", a.Name, err)
		}
		uninstall(t, a, path)
		checkFolder(t, filepath.Dir(path), nil)
	}
}

func TestUmask(t *testing.T) {
	a := ByName("claude")
	for mask, want := range map[int]fs.FileMode{0o022: 0o644, 0o027: 0o640, 0o077: 0o600} {
		path := filepath.Join(t.TempDir(), "settings.json")
		before := syscall.Umask(mask)
		p, err := fileOf(a, path, Command{Binary: "/usr/bin/rnixfs"}).Install()
		if err == nil {
			err = p.Apply()
		}
		syscall.Umask(before)
		if err != nil {
			t.Fatal(err)
		}
		if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != want {
			t.Errorf("umask %03o: %v, %v; want %v", mask, fi.Mode(), err, want)
		}
	}
}

// TestEditedBetween: what was changed after the installation stays.
func TestEditedBetween(t *testing.T) {
	a := ByName("claude")
	path := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(path, []byte("{\n  \"model\": \"x\"\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	install(t, a, path)
	text, _ := os.ReadFile(path)
	text = bytes.Replace(text, []byte(`"x"`), []byte(`"y"`), 1)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if p := uninstall(t, a, path); p.Exact {
		t.Error("the backup was taken for the file")
	}
	if got, _ := os.ReadFile(path); string(got) != "{\n  \"model\": \"y\"\n}\n" {
		t.Errorf("got %q", got)
	}
	if got, _ := os.ReadFile(path + backupSuffix); string(got) != "{\n  \"model\": \"x\"\n}\n" {
		t.Errorf("the backup is %q", got)
	}
}

func TestLinkedSettings(t *testing.T) {
	a := ByName("claude")
	dir := t.TempDir()
	target, link := filepath.Join(dir, "dotfiles", "claude.json"), filepath.Join(dir, "settings.json")
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(target, []byte("{}\n"), 0o600), os.Symlink("dotfiles/claude.json", link)); err != nil {
		t.Fatal(err)
	}
	install(t, a, link)
	if to, err := os.Readlink(link); err != nil || to != "dotfiles/claude.json" {
		t.Errorf("the link leads to %q (%v)", to, err)
	}
	if text, _ := os.ReadFile(target); !bytes.Contains(text, []byte("hook claude")) {
		t.Errorf("its target holds %q", text)
	}
	uninstall(t, a, link)
	checkFolder(t, filepath.Dir(target), map[string]string{"claude.json": "{}\n"})

	if err := os.Remove(target); err != nil {
		t.Fatal(err)
	}
	if _, err := fileOf(a, link, command).Install(); memory.KindOf(err) != memory.KindInvalid {
		t.Errorf("a link that leads nowhere: %v", err)
	}
}

func TestNotWritten(t *testing.T) {
	a := ByName("claude")
	dir := t.TempDir()
	path := filepath.Join(dir, "settings.json")
	if err := os.WriteFile(path, []byte("{}"), 0o444); err != nil {
		t.Fatal(err)
	}
	p, err := fileOf(a, path, command).Install()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Apply(); memory.KindOf(err) != memory.KindReadOnly {
		t.Errorf("a read-only file: %v", err)
	}
	checkFolder(t, dir, map[string]string{"settings.json": "{}"})

	if err := errors.Join(os.Chmod(path, 0o600), os.WriteFile(path, []byte("{} "), 0o600)); err != nil {
		t.Fatal(err)
	}
	if p, err = fileOf(a, path, command).Install(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(`{"new":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.Apply(); memory.KindOf(err) != memory.KindConflict {
		t.Errorf("a file that changed meanwhile: %v", err)
	}
	if got, _ := os.ReadFile(path); string(got) != `{"new":1}` {
		t.Errorf("it holds %q", got)
	}
	if _, err := fileOf(a, dir, command).Install(); memory.KindOf(err) != memory.KindInvalid {
		t.Errorf("a folder: %v", err)
	}
}

func TestSettingsPath(t *testing.T) {
	none := func(string) string { return "" }
	set := func(string) string { return "/set" }
	for _, tc := range []struct {
		agent, project, want string
		getenv               func(string) string
	}{
		{"claude", "", "/home/u/.claude/settings.json", none},
		{"codex", "", "/home/u/.codex/hooks.json", none},
		{"gemini", "", "/home/u/.gemini/settings.json", none},
		{"claude", "", "/set/settings.json", set},
		{"codex", "", "/set/hooks.json", set},
		{"gemini", "", "/set/.gemini/settings.json", set},
		{"claude", "/p", "/p/.claude/settings.json", set},
		{"codex", "/p", "/p/.codex/hooks.json", none},
	} {
		if got := ByName(tc.agent).hooks.path(tc.getenv, "/home/u", tc.project); got != tc.want {
			t.Errorf("%s in %q: %s, want %s", tc.agent, tc.project, got, tc.want)
		}
	}
}

func TestDiff(t *testing.T) {
	if got := Diff("x", []byte("a\nb\n"), []byte("a\nb\n")); got != "" {
		t.Errorf("no change: %q", got)
	}
	before := "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12"
	after := strings.Replace(before, "2\n", "two\n", 1) + "\n13\n"
	want := "--- f\n+++ f\n@@ -1,5 +1,5 @@\n 1\n-2\n+two\n 3\n 4\n 5\n@@ -9,4 +9,5 @@\n 9\n 10\n 11\n-12\n\\ No newline at end of file\n+12\n+13\n"
	if got := Diff("f", []byte(before), []byte(after)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := Diff("f", nil, []byte("a\n")); got != "--- f\n+++ f\n@@ -0,0 +1 @@\n+a\n" {
		t.Errorf("a new file:\n%s", got)
	}
}
