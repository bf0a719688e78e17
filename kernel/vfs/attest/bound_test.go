package attest

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// away starts a process in a mount namespace of its own, which the script arranges before,
// and returns its pid. A uid other than 0 has a user namespace of its own, too.
func away(t testing.TB, uid uint32, script string) int {
	t.Helper()
	args := []string{"-m", "sh", "-ec", script + "\necho there; exec sleep 60"}
	if uid != 0 {
		args = append([]string{"-Ur"}, args...)
	}
	cmd := exec.Command("unshare", args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "there\n" {
		_ = cmd.Wait()
		t.Skipf("it can't be arranged here: %s", said.String())
	}
	return cmd.Process.Pid
}

// TestBound: a caller in another mount namespace has the project that a process here has
// in the same directory, whatever its path is there, and none where no directory here is
// the same.
func TestBound(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root to mount")
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err == nil {
		err = os.Chmod(filepath.Dir(top), 0o755) // for others than root
	}
	for _, dir := range []string{"shop/.git/worktrees/tree", "shop/part/deep", "other/.rnix", "none/x", "tree/src", "new\nline/.rnix", "layer", "work"} {
		err = errors.Join(err, os.MkdirAll(filepath.Join(top, dir), 0o777))
	}
	err = errors.Join(err,
		os.WriteFile(top+"/shop/.git/worktrees/tree/gitdir", []byte(top+"/tree/.git\n"), 0o644),
		os.WriteFile(top+"/tree/.git", []byte("gitdir: "+top+"/shop/.git/worktrees/tree\n"), 0o644),
		filepath.WalkDir(top, func(path string, _ fs.DirEntry, err error) error { return errors.Join(err, os.Chmod(path, 0o777)) }))
	if err != nil {
		t.Fatal(err)
	}
	const elsewhere = `cd $T; mount -t tmpfs none /mnt; mkdir /mnt/w; `
	for _, c := range []struct {
		name, script  string
		uid           uint32
		project, says string // "" is none
		unseen        bool
	}{
		{"a bind", elsewhere + "mount --bind shop /mnt/w; cd /mnt/w", 0, "shop", "bound from $T/shop, which lies in it", false},
		{"below a bind", elsewhere + "mount --bind shop /mnt/w; cd /mnt/w/part/deep", 0, "shop", "bound from $T/shop/part/deep,", false},
		{"a part", elsewhere + "mount --bind shop/part /mnt/w; cd /mnt/w/deep", 0, "shop", "bound from $T/shop/part/deep,", false},
		{"a bind of a bind", elsewhere + "mkdir /mnt/v; mount --bind shop/part /mnt/v; mount --bind /mnt/v/deep /mnt/w; cd /mnt/w", 0, "shop", "bound from $T/shop/part/deep,", false},
		{"a worktree", elsewhere + "mount --bind tree /mnt/w; cd /mnt/w/src", 0, "shop", "bound from $T/tree/src,", false},
		{"one path, one source", elsewhere + "mount --bind shop /mnt/w; cd /mnt/w", 0, "shop", "", false},
		{"one path, another source", elsewhere + "mount --bind other /mnt/w; cd /mnt/w", 0, "other", "", false},
		{"the path of another project", "mount --bind $T/other $T/shop; cd $T/shop", 0, "other", "bound from $T/other,", false},
		{"the same path", "cd $T/shop/part", 0, "shop", whyHere, false},
		{"odd names", elsewhere + "mkdir '/mnt/a b\\'; mount --bind 'new\nline' '/mnt/a b\\'; cd '/mnt/a b\\'", 0, "new\nline", "", false},
		{"no project", elsewhere + "mount --bind none /mnt/w; cd /mnt/w/x", 0, "", "lies in no project", false},
		{"no project here, one of its own", elsewhere + "mount --bind none /mnt/w; mkdir /mnt/.git; cd /mnt/w/x", 0, "", whyNoID, true},
		{"a volume of an engine", elsewhere + "mkdir -p shop/volumes/v/_data; mount --bind shop/volumes/v/_data /mnt/w; cd /mnt/w", 0, "", whyNoID, true},
		{"a file system of its own", elsewhere + "mkdir /mnt/w/.git; cd /mnt/w", 0, "", whyNoID, true},
		{"one of its own in a project's place", "mount -t tmpfs none $T/shop; mkdir $T/shop/.git; cd $T/shop", 0, "", whyNoID, true},
		{"a directory that is gone", elsewhere + "mkdir -p shop/gone; mount --bind shop/gone /mnt/w; cd /mnt/w; rmdir $T/shop/gone", 0, "", whyGone, true},
		{"a tree that is gone", elsewhere + "mount --bind shop /mnt/w; cd /mnt/w; umount -l /mnt/w", 0, "", whyGone, true},
		// What a user can arrange in a user namespace of their own.
		{"a user's bind", elsewhere + "mount --bind shop /mnt/w; cd /mnt/w", 30001, "shop", "", false},
		{"a user's bind over another project", "mount --bind $T/other $T/shop; cd $T/shop", 30001, "other", "", false},
		{"a user's overlay of a project", elsewhere + "mkdir /mnt/u /mnt/k; mount -t overlay -o lowerdir=shop,upperdir=/mnt/u,workdir=/mnt/k none /mnt/w; cd /mnt/w", 30001, "", whyNoID, true},
		{"an overlay with all on one file system", "cd $T; mount -t overlay -o lowerdir=shop,upperdir=layer,workdir=work none shop; cd $T/shop", 30001, "", whyNoID, true},
		{"a user's file system in a project's place", "mount -t tmpfs none $T/shop; mkdir $T/shop/.git; cd $T/shop", 30001, "", whyNoID, true},
		{"a user's root", elsewhere + "mkdir -p /mnt/r/shop/.git /mnt/r/old; mount --bind $T/none /mnt/r/shop; cd /mnt/r/shop", 30001, "", "lies in no project", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			pid := away(t, c.uid, strings.ReplaceAll(c.script, "$T", top))
			a := New("")
			got := a.Caller(c.uid, pid)
			want, says := c.project, strings.ReplaceAll(c.says, "$T", top)
			if want != "" {
				want = filepath.Join(top, want)
			}
			if got.Project != want || got.Unseen != c.unseen || !strings.Contains(got.Why, says) {
				t.Errorf("%q, unseen %v: %s", got.Project, got.Unseen, got.Why)
			}
			if got.Trust != "agent" || got.Project != "" && got.Folder != folderOf(unix.AT_FDCWD, want) {
				t.Errorf("%+v", got)
			}
			// With an id, what is its own is kept apart.
			got.Container, got.Project, got.Unseen = "c1", "", false
			a.Own = func(uid uint32, id string) string { return "/own/" + id }
			a.Locate(&got)
			if alone := c.says == whyNoID; got.Alone != alone || alone && (got.Project != "/own/c1" || got.Unseen) {
				t.Errorf("alone %v in %q: %s", got.Alone, got.Project, got.Why)
			}
		})
	}
}

// TestBoundMoves: a project is followed when it is moved, and what takes its place is not it.
func TestBoundMoves(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root to mount")
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err = errors.Join(err, os.MkdirAll(top+"/shop/.git", 0o755)); err != nil {
		t.Fatal(err)
	}
	pid := away(t, 0, "mount -t tmpfs none /mnt; mkdir /mnt/w; mount --bind "+top+"/shop /mnt/w; cd /mnt/w")
	a := New("")
	for range 2 {
		if c := a.Caller(0, pid); c.Project != top+"/shop" {
			t.Errorf("%+v", c)
		}
	}
	if err := errors.Join(os.Rename(top+"/shop", top+"/moved"), os.MkdirAll(top+"/shop/.git", 0o755)); err != nil {
		t.Fatal(err)
	}
	if c := a.Caller(0, pid); c.Project != top+"/moved" {
		t.Errorf("moved: %+v", c)
	}
	if err := os.RemoveAll(top + "/moved"); err != nil {
		t.Fatal(err)
	}
	if c := a.Caller(0, pid); c.Project != "" || !c.Unseen {
		t.Errorf("removed: %+v", c)
	}
}

// TestEqualNumbers: a project is not taken for another directory with its inode number, on
// another file system of the same kind.
func TestEqualNumbers(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root to mount")
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "none", top).CombinedOutput(); err != nil {
		t.Skipf("%s", out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", top).Run() })
	if err := os.Mkdir(top+"/.git", 0o755); err != nil {
		t.Fatal(err)
	}
	here := folderOf(unix.AT_FDCWD, top)
	for _, point := range []string{top, "/mnt"} {
		pid := away(t, 0, "mount -t tmpfs none "+point+"; mkdir "+point+"/.git; cd "+point)
		there := folderOf(unix.AT_FDCWD, procPath(pid, "cwd/"))
		if here.Ino != there.Ino || here == there {
			t.Skipf("their numbers differ: %v, %v", here, there)
		}
		if c := New("").Caller(0, pid); c.Project != "" || !c.Unseen {
			t.Errorf("at %s: %+v", point, c)
		}
	}
}

func TestContainerIn(t *testing.T) {
	id, inner := strings.Repeat("0123456789abcdef", 4), strings.Repeat("fedcba9876543210", 4)
	for groups, want := range map[string]string{
		"0::/system.slice/docker-" + id + ".scope\n":                                                                     id,
		"0::/docker/" + id + "\n":                                                                                        id,
		"12:pids:/docker/" + id + "/init.scope\n":                                                                        id,
		"0::/machine.slice/libpod-" + id + ".scope/container\n":                                                          id,
		"9:name=systemd:/libpod_parent/libpod-" + id + "\n":                                                              id,
		"0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" + id + ".scope\n":                          id,
		"0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod0b1c.slice/cri-containerd-" + id + ".scope\n": id,
		"0::/kubepods/burstable/pod0b1c-22/" + id + "\n":                                                                 id,
		"0::/kubepods.slice/crio-" + id + ".scope\n":                                                                     id,
		"0::/../" + id + "\n":                                                                                            id,
		"0::/docker/" + id + "/kubelet/kubepods/pod7/" + inner + "\n":                                                    id + "." + inner,
		"0::/docker/" + id + "/" + id + "\n":                                                                             id + "." + id, // it named a group of its own so
		"0::/system.slice/runc-web-1.scope\n":                                                                            "web-1",
		"11:cpu:/\n10:pids:/web\n":                                                                                       "web",
		"0::/\n":                                                                                                         "",
		"0::/init.scope\n":                                                                                               "",
		"0::/batch\n":                                                                                                    "", // where this process is, too
		"0::/user.slice/user-1000.slice/session-3.scope\n":                                                               "",
		"0::/system.slice/runc-...scope\n":                                                                               "",
		"0::/system.slice/runc-..scope\n":                                                                                "",
		"0::/docker/" + strings.ToUpper(id) + "\n0::/docker/" + id[1:] + "\n":                                            "",
		"nonsense\n\n1:2\n":                                                                                              "",
	} {
		if got := containerIn(groups, "0::/batch\n"); got != want {
			t.Errorf("%s: %q, want %q", groups, got, want)
		}
	}
}
