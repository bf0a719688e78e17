package powercut

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// disk is a file that keeps what was flushed. Reads see all that was written.
type disk struct {
	fs.Inode
	mu      sync.Mutex
	durable []byte
	now     []byte    // with what is not flushed yet
	pending []sectors // not flushed, in order
	off     bool      // without power: everything fails
	boots   int       // what was opened before the last fails for ever
	flushes int
	sector  int // what is written whole or not at all
}

type sectors struct {
	at   int64
	data []byte
}

var (
	_ fs.NodeOpener    = (*disk)(nil)
	_ fs.NodeReader    = (*disk)(nil)
	_ fs.NodeWriter    = (*disk)(nil)
	_ fs.NodeFsyncer   = (*disk)(nil)
	_ fs.NodeGetattrer = (*disk)(nil)
	_ fs.NodeSetattrer = (*disk)(nil)
)

// newDisk makes a disk that was used before: it is full of somebody's text.
func newDisk(size, sector int) *disk {
	d := &disk{sector: sector, durable: []byte(strings.Repeat("something that stood on this disk before\n", size/41+1))[:size]}
	d.now = append([]byte(nil), d.durable...)
	return d
}

func (d *disk) Open(context.Context, uint32) (fs.FileHandle, uint32, syscall.Errno) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.boots, fuse.FOPEN_DIRECT_IO, 0
}

func (d *disk) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	out.Mode, out.Size = 0o600, uint64(len(d.durable))
	return 0
}

func (d *disk) Setattr(ctx context.Context, h fs.FileHandle, _ *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	return d.Getattr(ctx, h, out)
}

func (d *disk) Read(_ context.Context, boot fs.FileHandle, dest []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.off || boot != d.boots {
		return nil, syscall.EIO
	}
	off = min(off, int64(len(d.now)))
	return fuse.ReadResultData(dest[:copy(dest, d.now[off:])]), 0
}

func (d *disk) Write(_ context.Context, boot fs.FileHandle, data []byte, off int64) (uint32, syscall.Errno) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.off || boot != d.boots || off+int64(len(data)) > int64(len(d.now)) {
		return 0, syscall.EIO
	}
	copy(d.now[off:], data)
	d.pending = append(d.pending, sectors{off, append([]byte(nil), data...)})
	return uint32(len(data)), 0
}

func (d *disk) Fsync(_ context.Context, boot fs.FileHandle, _ uint32) syscall.Errno {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.off || boot != d.boots {
		return syscall.EIO
	}
	for _, w := range d.pending {
		copy(d.durable[w.at:], w.data)
	}
	d.pending = nil
	d.flushes++
	return 0
}

// cut takes the power away. Of what was not flushed nothing stays, the beginning,
// or any sectors.
func (d *disk) cut(how string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.off = true
	most, share := 0, 1.0
	switch how {
	case "first":
		most = rand.IntN(len(d.pending) + 1)
	case "any":
		most, share = len(d.pending), rand.Float64()
	}
	for _, w := range d.pending[:most] {
		for at := 0; at < len(w.data); at += d.sector {
			if rand.Float64() < share {
				copy(d.durable[w.at+int64(at):], w.data[at:min(at+d.sector, len(w.data))])
			}
		}
	}
	d.pending = nil
}

// on gives the power back.
func (d *disk) on() {
	d.mu.Lock()
	defer d.mu.Unlock()
	copy(d.now, d.durable)
	d.off = false
	d.boots++ // the old file system may live on in another mount namespace
}

// serveDisk serves a disk until its standard input ends, from which it takes orders.
func serveDisk(dir string, size, sector int) error {
	d := newDisk(size, sector)
	root := &fs.Inode{}
	srv, err := fs.Mount(dir, root, &fs.Options{
		MountOptions: fuse.MountOptions{DirectMountStrict: true, FsName: "powercut", Name: "powercut"},
		OnAdd: func(ctx context.Context) {
			root.AddChild("disk", root.NewPersistentInode(ctx, d, fs.StableAttr{}), true)
		},
	})
	if err != nil {
		return err
	}
	fmt.Println("ready")
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		switch order := in.Text(); order {
		case "on":
			d.on()
		case "flushes":
		default:
			d.cut(order)
		}
		fmt.Println(d.flushes)
	}
	if srv.Unmount() == nil {
		return nil
	}
	return syscall.Unmount(dir, syscall.MNT_DETACH) // the loop device may still be going
}

// machine is a computer with a disk that can be switched off.
type machine struct {
	t           *testing.T
	kind        kind
	cmd         *exec.Cmd // of the disk
	orders      io.WriteCloser
	answers     *bufio.Reader
	image, loop string
	folder      string // where the file system is mounted
	up          bool
}

func newMachine(t *testing.T, k kind) *machine {
	t.Helper()
	m := &machine{t: t, kind: k, cmd: exec.Command(os.Args[0]), folder: t.TempDir()}
	dir, cmd := t.TempDir(), m.cmd
	cmd.Env = append(os.Environ(), "RNIXFS_POWER_DISK="+dir, fmt.Sprintf("RNIXFS_POWER_SIZE=%d %d", k.size, k.sector))
	cmd.Stderr = os.Stderr
	var err error
	if m.orders, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	m.answers, m.image = bufio.NewReader(out), filepath.Join(dir, "disk")
	t.Cleanup(m.end)
	if line, err := m.answers.ReadString('\n'); err != nil {
		t.Fatalf("the disk says %q, %v", line, err)
	}
	m.attach()
	m.run(k.make[0], append(k.make[1:], m.loop)...)
	m.mount()
	return m
}

func (m *machine) run(name string, args ...string) string {
	m.t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		m.t.Fatalf("%s %q: %v: %s", name, args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (m *machine) attach() {
	m.loop = m.run("losetup", "--find", "--show", "--sector-size", strconv.Itoa(m.kind.sector), m.image)
}

func (m *machine) mount() {
	m.t.Helper()
	if m.kind.fsck != nil && m.kind.always {
		m.fsck()
	}
	args := []string{"-t", m.kind.fstype, "-o", m.kind.options, m.loop, m.folder}
	if out, err := exec.Command("mount", args...).CombinedOutput(); err != nil {
		m.t.Logf("mount: %v: %s", err, out)
		m.fsck()
		m.run("mount", args...)
	}
	m.up = true
}

// fsck mends a file system as booting does, and a second time where some is left.
func (m *machine) fsck() {
	m.t.Helper()
	for try := 1; ; try++ {
		out, err := exec.Command(m.kind.fsck[0], append(m.kind.fsck[1:], m.loop)...).CombinedOutput()
		var exit *exec.ExitError
		switch {
		case err == nil, errors.As(err, &exit) && exit.ExitCode() == 1: // mended
			return
		case try == 3:
			m.t.Fatalf("%q: %v: %s", m.kind.fsck, err, out)
		}
	}
}

// end throws the machine away.
func (m *machine) end() {
	m.down()
	_ = m.orders.Close()
	_ = m.cmd.Wait()
}

// order tells the disk something and returns how often it was flushed.
func (m *machine) order(what string) (flushes int) {
	m.t.Helper()
	if _, err := fmt.Fprintln(m.orders, what); err != nil {
		m.t.Fatal(err)
	}
	if _, err := fmt.Fscanln(m.answers, &flushes); err != nil {
		m.t.Fatal(err)
	}
	return flushes
}

// down takes the file system off the disk.
func (m *machine) down() {
	if m.up {
		if err := syscall.Unmount(m.folder, 0); err != nil {
			m.t.Logf("umount: %v", err)
			_ = syscall.Unmount(m.folder, syscall.MNT_DETACH)
		}
	}
	if m.loop != "" {
		_ = exec.Command("losetup", "--detach", m.loop).Run()
	}
	m.up, m.loop = false, ""
}

// boot starts the machine after a cut.
func (m *machine) boot() {
	m.t.Helper()
	m.down()
	m.order("on")
	m.attach()
	m.mount()
}
