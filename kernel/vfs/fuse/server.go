package fuse

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/vfs"
	"github.com/rnixfs/rnixfs/kernel/vfs/attest"
)

// Server is a mount that this process serves.
type Server struct {
	fs    *fileSystem
	raw   *fuse.Server
	point string
	dev   string // major:minor of the mount; "" where it is not known (/dev/fd/N)

	cancel context.CancelFunc // ends the context of requests
	served chan struct{}      // closed when the kernel has nothing more to ask
	tasks  sync.WaitGroup     // the serving loop and the probe
}

const (
	// probeDelay lets the first requests after the mount have the processor.
	probeDelay = 300 * time.Millisecond
	// probePatience bounds how long writers wait for the probe where it decides.
	probePatience = 2 * time.Second
)

func newServer(point string, table *vfs.Table, opts Options) *Server {
	ctx, cancel := context.WithCancel(context.Background())
	return &Server{
		fs:     newFileSystem(ctx, table, opts),
		point:  point,
		cancel: cancel,
		served: make(chan struct{}),
	}
}

// start begins to serve. The kernel's INIT is answered already: callers wait for the
// loop, if for anything. go-fuse's WaitMount opens a file of the mount in this very
// process, whose exit would wait for the FLUSH of that file before it lets go of
// /dev/fuse (close_files in fs/file.c), and with it every caller.
func (s *Server) start(opts Options) {
	if IsDevice(s.point) {
		s.fs.callers.ancestry.Store(false) // unless the probe finds a mount of ours
		s.fs.callers.undecided = make(chan struct{})
	} else {
		s.fs.callers.Avoid(s.point)
		if m, ok, err := mounted(s.point); err == nil && ok && m.FSType == fsType {
			s.dev = m.Dev
			mine.Store(s.dev, s)
		}
	}
	s.tasks.Go(s.serve)
	s.tasks.Go(func() { s.testPID(opts) })
}

func (s *Server) serve() {
	s.raw.Serve()
	if s.dev != "" {
		mine.Delete(s.dev)
	}
	s.fs.runner.running.stop()
	close(s.served)
}

// testPID decides whether the pids of callers can be believed. A mount that this
// process made reports pids of its own namespace, so until the test ends they are;
// those who write to one that was handed down wait for the test.
func (s *Server) testPID(opts Options) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	delay := probeDelay
	if undecided := s.fs.callers.undecided; undecided != nil {
		decide := sync.OnceFunc(func() { close(undecided) })
		defer time.AfterFunc(probePatience, decide).Stop()
		defer decide()
		delay = 0
	}
	select {
	case <-s.served:
		return
	case <-time.After(delay):
	}
	s.tasks.Go(func() { // a child that hangs on the mount is ended with the mount
		select {
		case <-s.served:
			cancel()
		case <-ctx.Done():
		}
	})
	same, ok := s.fs.probe.run(ctx, opts.Probe, s.candidates())
	if ok {
		s.fs.callers.ancestry.Store(same)
	}
	s.fs.log.Debug("pids of callers tested", "known", ok, "same", same)
	if ok && !same {
		s.fs.log.Warn("callers live in another pid namespace: replies need a session path or the same descriptor")
	}
}

// candidates returns the paths under which this mount may be reached.
func (s *Server) candidates() []string {
	if !IsDevice(s.point) {
		return []string{s.point}
	}
	var points []string
	all, _ := attest.Mounts("self")
	for _, m := range all {
		if m.FSType == fsType || m.FSType == "fuse" {
			points = append(points, m.Point)
		}
	}
	return points
}

// Stats is what status tells of a mount.
type Stats struct {
	// Ancestry reports whether replies go to their askers by ancestry; where it is
	// off, only a session's tree or the writing descriptor gives a reply back.
	Ancestry bool `json:"ancestry"`
}

// Stats returns the state of the mount.
func (s *Server) Stats() Stats { return Stats{Ancestry: s.fs.callers.ancestry.Load()} }

// Load is what all users together make the server hold, see [Limits].
type Load struct {
	Handles, Running, Replies int
	PendingBytes, ReplyBytes  int64
}

// Load counts what the server holds.
func (s *Server) Load() (l Load) {
	u, c := s.fs.runner.users, s.fs.runner.replies
	u.mu.Lock()
	for _, has := range u.m {
		l.Handles, l.Running, l.PendingBytes = l.Handles+has.handles, l.Running+has.running, l.PendingBytes+has.pending
	}
	u.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.users {
		l.Replies, l.ReplyBytes = l.Replies+r.queue.Len(), l.ReplyBytes+r.bytes
	}
	return l
}

// Unmount takes the mount off and waits for running requests until ctx ends. A
// mount that is in use is detached: it leaves the tree at once, and processes that
// hold a descriptor are answered until this process ends, but run no more
// requests. It is for the process that serves; others call [Unmount].
func (s *Server) Unmount(ctx context.Context) error {
	err := s.takeOff()
	s.fs.runner.running.stop()
	if werr := s.fs.runner.running.wait(ctx); werr != nil {
		s.cancel()
		err = errors.Join(err, memory.Errorf(memory.KindTimeout, "unmount", "requests still run: %w", werr))
	}
	return err
}

// takeOff removes the mount from the tree, unless it is gone, or another mount lies
// on top of it: unmounting goes by path, and would remove that one.
func (s *Server) takeOff() error {
	if s.dev == "" {
		return nil // /dev/fd/N: the parent knows where it is
	}
	select {
	case <-s.served: // the next mount may have got the number of this one
		return nil
	default:
	}
	top, ok, err := mounted(s.point)
	if err != nil || !ok || top.Dev != s.dev {
		return err
	}
	if err := umount(s.point, false); err == nil {
		return nil
	}
	return Detach(s.point)
}

// Wait returns when the mount is gone, every descriptor on it closed, and every
// request ended.
func (s *Server) Wait() {
	<-s.served
	s.tasks.Wait()
	<-s.fs.runner.running.idle
	s.cancel()
}

// panicked answers a request whose handler panicked. Its value may quote a
// request, so only its type is logged.
func (s *Server) panicked(v any) fuse.Status {
	s.fs.log.Error("request handler panicked", "type", fmt.Sprintf("%T", v), "stack", string(debug.Stack()))
	return fuse.EIO
}
