package main_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// edits are how programs save a text, by the system calls that they make. Each gets the
// file's path.
var edits = []struct {
	name string
	save func(p saving, file, text string)
}{
	{"in place, as nano and VS Code do", func(p saving, file, text string) {
		p.write(file, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, text).close()
	}},
	{"vim, the old file renamed", func(p saving, file, text string) {
		swap := p.write(p.beside(file, ".", ".swp"), os.O_RDWR|os.O_CREATE|os.O_EXCL, "b0VIM 9.0")
		_ = p.read(file)
		probe := filepath.Join(filepath.Dir(file), "4913")
		p.write(probe, os.O_WRONLY|os.O_CREATE|os.O_EXCL, "").chown().close()
		p.do(os.Remove(probe))
		p.do(os.Rename(file, file+"~"))
		if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
			p.do(fmt.Errorf("it is still there: %v", err))
		}
		p.write(file, os.O_WRONLY|os.O_CREATE, text).sync().close()
		p.do(os.Chmod(file, 0o600))
		p.do(os.Remove(file + "~"))
		swap.close()
		p.do(os.Remove(p.beside(file, ".", ".swp")))
	}},
	{"vim, the old file copied", func(p saving, file, text string) {
		p.write(file+"~", os.O_WRONLY|os.O_CREATE|os.O_EXCL, p.read(file)).close()
		p.write(file, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, text).sync().close()
		p.do(os.Remove(file + "~"))
	}},
	{"emacs, whose backup stays", func(p saving, file, text string) {
		p.do(os.Rename(file, file+"~"))
		p.write(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, text).sync().close()
	}},
	{"Python's tempfile and os.replace", func(p saving, file, text string) {
		temp := filepath.Join(filepath.Dir(file), "tmpab12_xyz")
		p.write(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, text).sync().close()
		p.do(os.Rename(temp, file))
	}},
	{"a lock that is renamed, as git does", func(p saving, file, text string) {
		p.write(file+".lock", os.O_RDWR|os.O_CREATE|os.O_EXCL, text).close()
		p.do(os.Rename(file+".lock", file))
	}},
	{"the memory tool's reference client", func(p saving, file, text string) {
		temp := filepath.Join(filepath.Dir(file), ".tmp-1234-5f0c")
		p.write(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, text).sync().close()
		p.do(os.Rename(temp, file))
	}},
	{"renamed before it is closed", func(p saving, file, text string) {
		temp := filepath.Join(filepath.Dir(file), ".new")
		f := p.write(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, text[:2])
		p.do(os.Rename(temp, file))
		_, err := f.WriteString(text[2:])
		p.do(err)
		f.close()
	}},
	{"under a name that could be an entry's", func(p saving, file, text string) {
		p.write(file+".new", os.O_WRONLY|os.O_CREATE|os.O_EXCL, text).close()
		p.do(os.Rename(file+".new", file))
	}},
	{"changed where it stands", func(p saving, file, text string) {
		f := p.write(file, os.O_RDWR, text)
		p.do(f.Truncate(int64(len(text))))
		f.close()
	}},
}

// saving fails the test where a system call does.
type saving struct{ t *testing.T }

type open struct {
	*os.File
	saving
}

func (p saving) do(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p saving) read(file string) string {
	p.t.Helper()
	raw, err := os.ReadFile(file)
	p.do(err)
	return string(raw)
}

func (p saving) write(file string, flags int, text string) open {
	p.t.Helper()
	f, err := os.OpenFile(file, flags, 0o600)
	p.do(err)
	_, err = f.WriteString(text)
	p.do(err)
	return open{f, p}
}

func (p saving) beside(file, before, after string) string {
	return filepath.Join(filepath.Dir(file), before+filepath.Base(file)+after)
}

func (o open) sync() open  { o.do(o.File.Sync()); return o }
func (o open) chown() open { o.do(o.File.Chown(os.Getuid(), os.Getgid())); return o }
func (o open) close()      { o.do(o.File.Close()) }

// TestEditors: however a program saves, the entry stays the same one, has the new text,
// and nothing else is remembered.
func TestEditors(t *testing.T) {
	m := pinned(t, "")
	for i, e := range edits {
		t.Run(e.name, func(t *testing.T) {
			file := filepath.Join(m.mnt, "memories/project/notes.md")
			m.must(`rnixfs commit add --key notes.md "before, and longer than after" --tag kept >/dev/null`)
			old := m.entry("notes.md")
			text := fmt.Sprintf("after %d\n", i)
			p := saving{t}
			e.save(p, file, text)
			if got := p.read(file); got != text {
				t.Errorf("the file is %q", got)
			}
			now := m.entry("notes.md")
			if now.ID != old.ID || now.Content != text || now.Revision <= old.Revision || len(now.Tags) != 1 || now.Source.Trust != "agent" || now.Source.Road != "memories" {
				t.Errorf("it was %+v and is %+v", old, now)
			}
			if keys := m.must(`rnixfs commit list --json | jq -c '[.entries[].key]'`); keys != `["notes.md"]`+"\n" {
				t.Errorf("the entries are %s", keys)
			}
			p.do(os.Remove(file))
			if keys := m.must(`rnixfs commit list --json | jq -c '[.entries[].key]'`); keys != "[]\n" {
				t.Errorf("the entries are %s", keys)
			}
		})
	}
}

// entry returns an entry of the project.
func (m *mount) entry(key string) (e struct {
	ID, Content string
	Revision    int64
	Tags        []string
	Source      struct{ Trust, Road string }
},
) {
	m.t.Helper()
	if err := json.Unmarshal([]byte(m.must("rnixfs commit get key:"+key+" --json | jq -c .entry")), &e); err != nil {
		m.t.Fatal(err)
	}
	return e
}

// TestMemoryErrors: what can't be, fails in the call that tries it, and leaves what was.
func TestMemoryErrors(t *testing.T) {
	m := pinned(t, "store:\n  memory_char_limit: 100\n")
	p := saving{t}
	dir := filepath.Join(m.mnt, "memories/project")
	file := filepath.Join(dir, "x")
	p.write(file, os.O_WRONLY|os.O_CREATE, "what was").close()
	secret, long := "token "+secretToken(), strings.Repeat("long ", 30)
	writes := func(name, text string) error {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err == nil {
			_, err = f.WriteString(text)
			f.Close()
		}
		return err
	}
	renames := func(text string) error {
		temp := filepath.Join(dir, ".tmp-1")
		p.write(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, text).close()
		return os.Rename(temp, file)
	}
	for name, c := range map[string]struct {
		err  error
		want syscall.Errno
	}{
		"a secret":                 {writes("x", secret), unix.EPERM},
		"a secret in a new file":   {writes("new", secret), unix.EPERM},
		"a secret renamed":         {renames(secret), unix.EPERM},
		"too long":                 {writes("x", long), unix.EDQUOT},
		"too long and new":         {writes("new", long), unix.EDQUOT},
		"too long and renamed":     {renames(long), unix.EDQUOT},
		"longer than any entry":    {writes("x", strings.Repeat("x", 400<<10)), unix.EFBIG},
		"no text":                  {writes("x", "a\x00b"), unix.EINVAL},
		"no letters":               {writes("x", "\xff\xfe"), unix.EINVAL},
		"the index":                {writes("INDEX.md", "mine"), unix.EROFS},
		"the index removed":        {os.Remove(filepath.Join(dir, "INDEX.md")), unix.EROFS},
		"the index covered":        {os.Rename(file, filepath.Join(dir, "INDEX.md")), unix.EROFS},
		"a name too long":          {writes(strings.Repeat("k", 201), "x"), unix.ENAMETOOLONG},
		"a name with a newline":    {writes("a\nb", "x"), unix.EINVAL},
		"a stray escape":           {writes("a%2Fb%", "x"), nil0},
		"a scope":                  {os.Mkdir(filepath.Join(m.mnt, "memories/mine"), 0o700), unix.EPERM},
		"a scope removed":          {os.Remove(filepath.Join(m.mnt, "memories/user")), unix.EPERM},
		"a link":                   {os.Symlink(file, filepath.Join(dir, "link")), unix.EPERM},
		"a hard link":              {os.Link(file, filepath.Join(dir, "link")), unix.EPERM},
		"another scope":            {os.Rename(file, filepath.Join(m.mnt, "memories/global/x")), unix.EXDEV},
		"an attribute":             {unix.Setxattr(file, "user.a", []byte("b"), 0), unix.ENOTSUP},
		"another owner":            {os.Chown(file, 12345, -1), unix.EPERM},
		"a file as a folder":       {writes("x/y", "z"), unix.ENOTDIR},
		"exclusive":                {exclusive(file), unix.EEXIST},
		"a folder over a file":     {p.folderOver(dir, file), unix.ENOTDIR},
		"a folder with files":      {p.removeFull(dir), unix.ENOTEMPTY},
		"what is not there":        {os.Remove(filepath.Join(dir, "none")), unix.ENOENT},
		"moved though it is there": {unix.Renameat2(unix.AT_FDCWD, filepath.Join(dir, "f/g"), unix.AT_FDCWD, file, unix.RENAME_NOREPLACE), unix.EEXIST},
	} {
		if want := c.want; want == nil0 && c.err != nil || want != nil0 && !errors.Is(c.err, want) {
			t.Errorf("%s: %v, want %v", name, c.err, want)
		}
	}
	if got := p.read(file); got != "what was" {
		t.Errorf("it is %q", got)
	}
	if e := m.entry("x"); e.Revision != 1 {
		t.Errorf("it is %+v", e)
	}
	if keys := m.must(`rnixfs commit list --json | jq -c '[.entries[].key] | sort'`); keys != `["a%2Fb%","f/g","x"]`+"\n" {
		t.Errorf("the entries are %s", keys)
	}
}

const nil0 = syscall.Errno(0)

func exclusive(file string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		f.Close()
	}
	return err
}

func (p saving) folderOver(dir, file string) error {
	p.do(os.MkdirAll(filepath.Join(dir, "f"), 0o700))
	p.write(filepath.Join(dir, "f/g"), os.O_WRONLY|os.O_CREATE, "g").close()
	return os.Rename(filepath.Join(dir, "f"), file)
}

func (p saving) removeFull(dir string) error { return unix.Rmdir(filepath.Join(dir, "f")) }

// replacer changes one line of a file as the memory tool's reference client does, and
// again where somebody else was faster.
const replacer = `
import os, sys, time
path, old, new = sys.argv[1:]
while True:
    with open(path) as f: text = f.read()
    temp = os.path.join(os.path.dirname(path), ".tmp-%d" % os.getpid())
    with open(temp, "w") as f:
        f.write(text.replace(old, new)); f.flush(); os.fsync(f.fileno())
    try: os.replace(temp, path); break
    except OSError as e:
        if e.errno != 16: raise
`

// unseen reads a file that another process changes then, and saves in two ways.
const unseen = `
import os, sys
path = sys.argv[1]
temp = os.path.join(os.path.dirname(path), ".tmp-1")
for save in "rename", "in place":
    text = open(path).read()
    os.system("echo another >> " + path)
    try:
        if save == "rename":
            with open(temp, "w") as f: f.write(text)
            os.replace(temp, path)
        else:
            with open(path, "w") as f: f.write(text)
        print("lost")
    except OSError as e: print(e.strerror)
    text = open(path).read()
    with open(path, "w") as f: f.write(text + save + "\n")
`

// TestTwoWriters: of writers that replace a line each of one file, none loses another's.
func TestTwoWriters(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3 here")
	}
	m := pinned(t, "")
	var before, after []string
	for i := range 6 {
		before, after = append(before, fmt.Sprintf("old-%d", i)), append(after, fmt.Sprintf("new-%d", i))
	}
	m.must("printf '" + strings.Join(before, `\n`) + "' > $MNT/memories/project/shared")
	script := filepath.Join(m.dir, "replace.py")
	if err := os.WriteFile(script, []byte(replacer), 0o600); err != nil {
		t.Fatal(err)
	}
	all := ""
	for i := range before {
		all += fmt.Sprintf("python3 %s $MNT/memories/project/shared %s %s & p%d=$!\n", script, before[i], after[i], i)
	}
	for i := range before {
		all += fmt.Sprintf("wait $p%d || exit\n", i)
	}
	m.must(all)
	if got := m.must("cat $MNT/memories/project/shared"); got != strings.Join(after, "\n") {
		t.Errorf("it is %q", got)
	}
	if err := os.WriteFile(script, []byte(unseen), 0o600); err != nil {
		t.Fatal(err)
	}
	m.must("echo one > $MNT/memories/project/x")
	if got := m.must("python3 " + script + " $MNT/memories/project/x; cat $MNT/memories/project/x"); got != "Device or resource busy\nDevice or resource busy\none\nanother\nrename\nanother\nin place\n" {
		t.Errorf("it is %q", got)
	}
	// Lines that are appended at the same time are all there.
	m.must(`for i in 1 2 3 4 5 6 7 8; do echo line $i >> $MNT/memories/project/log & done; wait`)
	if got := m.must("sort $MNT/memories/project/log | wc -l"); strings.TrimSpace(got) != "8" {
		t.Errorf("of 8 lines there are %s", got)
	}
}

// TestKilledBetween: who is killed between the temporary file and the rename leaves the
// old text, and nothing of the new one is remembered.
func TestKilledBetween(t *testing.T) {
	m := pinned(t, "")
	m.must(`echo old > $MNT/memories/project/x
		sh -c 'echo new > $MNT/memories/project/.tmp-1; kill -9 $$' || :
		sh -c 'exec 3> $MNT/memories/project/x; kill -9 $$' || :`)
	if got := m.must("cat $MNT/memories/project/x; rnixfs commit snapshot"); got != "old\nold\n\n" {
		t.Errorf("it is %q", got)
	}
	unmount(m.mnt)
	m.mount()
	if got := m.must("cat $MNT/memories/project/x; ls -A $MNT/memories/project"); got != "old\nINDEX.md\nx\n" {
		t.Errorf("it is %q", got)
	}
}

// TestPersonMoves: a person who saves, renames and covers files forgets nothing by it;
// only what they remove stays away.
func TestPersonMoves(t *testing.T) {
	m := newMount(t, "")
	m.person(`cd $MNT/..; cd project; P=$MNT/memories/project
		echo one > $P/a; echo two > $P/b; mv $P/b $P/a; mv $P/a $P/c; sed -i s/two/three/ $P/c; mv $P/c $P/c~; echo four > $P/c; rm $P/c~
		echo gone > $P/d; rm $P/d`)
	if got := m.must("cat $MNT/memories/project/c; rnixfs commit get key:c --json | jq -r .entry.source.trust"); got != "four\nhuman\n" {
		t.Errorf("it is %q", got)
	}
	for _, text := range []string{"one", "two", "three", "four", "gone"} {
		out, rc := m.sh("echo " + text + " > $MNT/memories/project/" + text + "; rnixfs commit get key:" + text + " --json | jq -r .entry.content")
		if kept := strings.Contains(out, text); kept != (text != "gone") {
			t.Errorf("%s: exit %d: %s", text, rc, out)
		}
	}
}
