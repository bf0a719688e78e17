package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestDeviceHandedDown: a parent mounts, and the server gets the device only.
func TestDeviceHandedDown(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("mount(2) is root's")
	}
	m := newFolders(t, "")
	if err := os.Mkdir(m.mnt, 0o755); err != nil {
		t.Fatal(err)
	}
	device, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0,default_permissions,max_read=524288", device.Fd())
	if err := unix.Mount("rnixfs", m.mnt, "fuse.rnix", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Unmount(m.mnt, unix.MNT_DETACH) })
	log := filepath.Join(m.dir, "log")
	out, err := os.Create(log)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "mount", "-f", "/dev/fd/3")
	cmd.Dir, cmd.Env, cmd.ExtraFiles, cmd.Stderr = m.work, m.env, []*os.File{device}, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	_ = device.Close()
	_ = out.Close()

	m.must(`echo '{"action":"add","content":"by a device that was handed down"}' > $MNT/commit`)
	if got := m.must(`exec 3<> $MNT/commit; echo '{"action":"snapshot"}' >&3; head -n 1 <&3`); !strings.Contains(got, "handed down") {
		t.Errorf("the reply is %s", got)
	}
	// It is in the caller's project from the first request on, not only once it is
	// known whose pids the kernel reports.
	m.must(`for i in $(seq 50); do grep -q '"ancestry":true' $MNT/status && break; sleep 0.1; done`)
	if got := m.must(`echo '{"action":"snapshot"}' > $MNT/commit; cat $MNT/commit`); !strings.Contains(got, "handed down") {
		t.Errorf("later, the reply is %s", got)
	}
	if err := unix.Unmount(m.mnt, 0); err != nil {
		t.Error(err)
	}
	select {
	case err := <-ended:
		if err != nil {
			text, _ := os.ReadFile(log)
			t.Errorf("%v: %s", err, text)
		}
	case <-time.After(time.Minute):
		_ = cmd.Process.Kill()
		t.Error("the server goes on after the mount is gone")
	}
	if got, rc := m.run(m.work, "", binary, "mount", "/dev/fd/3"); rc != 2 || !strings.Contains(got, "with -f") {
		t.Errorf("in the background: exit %d, %s", rc, got)
	}
}
