package rpc

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// What one user may have open at a time.
const (
	maxConns   = 128
	maxStreams = 32 // calls of one connection
	maxCalls   = 64 // that are read, run or answered; others wait
)

type user struct{ conns, calls chan struct{} }

// listener lets in those who may call.
type listener struct {
	*net.UnixListener
	shared bool
	users  sync.Map // of *user, by uid
}

// Accept returns the next connection of somebody who may call.
func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.AcceptUnix()
		if err != nil {
			return nil, err
		}
		p := &peer{UnixConn: c}
		if p.ask() == nil && (l.shared || int(p.uid) == os.Geteuid()) {
			u, _ := l.users.LoadOrStore(p.uid, &user{make(chan struct{}, maxConns), make(chan struct{}, maxCalls)})
			p.user = u.(*user) //nolint:errcheck // nothing else is in it
			select {
			case p.user.conns <- struct{}{}:
				p.close = sync.OnceValue(func() error {
					<-p.user.conns
					return errors.Join(c.Close(), p.process.Close())
				})
				return p, nil
			default: // too many
			}
		}
		_, _ = c.Close(), p.process.Close()
	}
}

// peer is a connection and the process that opened it.
type peer struct {
	*net.UnixConn
	uid     uint32
	pid     int      // 0: it can't be seen from this pid namespace
	process *os.File // its pidfd; nil: it has ended
	user    *user
	close   func() error
}

// ask asks the system who connected.
func (p *peer) ask() error {
	raw, err := p.SyscallConn()
	if err != nil {
		return err
	}
	cerr := raw.Control(func(fd uintptr) {
		var cred *unix.Ucred
		if cred, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err != nil {
			return
		}
		p.uid, p.pid = cred.Uid, int(cred.Pid)
		process, perr := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_PEERPIDFD)
		if errors.Is(perr, unix.ENOPROTOOPT) { // before Linux 6.5
			process, perr = unix.PidfdOpen(p.pid, 0)
		}
		if perr == nil {
			p.process = os.NewFile(uintptr(process), "pidfd")
		}
	})
	return errors.Join(err, cerr)
}

// Close closes the connection.
func (p *peer) Close() error { return p.close() }

// runs reports whether the process has not ended: a pidfd can be read then (pidfd_open(2)).
func (p *peer) runs() (yes bool) {
	raw, err := p.process.SyscallConn()
	return err == nil && raw.Control(func(fd uintptr) {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		yes = n == 0 && err == nil
	}) == nil && yes
}

type peerKey struct{}

func peerOf(ctx context.Context) *peer {
	return ctx.Value(peerKey{}).(*peer) //nolint:errcheck // each connection has it
}

// caller attests who calls. As long as the process runs, no other has its pid: what was
// looked at before is its own.
func (s *Server) caller(ctx context.Context) memory.Caller {
	p := peerOf(ctx)
	c := s.opts.Attest(p.uid, p.pid)
	if !p.runs() {
		c = s.opts.Attest(p.uid, 0)
	}
	c.Trust = memory.TrustAgent
	return c
}
