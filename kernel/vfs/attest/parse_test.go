package attest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

func TestParseStat(t *testing.T) {
	tail := " S 12 34 56 34817 0 1 2 3 4 5 6 7 8 9 10 11 12 13 987654 99 0"
	s, ok := parseStat([]byte("7 (a) b) (c)" + tail))
	if want := (stat{comm: "a) b) (c", state: 'S', ppid: 12, sid: 56, tty: 34817, start: 987654}); !ok || s != want {
		t.Errorf("%+v %v, want %+v", s, ok, want)
	}
	for _, bad := range []string{"", "7", "7 (x", "7 (x)", "7 (x) S 1 2", "7 )x(" + tail, "7 (x) S a b c d e f g h i j k l m n o p q r s t"} {
		if s, ok := parseStat([]byte(bad)); ok {
			t.Errorf("%q: %+v", bad, s)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("7 (a) b) S 12 34 56 34817 0 1 2 3 4 5 6 7 8 9 10 11 12 13 987654 99 0"))
	f.Fuzz(func(_ *testing.T, raw []byte) { parseStat(raw) })
}

func TestAgentNames(t *testing.T) {
	for exe, want := range map[string]bool{
		"/usr/bin/claude": true, "/opt/codex-linux-x64": true, "/x/gemini-cli": true, "/bin/aider.py": true,
		"/bin/bash": false, "/usr/bin/node": false, "": false, "/home/claude/bin/vim": false,
	} {
		if got := slices.Contains(knownAgents, agentName(exe)); got != want {
			t.Errorf("%s: %v", exe, got)
		}
	}
	for path, want := range map[string]bool{
		"/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js": true,
		"/usr/lib/node_modules/@google/gemini-cli/dist/index.js": true,
		"/usr/lib/node_modules/typescript/bin/tsc":               false,
		"/srv/claude/app.js": false,
	} {
		if got := inAgentPackage(path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}

func TestProject(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	sh := exec.Command("sh", "-ec", `
		export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
		mkdir -p main plain/deep rnix/.rnix rnix/in/.rnixfile junk/sub link
		git init -q main; git -C main commit -q --allow-empty -m x; mkdir -p main/src/deep
		git -C main worktree add -q ../tree; mkdir tree/src
		git clone -q --bare main bare/.bare 2>/dev/null; echo 'gitdir: ./.bare' > bare/.git; git -C bare worktree add -q w HEAD 2>/dev/null
		git clone -q --bare main naked.git; git -C naked.git worktree add -q ../nakedtree HEAD 2>/dev/null
		mkdir main/rnixin; mkdir main/rnixin/.rnix
		git init -q outer; git -C outer -c protocol.file.allow=always submodule --quiet add ../main sub
		printf 'gitdir: %s/main/.git/worktrees/tree\n' "$PWD" > junk/.git
		mkdir nothing; printf 'gitdir: /no/such/place\n' > nothing/.git; mkdir garbage; head -c 20000 /dev/zero > garbage/.git
		mkdir loop; printf 'gitdir: .\n' > loop/.git; mkdir fifo; mkfifo fifo/.git; ln -s main link/m
		# Worktrees of a repository with memory, and of one whose folder inside is a project, too.
		mkdir -p own/.rnix/memory own/app/.rnix; touch own/.rnix/memory/a.md own/app/.rnix/b; git init -q own; git -C own add -f .; git -C own commit -qm x
		git -C own worktree add -q ../owntree; mkdir owntree/new owntree/new/.rnix
		git init -q real; mv real/.git store; ln -s ../store real/.git; git -C real commit -q --allow-empty -m x; git -C real worktree add -q ../realtree
		# What names another repository, of which that one does not know.
		claim() { mkdir -p $1; printf 'gitdir: %s\n' "$2" > $1/.git; }
		claim copied "$PWD/main/.git"; claim modules "$PWD/main/.git/modules/x"; mkdir -p main/.git/modules/x
		mkdir -p forged/fake/worktrees/t; claim forged fake/worktrees/t; printf '%s/main/.git\n' "$PWD" > forged/fake/worktrees/t/commondir; printf '%s/forged/.git\n' "$PWD" > forged/fake/worktrees/t/gitdir
		mkdir -p loose/fake; claim loose fake; printf '%s/main/.git\n' "$PWD" > loose/fake/commondir; printf '%s/loose/.git\n' "$PWD" > loose/fake/gitdir
		mkdir -p linked/w; ln -s "$PWD/main/.git" linked/w/.git; claim linked w/.git/worktrees/tree
		mkdir symlinked hardlinked; ln -s ../tree/.git symlinked/.git; ln tree/.git hardlinked/.git
		claim other "$PWD/own/.git/worktrees/owntree"; mkdir other/.rnix
	`)
	sh.Dir = top
	if out, err := sh.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for dir, want := range map[string]string{
		"main":          "main",
		"main/src/deep": "main",
		"main/rnixin":   "main/rnixin",
		"tree/src":      "main",
		"bare/w":        "bare",
		"bare":          "bare",
		"nakedtree":     "nakedtree",
		"outer/sub":     "outer/sub",
		"outer":         "outer",
		"rnix/in":       "rnix",
		"plain/deep":    "",
		"junk/sub":      "junk", // its worktree does not lead back here
		"nothing":       "nothing",
		"garbage":       "",
		"fifo":          "",
		"loop":          "loop",
		"owntree":       "own",
		"owntree/app":   "own/app",
		"owntree/new":   "owntree/new",
		"realtree":      "realtree",
		"copied":        "copied",
		"modules":       "modules",
		"forged":        "forged",
		"loose":         "loose",
		"linked":        "linked",
		"symlinked":     "symlinked",
		"hardlinked":    "hardlinked",
		"other":         "other",
	} {
		got, ok := Project(filepath.Join(top, dir))
		if want != "" {
			want = filepath.Join(top, want)
		}
		if got != want || ok != (want != "") {
			t.Errorf("%s: %q %v, want %q", dir, got, ok, want)
		}
	}
	if _, ok := Project("relative"); ok {
		t.Error("a relative path")
	}
}

// TestProjectLeft: where a worktree was removed and its repository still knows it, a
// stranger can't take its place.
func TestProjectLeft(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to be a stranger")
	}
	top := t.TempDir()
	for path, text := range map[string]string{
		"main/.git/worktrees/tree/gitdir": top + "/tree/.git\n",
		"tree/.git":                       "gitdir: " + top + "/main/.git/worktrees/tree\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(top, path)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(top, path), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if root, _ := Project(top + "/tree"); root != top+"/main" {
		t.Errorf("one's own: %s", root)
	}
	if err := os.Chown(top+"/tree/.git", 1001, 1001); err != nil {
		t.Fatal(err)
	}
	if root, _ := Project(top + "/tree"); root != top+"/tree" {
		t.Errorf("a stranger's: %s", root)
	}
}

// TestKnown: a project that is known by name alone is not another user's, where everyone
// can put a directory.
func TestKnown(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to be a stranger")
	}
	root := filepath.Join(t.TempDir(), "tmp", "project")
	if err := os.MkdirAll(root, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		owner int
		mode  os.FileMode
		want  memory.Kind
		ok    bool
	}{{1000, 0o1777, 0, true}, {0, 0o1777, 0, true}, {1001, 0o755, 0, true}, {1001, 0o1777, memory.KindDenied, false}} {
		if err := errors.Join(os.Chown(root, c.owner, c.owner), os.Chmod(filepath.Dir(root), c.mode)); err != nil {
			t.Fatal(err)
		}
		if _, err := Known(root, 1000); (err == nil) != c.ok || err != nil && memory.KindOf(err) != c.want {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if _, err := Known(root+"/none", 1000); memory.KindOf(err) != memory.KindUnavailable {
		t.Error(err)
	}
}

// TestProjectTrap: in a directory that all may write to, a stranger's marker
// makes no project.
func TestProjectTrap(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to be a stranger")
	}
	open := filepath.Join(t.TempDir(), "tmp")
	if err := os.MkdirAll(open+"/.rnix", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o1777); err != nil {
		t.Fatal(err)
	}
	var a Attester
	if root, _, _ := a.projectOf(open, 1000, view{-1}); root == "" {
		t.Error("root's marker counts")
	}
	if err := os.Chown(open+"/.rnix", 1001, 1001); err != nil {
		t.Fatal(err)
	}
	if root, _, _ := a.projectOf(open, 1000, view{-1}); strings.HasPrefix(root, open) {
		t.Error("a stranger's does not")
	}
	if root, _, _ := a.projectOf(open, 1001, view{-1}); root == "" {
		t.Error("one's own does")
	}
}
