package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/tool"
	"github.com/rnixfs/rnixfs/kernel/vfs"
	"github.com/rnixfs/rnixfs/kernel/vfs/rpc/rpctest"
)

func TestMain(m *testing.M) {
	if socket := os.Getenv("RPC_TEST_HAND_OVER"); socket != "" {
		handOver(socket)
		return
	}
	goleak.VerifyTestMain(m)
}

// handOver connects, passes the connection to the parent process as descriptor 3 says, and
// ends when the parent says so.
func handOver(socket string) {
	parent, perr := net.FileConn(os.NewFile(3, ""))
	c, err := net.Dial("unix", socket)
	if err != nil || perr != nil {
		panic(errors.Join(err, perr))
	}
	f, err := c.(*net.UnixConn).File()
	if err != nil {
		panic(err)
	}
	_, _, err = parent.(*net.UnixConn).WriteMsgUnix([]byte{1}, unix.UnixRights(int(f.Fd())), nil)
	_, rerr := parent.Read(make([]byte, 1))
	if err != nil || rerr != nil {
		panic(errors.Join(err, rerr))
	}
}

// device answers with its request, or as the test says.
type device struct {
	vfs.Device
	exec func(ctx context.Context, caller memory.Caller, request []byte) vfs.Result
}

func (d device) Name() string { return "echo" }

func (d device) Exec(ctx context.Context, caller memory.Caller, request []byte) vfs.Result {
	return d.exec(ctx, caller, request)
}

// served serves a device at a socket of its own.
func served(t *testing.T, exec func(ctx context.Context, caller memory.Caller, request []byte) vfs.Result) (s *Server, socket string) {
	t.Helper()
	socket = filepath.Join(t.TempDir(), "s")
	s, err := Serve(socket, Options{
		Table: vfs.NewTable(nil, device{exec: exec}),
		Attest: func(uid uint32, pid int) memory.Caller {
			return memory.Caller{UID: uid, PID: pid, Trust: memory.TrustHuman}
		},
		Tools: func(context.Context, memory.Caller) map[string]tool.Tool { return nil },
		Mask:  func(text string) string { return text },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { shutdown(t, s) })
	return s, socket
}

func shutdown(t *testing.T, s *Server) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if s.ctx.Err() == nil {
		if err := s.Shutdown(ctx); err != nil {
			t.Error(err)
		}
	}
}

func client(t *testing.T, socket string) *rpctest.Client {
	t.Helper()
	c, err := rpctest.Dial(socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

const call = "rnixfs.v1.Devices/Exec"

// TestCodes: each kind has its code, and says so with the device's reply.
func TestCodes(t *testing.T) {
	_, socket := served(t, func(_ context.Context, _ memory.Caller, request []byte) vfs.Result {
		for _, k := range memory.Kinds() {
			if k.Code() == string(request) {
				return vfs.Failure(&memory.Error{Kind: k, Err: errors.New("no, café"), Hint: "go on"}, nil)
			}
		}
		return vfs.Result{Body: []byte("é\xff"), OK: true}
	})
	c := client(t, socket)
	for _, k := range memory.Kinds() {
		_, err := c.Call(t.Context(), call, `{"device":"echo","request":"`+k.Code()+`"}`)
		var failed *rpctest.Failed
		if !errors.As(err, &failed) || failed.Code != k.Code() || failed.Text != "no, café; go on" || failed.Status == "Unknown" || !strings.Contains(failed.Reply, `"hint":"go on"`) {
			t.Errorf("%s: %v", k, err)
		}
		if _, known := codes[k]; !known {
			t.Errorf("%s has no code", k)
		}
	}
	if out, err := c.Call(t.Context(), call, `{"device":"echo","request":"x"}`); err != nil || !strings.Contains(out, "é\uFFFD") {
		t.Errorf("%s, %v", out, err)
	}
	if _, err := c.Call(t.Context(), call, `{"device":"ghp_none"}`); err == nil || !strings.Contains(err.Error(), "NotFound: not_found") {
		t.Error(err)
	}
}

// TestPassed: a connection stays that of the process that opened it, which is no person; when
// that has ended, its pid is nobody's, whoever has it next.
func TestPassed(t *testing.T) {
	var callers []memory.Caller
	_, socket := served(t, func(_ context.Context, c memory.Caller, _ []byte) vfs.Result {
		callers = append(callers, c)
		return vfs.Result{Body: []byte("{}"), OK: true}
	})
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), ""), os.NewFile(uintptr(pair[1]), "")
	child := exec.Command(os.Args[0])
	child.Env, child.ExtraFiles, child.Stderr = append(os.Environ(), "RPC_TEST_HAND_OVER="+socket), []*os.File{theirs}, os.Stderr
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	_ = theirs.Close()
	link, err := net.FileConn(ours)
	_ = ours.Close()
	if err != nil {
		t.Fatal(err)
	}
	defer link.Close()
	rights := make([]byte, 64)
	_, n, _, _, err := link.(*net.UnixConn).ReadMsgUnix(make([]byte, 1), rights)
	if err != nil {
		t.Fatal(err)
	}
	messages, err := unix.ParseSocketControlMessage(rights[:n])
	if err != nil || len(messages) != 1 {
		t.Fatal(err, messages)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		t.Fatal(err)
	}
	passed := os.NewFile(uintptr(fds[0]), "")
	conn, err := net.FileConn(passed)
	_ = passed.Close()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	tr := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return conn, nil }}
	ask := func() {
		t.Helper()
		res, err := (&http.Client{Transport: tr}).Post("http://x/"+call, "application/json", strings.NewReader(`{"device":"echo","request":"{}"}`))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
	}
	ask()
	if _, err := link.Write([]byte{1}); err != nil {
		t.Fatal(err)
	}
	if err := child.Wait(); err != nil {
		t.Fatal(err)
	}
	ask()
	tr.CloseIdleConnections()
	who := memory.Caller{UID: uint32(os.Geteuid()), PID: child.Process.Pid, Trust: memory.TrustAgent, Road: "echo"}
	gone := who
	if gone.PID = 0; !slices.Equal(callers, []memory.Caller{who, gone}) {
		t.Errorf("%+v", callers)
	}
}

// TestDrain: Shutdown waits for what runs, whose answer still comes, and takes no more; what
// does not end it gives up with its context.
func TestDrain(t *testing.T) {
	for _, patient := range []bool{true, false} {
		runs, end := make(chan struct{}), make(chan struct{})
		s, socket := served(t, func(ctx context.Context, _ memory.Caller, _ []byte) vfs.Result {
			close(runs)
			select {
			case <-end:
				return vfs.Result{Body: []byte("done"), OK: true}
			case <-ctx.Done():
				return vfs.Failure(memory.Errorf(memory.KindUnavailable, "", "given up"), nil)
			}
		})
		var wg sync.WaitGroup
		var out string
		var err error
		wg.Go(func() { out, err = client(t, socket).Call(t.Context(), call, `{"device":"echo","request":"{}"}`) })
		<-runs
		ctx, cancel := context.WithCancel(context.Background())
		if !patient {
			cancel()
		}
		s.http.RegisterOnShutdown(func() {
			if patient {
				close(end)
			}
		})
		serr := s.Shutdown(ctx)
		cancel()
		wg.Wait()
		if patient && (serr != nil || err != nil || !strings.Contains(out, "done")) || !patient && (serr == nil || err == nil) {
			t.Errorf("patient %v: %v; %s, %v", patient, serr, out, err)
		}
		if _, err := os.Lstat(socket); err == nil {
			t.Error("the socket is there still")
		}
	}
}

// TestSocket: what is at the path decides who gets it.
func TestSocket(t *testing.T) {
	s, socket := served(t, nil)
	if info, err := os.Stat(socket); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
	if _, err := Serve(socket, Options{}); !errors.Is(err, ErrInUse) {
		t.Error(err)
	}
	shutdown(t, s)
	ln, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	ln.(*net.UnixListener).SetUnlinkOnClose(false)
	if err := ln.Close(); err != nil { // as a server that was killed
		t.Fatal(err)
	}
	again, err := Serve(socket, Options{Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(socket); err != nil || info.Mode().Perm() != 0o666 {
		t.Error(info.Mode(), err)
	}
	shutdown(t, again)
	if err := os.WriteFile(socket, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Serve(socket, Options{}); err == nil {
		t.Error("a file was taken for a socket")
	}
}

// TestLimits: a user has so many connections; one that ends makes room.
func TestLimits(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	ln, err := bind(socket, false)
	if err != nil {
		t.Fatal(err)
	}
	accepted := make(chan net.Conn, 2*maxConns)
	l := &listener{UnixListener: ln}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			accepted <- c
		}
	})
	dial := func() net.Conn {
		c, err := net.Dial("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	for range maxConns {
		defer dial().Close()
		defer (<-accepted).Close()
	}
	for range 3 {
		if _, err := dial().Read(make([]byte, 1)); err != io.EOF {
			t.Error(err)
		}
	}
	defer dial().Close()
	_ = ln.Close()
	wg.Wait()
	if len(accepted) != 0 {
		t.Errorf("%d too many", len(accepted))
	}
}

// TestHostile: half-open connections, bad bytes and more calls at once than run are borne.
func TestHostile(t *testing.T) {
	_, socket := served(t, func(_ context.Context, _ memory.Caller, request []byte) vfs.Result {
		return vfs.Result{Body: request, OK: true}
	})
	c := client(t, socket)
	ok := func() {
		t.Helper()
		if _, err := c.Call(t.Context(), call, `{"device":"echo","request":"{}"}`); err != nil {
			t.Error(err)
		}
	}
	for range maxConns / 2 {
		conn, err := net.Dial("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "POST /"+call+" HTTP/1.1\r\nContent-")
	}
	for _, bytes := range []string{"GET / HTTP/1.1\r\nX: " + strings.Repeat("x", 64<<10), "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\xff\xff\xff\xff\xff\xff\xff\xff\xff"} {
		conn, err := net.Dial("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(conn, bytes)
		if n, _ := io.Copy(io.Discard, conn); n == 0 { // to the end
			t.Errorf("%.20q is not answered", bytes)
		}
		_ = conn.Close()
	}
	var wg sync.WaitGroup
	for range 4 * maxCalls {
		wg.Go(ok)
	}
	wg.Wait()
	huge, _ := json.Marshal(map[string]string{"device": "echo", "request": strings.Repeat("x", 2*maxMessage)})
	if _, err := c.Call(t.Context(), call, string(huge)); err == nil || !strings.Contains(err.Error(), "ResourceExhausted") {
		t.Error(err)
	}
}
