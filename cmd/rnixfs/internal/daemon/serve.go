package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/rnixfs/rnixfs/kernel/vfs/fuse"
)

// drainTime bounds how long a shutdown waits for the requests that are running.
const drainTime = 10 * time.Second

// ServeOptions say what to mount where.
type ServeOptions struct {
	Options
	Mountpoint string
	AllowOther bool   // beside what memory.yaml says
	Ready      func() // called once the mount answers
}

// Serve mounts the devices and serves them until ctx ends, SIGTERM or SIGINT
// come, or somebody unmounts. It drains what is running before it returns.
func Serve(ctx context.Context, opts ServeOptions) (err error) {
	// From here on a signal ends the mount in order; before, it ends the process.
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()

	opts.Watch = true
	k, err := New(ctx, opts.Options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, k.Close()) }()
	if err := k.ready(); err != nil {
		return err
	}

	if err := makeMountpoint(opts.Mountpoint); err != nil {
		return err
	}
	work, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	defer func() { // before the kernel is closed
		stopWork()
		k.spools.work.Wait()
	}()
	mount := k.Config().Config.Mount
	srv, err := fuse.Mount(ctx, opts.Mountpoint, k.Table, fuse.Options{
		AllowOther: opts.AllowOther || mount.AllowOther,
		Deadline:   mount.Deadline,
		Pinned:     opts.Project,
		Logger:     k.log,
	})
	if err != nil {
		return err
	}
	k.mounted.Store(&mounted{opts.Mountpoint, srv})
	k.startLearning(work)
	if opts.Ready != nil {
		opts.Ready()
	}
	notify("READY=1\nSTATUS=mounted at " + opts.Mountpoint)
	k.log.Info("mounted", "mountpoint", opts.Mountpoint, "pid", os.Getpid())
	return k.serve(ctx, srv)
}

// mounted is what status tells of the mount.
type mounted struct {
	mountpoint string
	server     *fuse.Server
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
			notify(fmt.Sprintf("RELOADING=1\nMONOTONIC_USEC=%d", monotonicMicros()))
			k.Reload(ctx) // a refusal is logged and shown by status
			notify("READY=1")
		case <-gone:
			k.log.Info("unmounted")
			return nil
		case <-ctx.Done():
			notify("STOPPING=1")
			k.log.Info("stopping")
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

// makeMountpoint makes the directory to mount on, where there is none. It must be
// empty: the store itself might lie in it.
func makeMountpoint(dir string) error {
	if fuse.IsDevice(dir) {
		return nil
	}
	if state, err := fuse.MountState(dir); err != nil || state != fuse.StateNone {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the mountpoint: %w", err)
	}
	names, err := os.ReadDir(dir)
	if err == nil && len(names) > 0 {
		return fmt.Errorf("mount: %s is not empty; a mount would hide what is in it", dir)
	}
	return err
}
