package daemon

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/paths"
	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/tool"
	"github.com/rnixfs/rnixfs/kernel/vfs/attest"
	"github.com/rnixfs/rnixfs/kernel/vfs/rpc"
)

// serveCalls serves calls at the socket of memory.yaml, if it names one that no other
// program serves, until end is called; from the end of ctx on, end waits for them for the
// time of a drain.
func serveCalls(ctx context.Context, k *Kernel, opts ServeOptions, dirs *made) (socket string, end func(), err error) {
	c := k.Config().Config
	socket, end = c.RPC.Socket, func() {}
	if socket == "" {
		return socket, end, nil
	}
	if !filepath.IsAbs(socket) {
		socket = filepath.Join(k.Paths.Runtime, socket)
	}
	if err = errors.Join(paths.Private(filepath.Dir(socket)), dirs.make(filepath.Dir(socket))); err != nil {
		return "", end, fmt.Errorf("rpc.socket: %w", err)
	}
	who := attest.New(opts.Project)
	who.Avoid(opts.Mountpoint)
	srv, err := rpc.Serve(socket, rpc.Options{
		Table: k.Table, Attest: who.Caller, Shared: opts.AllowOther || c.Mount.AllowOther,
		Mask: func(text string) string { return k.Gate.Name("", text) },
		Tools: func(ctx context.Context, caller memory.Caller) map[string]tool.Tool {
			return k.configOf(ctx, caller.UID, caller.Project, caller.Cwd).Config.Tools
		},
	})
	switch {
	case errors.Is(err, rpc.ErrInUse): // another mount of the same memory, mostly
		k.log.Warn("this mount serves no calls", "err", err)
		return "", end, nil
	case err != nil:
		return "", end, fmt.Errorf("rpc.socket: %w", err)
	}
	k.log.Info("calls are served", "socket", socket)
	drain, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() { time.AfterFunc(drainTime, giveUp) })
	return socket, func() {
		defer giveUp()
		if err := srv.Shutdown(drain); err != nil {
			k.log.Warn("calls were given up", "err", err)
		}
	}, nil
}
