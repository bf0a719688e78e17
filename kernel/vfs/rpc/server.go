package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/tool"
	"github.com/rnixfs/rnixfs/kernel/vfs"
)

// Options say what is served to whom.
type Options struct {
	Table  *vfs.Table
	Attest func(uid uint32, pid int) memory.Caller                              // a pid of 0 can't be seen
	Tools  func(ctx context.Context, caller memory.Caller) map[string]tool.Tool // the caller's
	Mask   func(text string) string                                             // takes out secrets
	Shared bool                                                                 // other users may call, too
}

// What a client may take and send.
const (
	sendTime   = 30 * time.Second // for a request, or a part of a reply
	idleTime   = 2 * time.Minute  // for a call, and between calls
	maxHeaders = 16 << 10
	maxRequest = 384 << 10           // as in the mount
	maxMessage = 2*maxRequest + 4096 // its quotes may be escaped
)

// Server serves calls at a socket.
type Server struct {
	opts    Options
	reply   protoreflect.MessageDescriptor // of Devices
	http    http.Server
	ctx     context.Context // of what runs
	cancel  context.CancelFunc
	serving sync.WaitGroup
	running sync.RWMutex // held by the calls that run; locked for ever when they are given up
}

// Serve serves calls at a socket until Shutdown. Nobody else may be able to write to its
// folder. Errors: ErrInUse.
func Serve(path string, opts Options) (*Server, error) {
	s := &Server{opts: opts}
	handler, err := s.handler()
	if err != nil {
		return nil, err
	}
	ln, err := bind(path, opts.Shared)
	if err != nil {
		return nil, fmt.Errorf("serve calls at %s: %w", path, err)
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.http = http.Server{
		Handler: s.bounded(handler), MaxHeaderBytes: maxHeaders, Protocols: new(http.Protocols),
		ReadHeaderTimeout: sendTime / 3, ReadTimeout: sendTime, WriteTimeout: idleTime, IdleTimeout: idleTime,
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: maxStreams, WriteByteTimeout: sendTime,
			MaxReceiveBufferPerConnection: 1 << 20, MaxReceiveBufferPerStream: 64 << 10,
		},
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, peerKey{}, c) },
		ErrorLog:    log.New(io.Discard, "", 0), // it would quote what clients send
	}
	s.http.Protocols.SetHTTP1(true)
	s.http.Protocols.SetUnencryptedHTTP2(true)
	s.serving.Go(func() { _ = s.http.Serve(&listener{UnixListener: ln, shared: opts.Shared}) }) // until Shutdown
	return s, nil
}

// bounded lets so many calls of a user in at a time; others wait.
func (s *Server) bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.running.TryRLock() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		defer s.running.RUnlock()
		calls := peerOf(r.Context()).user.calls
		select {
		case calls <- struct{}{}:
			defer func() { <-calls }()
			next.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	})
}

// Shutdown removes the socket, and waits for what runs until ctx ends, which gives it up.
func (s *Server) Shutdown(ctx context.Context) error {
	defer s.serving.Wait()
	defer s.cancel()
	err := s.http.Shutdown(ctx)
	if err == nil {
		return nil
	}
	err = errors.Join(err, s.http.Close())
	s.cancel()
	ended := make(chan struct{})
	go func() {
		s.running.Lock()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(time.Second): // of what heeds no context
	}
	return err
}
