package fuse

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestTools runs what people and programs do to files. None may hang, and none may
// run a request or take a device away.
func TestTools(t *testing.T) {
	m := mount(t, serving{})
	before := runs(t, m)
	for name, tt := range map[string]struct {
		script string
		fails  bool
		text   string // stands in stdout or stderr
	}{
		"ls":          {`ls $M`, false, "recall"},
		"ls long":     {`ls -la $M $M/s $M/s/x`, false, "status"},
		"find":        {`find $M -type f | wc -l`, false, "4"},
		"grep":        {`grep -r help $M | wc -l`, false, "3"},
		"tar":         {`tar -C $M -cf - . | tar -tf - | wc -l`, false, "7"},
		"du":          {`du -a $M`, false, "recall"},
		"stat":        {`stat -c %i $M/recall > a; stat -c %i $M/recall | cmp - a && stat -c '%F %a' $M/recall`, false, "regular file 600"},
		"touch":       {`touch $M/recall`, false, ""},
		"chmod":       {`chmod 700 $M/recall`, false, ""},
		"truncate":    {`truncate -s 0 $M/recall; truncate -s 100 $M/recall`, false, ""},
		"mv":          {`mv $M/recall $M/other`, true, "not permitted"},
		"rm":          {`rm -f $M/recall`, true, "not permitted"},
		"ln":          {`ln $M/recall $M/other`, true, "not permitted"},
		"ln -s":       {`ln -s x $M/other`, true, "not permitted"},
		"mkdir":       {`mkdir $M/dir`, true, "not permitted"},
		"mkdir in s":  {`mkdir $M/s/x/y`, true, "not permitted"},
		"rmdir":       {`rmdir $M/s`, true, "not permitted"},
		"mkfifo":      {`mkfifo $M/fifo`, true, "not permitted"},
		"new file":    {`echo '{}' > $M/nothing`, true, "not permitted"},
		"chown":       {`chown 1 $M/recall`, true, "not permitted"},
		"sed -i":      {`sed -i s/a/b/ $M/recall`, true, ""},
		"dot file":    {`cat $M/.git/config`, true, "No such file"},
		"unknown":     {`cat $M/nothing`, true, "No such file"},
		"bad session": {`cat "$M/s/-x/recall"`, true, "No such file"},
		"git":         {`cd $M && git status`, true, ""},
		"setfattr":    {`python3 -c 'import os;os.setxattr(os.environ["M"]+"/recall","user.a",b"b")'`, true, ""},
		"allocate":    {`python3 -c 'import os;os.posix_fallocate(os.open(os.environ["M"]+"/recall",2),0,10)'`, false, ""},
		"fsync":       {`python3 -c 'import os;os.fsync(os.open(os.environ["M"]+"/recall",2))'`, false, ""},
		"flock":       {`python3 -c 'import os,fcntl;fcntl.flock(os.open(os.environ["M"]+"/recall",2),2)'`, false, ""},
		"inode limit": {`stat -f -c '%b %f' $M/profile`, false, "5000 1234"},
		"read only":   {`echo '{}' > $M/status`, true, "Read-only file system"},
		"chmod of it": {`chmod u+w $M/status`, true, "Read-only file system"},
		"reopened":    {`exec 3<>$M/recall; cat /proc/self/fd/3`, false, "help"},
	} {
		t.Run(name, func(t *testing.T) {
			out, errs, rc := m.sh(t, "bash", "cd "+t.TempDir()+"; "+tt.script)
			if (rc != 0) != tt.fails || !strings.Contains(out+errs, tt.text) {
				t.Errorf("status %d, stdout %q, stderr %q", rc, out, errs)
			}
		})
	}
	if got := runs(t, m); got != before {
		t.Errorf("%d requests ran", got-before)
	}
	if out, _, _ := m.sh(t, "bash", `echo '{"q":"still"}' > $M/recall; cat $M/recall`); !strings.Contains(out, "still") {
		t.Errorf("%q", out)
	}
}

// TestTooLarge: one write of more than a request may have is refused whole.
func TestTooLarge(t *testing.T) {
	m := mount(t, serving{})
	before := runs(t, m)
	f, err := os.OpenFile(m.dir+"/commit", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n, err := f.Write([]byte(`{"fill":"` + strings.Repeat("x", 1500<<10) + `"}`))
	if n != 0 || !errors.Is(err, syscall.EMSGSIZE) {
		t.Errorf("%d bytes taken, %v", n, err)
	}
	// What a writer that goes on sends is refused, until it starts anew.
	if _, err := f.WriteString(`xx"} {"q":"rest"}`); !errors.Is(err, syscall.EMSGSIZE) {
		t.Errorf("the rest: %v", err)
	}
	if _, err := f.WriteString(`{"q":"new"}` + "\n"); err != nil {
		t.Errorf("a new request: %v", err)
	}
	if got := runs(t, m) - before; got != 1 {
		t.Errorf("%d requests ran", got)
	}
}

// TestShortCount: of several requests in one write, those before a failed one are
// taken, and the error comes when the rest is sent again.
func TestShortCount(t *testing.T) {
	m := mount(t, serving{})
	before := runs(t, m)
	fd, err := syscall.Open(m.dir+"/commit", syscall.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	good, bad := `{"q":"good"}`, `{"fail":"not_found"}`
	all := []byte(good + "\n" + bad + "\n" + good)
	n, err := syscall.Write(fd, all)
	if n != len(good) || err != nil {
		t.Errorf("%d %v, want %d", n, err, len(good))
	}
	if n, err = syscall.Write(fd, all[n:]); err != syscall.ENODATA {
		t.Errorf("the rest: %d %v", n, err)
	}
	if got := runs(t, m) - before; got != 2 {
		t.Errorf("%d runs, want the good one and the bad one once each", got)
	}
}

// TestArray: the elements of an array that comes line by line are no requests.
func TestArray(t *testing.T) {
	m := mount(t, serving{})
	before := runs(t, m)
	_, _, rc := m.sh(t, "bash", "echo '[\n{\"q\":1},\n{\"q\":2}\n]' > $M/commit")
	if got := runs(t, m) - before; got != 0 || rc == 0 {
		t.Errorf("%d ran, status %d", got, rc)
	}
}

// TestManyHandles opens ten thousand files, leaves a request unfinished in each,
// and finishes some.
func TestManyHandles(t *testing.T) {
	m := mount(t, serving{Options: settings{Limits: Limits{Handles: 10_050}}})
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur < 11_000 {
		t.Skip("may not open ten thousand files")
	}
	var fds []int
	defer func() {
		for _, fd := range fds {
			syscall.Close(fd)
		}
	}()
	for i := range 10_000 {
		fd, err := syscall.Open(m.dir+"/recall", syscall.O_RDWR, 0)
		if err != nil {
			t.Fatalf("handle %d: %v", i, err)
		}
		fds = append(fds, fd)
		if _, err := syscall.Write(fd, []byte(`{"q":"`)); err != nil {
			t.Fatal(err)
		}
	}
	if rss := memoryOf(t, m.cmd.Process.Pid); rss > 150<<20 {
		t.Errorf("the server takes %d MB", rss>>20)
	}
	for _, i := range []int{0, 5000, 9999} {
		buf := make([]byte, 1000)
		if _, err := syscall.Write(fds[i], fmt.Appendf(nil, `n%d"}`, i)); err != nil {
			t.Fatal(err)
		}
		if n, _ := syscall.Read(fds[i], buf); !strings.Contains(string(buf[:n]), fmt.Sprintf(`"n%d"`, i)) {
			t.Errorf("reply %d: %q", i, buf[:n])
		}
	}
	var err error
	for range 100 {
		var fd int
		if fd, err = syscall.Open(m.dir+"/recall", syscall.O_RDONLY, 0); err != nil {
			break
		}
		fds = append(fds, fd)
	}
	if err != syscall.EBUSY {
		t.Errorf("over the limit: %v", err)
	}
	for _, fd := range fds {
		syscall.Close(fd)
	}
	fds = nil
	eventually(t, func() bool { return strings.HasPrefix(m.ask(t, "handles"), "0 ") })
}

// TestPendingCap bounds the bytes of unfinished requests.
func TestPendingCap(t *testing.T) {
	m := mount(t, serving{Options: settings{Limits: Limits{Pending: 1 << 20}}})
	var err error
	for range 6 {
		f, oerr := os.OpenFile(m.dir+"/commit", os.O_WRONLY, 0)
		if oerr != nil {
			t.Fatal(oerr)
		}
		defer f.Close()
		if _, err = f.WriteString(`{"fill":"` + strings.Repeat("x", 300<<10)); err != nil {
			break
		}
	}
	if !errors.Is(err, syscall.EBUSY) {
		t.Error(err)
	}
	out, _, _ := m.sh(t, "bash", `echo '{"q":"small"}' > $M/recall && cat $M/recall`)
	if !strings.Contains(out, "small") {
		t.Errorf("%q", out)
	}
}
