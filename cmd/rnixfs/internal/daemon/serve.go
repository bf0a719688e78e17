package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/paths"
	"github.com/rnixfs/rnixfs/kernel/vfs/fuse"
)

// drainTime bounds how long a shutdown waits for the requests that are running.
const drainTime = 10 * time.Second

// ServeOptions say what to mount where.
type ServeOptions struct {
	Options
	Mountpoint string
	AllowOther bool              // beside what memory.yaml says
	Ready      func(note string) // called once the mount answers

	SessionRoot bool // see [fuse.Options]
}

// Serve mounts the devices and serves them until ctx ends, SIGTERM or SIGINT
// come, or somebody unmounts. It drains what is running before it returns.
func Serve(ctx context.Context, opts ServeOptions) (err error) {
	// From here on a signal ends the mount in order; before, it ends the process.
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()

	opts.Watch, opts.served = true, true
	k, err := New(ctx, opts.Options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, k.Close()) }()
	if err := k.ready(); err != nil {
		return err
	}

	work, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	k.watcher.Go(func() { k.sweep(work) })
	defer func() { // before the kernel is closed
		stopWork()
		k.users.work.Wait()
	}()
	var dirs made
	defer func() { dirs.remove(k.log) }()
	socket, endCalls, err := serveCalls(ctx, k, opts, &dirs)
	if err != nil {
		return err
	}
	defer func() {
		stop() // where somebody has unmounted
		endCalls()
	}()
	if err := share(opts.Mountpoint, &dirs); err != nil {
		return err
	}
	srv, err := k.mount(ctx, opts, &dirs)
	if err != nil {
		return err
	}
	shown, note := opts.Mountpoint, ""
	if shown == paths.Shared {
		defer Unlink()
		if err := link(); err != nil {
			note = err.Error()
			k.log.Warn("no link to the mount", "err", err)
		} else {
			shown = paths.Device
		}
	}
	k.mounted.Store(&mounted{shown, srv, socket})
	k.startLearning(work)
	k.library.Refresh(false)
	if opts.Ready != nil {
		opts.Ready(note)
	}
	k.log.Info("mounted", "mountpoint", shown, "pid", os.Getpid())
	notify("READY=1")
	k.watcher.Go(func() { watchdog(work, watchdogTime(), answers(opts.Mountpoint), notify) })
	return k.serve(ctx, srv)
}

// takeovers is how often a mountpoint is made again that another server removed,
// which had made it, and whose mount there had just ended.
const takeovers = 5

// mount mounts the devices, and notes the folders that it makes for that.
func (k *Kernel) mount(ctx context.Context, opts ServeOptions, dirs *made) (srv *fuse.Server, err error) {
	mount := k.Config().Config.Mount
	mount.AllowOther = mount.AllowOther || opts.AllowOther
	if mount.AllowOther {
		_ = syscall.Setgroups(nil) // root's groups are not for the users whose rights it takes; nobody else may call this
	}
	for range takeovers {
		if err = makeMountpoint(opts.Mountpoint, dirs); err == nil {
			srv, err = fuse.Mount(ctx, opts.Mountpoint, k.Table, fuse.Options{
				AllowOther: mount.AllowOther,
				Deadline:   mount.Deadline,
				Pinned:     opts.Project,
				Own:        ownMemory(k),

				SessionRoot: opts.SessionRoot,
				Logger:      k.log,
			})
		}
		if err == nil || fuse.IsDevice(opts.Mountpoint) || !removed(opts.Mountpoint) {
			break
		}
	}
	return srv, err
}

// mounted is what status tells of the mount.
type mounted struct {
	mountpoint string
	server     *fuse.Server
	socket     string // where calls are served; "": they are not
}

func (k *Kernel) serve(ctx context.Context, srv *fuse.Server) error {
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	defer signal.Stop(hup)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		srv.Wait()
	}()
	for {
		select {
		case <-hup:
			notify(reloading())
			k.Reload(ctx) // a refusal is logged and shown by status
			notify("READY=1")
		case <-gone:
			k.log.Info("unmounted")
			return nil
		case <-ctx.Done():
			k.log.Info("stopping")
			notify("STOPPING=1")
			drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
			defer cancel()
			if err := srv.Unmount(drain); err != nil {
				return fmt.Errorf("unmount: %w", err)
			}
			// Nothing runs any more. Descriptors that others still hold fail from
			// now on; waiting for them would be waiting for ever.
			return nil
		}
	}
}
