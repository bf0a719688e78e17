package fuse

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/vfs/attest"
)

// TestForgedNumbers: a FUSE file system gives its directories any inode number. In another
// mount namespace, at the path of a project and with its number, it is not the project.
func TestForgedNumbers(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root for a mount namespace")
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err == nil {
		err = os.MkdirAll(top+"/shop/.git", 0o755)
	}
	if err == nil {
		err = os.Mkdir(top+"/forged", 0o755)
	}
	var st unix.Stat_t
	if err != nil || unix.Stat(top+"/shop", &st) != nil {
		t.Fatal(err)
	}
	srv, err := fs.Mount(top+"/forged", &fs.Inode{}, &fs.Options{
		RootStableAttr: &fs.StableAttr{Ino: st.Ino}, MountOptions: fuse.MountOptions{DirectMount: true},
	})
	if err != nil {
		t.Skip(err)
	}
	defer func() { _ = srv.Unmount() }()
	cmd := exec.Command("unshare", "-m", "sh", "-ec", "mount --bind forged shop; cd -P $PWD/shop; echo there; exec sleep 60")
	cmd.Dir = top
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "there\n" {
		t.Skip("no mount namespace can be made here")
	}
	if err := unix.Unmount(top+"/forged", unix.MNT_DETACH); err != nil { // there it stays
		t.Fatal(err)
	}
	c := attest.New("").Caller(0, cmd.Process.Pid)
	if c.Project != "" || !c.Unseen {
		t.Errorf("%+v", c)
	}
	var forged unix.Stat_t
	if err := unix.Stat(fmt.Sprintf("/proc/%d/cwd", cmd.Process.Pid), &forged); err != nil || forged.Ino != st.Ino || forged.Dev == st.Dev {
		t.Errorf("the number was not forged: %v, %+v", err, forged)
	}
}
