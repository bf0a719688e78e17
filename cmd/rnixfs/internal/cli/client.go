package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/daemon"
	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/doctor"
	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
	"github.com/rnixfs/rnixfs/kernel/vfs/fuse"
)

// call runs one request on a device, given as JSON or to be made JSON. It returns the
// reply's line of JSON; a refused request is a *refusal.
func (a *app) call(ctx context.Context, device string, req any) ([]byte, error) {
	request, is := req.([]byte)
	if !is {
		var err error
		if request, err = json.Marshal(req); err != nil {
			return nil, err
		}
	}
	return a.ask(ctx, device, func(path string) ([]byte, error) { return callMount(path, request) }, func(k *daemon.Kernel) ([]byte, error) {
		res := k.Table.Exec(ctx, k.Table.Device(device), daemon.Self(), request)
		if !res.OK {
			return nil, &refusal{res.Kind, res.Body}
		}
		return res.Body, nil
	})
}

// read returns what a device shows that takes no requests.
func (a *app) read(ctx context.Context, device string) ([]byte, error) {
	return a.ask(ctx, device, os.ReadFile, func(k *daemon.Kernel) ([]byte, error) {
		return k.Table.Read(ctx, k.Table.Device(device), daemon.Self()), nil
	})
}

// ask asks a device through its file in the mount when there is one that can be reached,
// else through a kernel in this process, which takes the same locks. In an agent's sandbox
// a mount may be covered, or read-only.
func (a *app) ask(ctx context.Context, device string, mounted func(path string) ([]byte, error), own func(*daemon.Kernel) ([]byte, error)) ([]byte, error) {
	mountpoint, err := a.mountpoint()
	if err != nil {
		return nil, err
	}
	body, err := awaitMount(ctx, mountpoint, func() ([]byte, error) {
		state, err := fuse.MountState(mountpoint)
		switch {
		case err != nil:
			return nil, err
		case state.Served():
			body, err := mounted(filepath.Join(mountpoint, device))
			if errors.Is(err, unix.EROFS) && fuse.ReadOnly(mountpoint) {
				err = errBarred
			}
			return body, err
		case a.mount != "":
			return nil, withExit(exitNotFound, fmt.Errorf("nothing of rnixfs is mounted at %s", mountpoint))
		case state == fuse.StateCovered:
			return nil, errBarred
		}
		return nil, errNoMount
	})
	barred := errors.Is(err, errBarred)
	if !barred && !errors.Is(err, errNoMount) {
		return body, err
	}
	err = a.withKernel(ctx, func(k *daemon.Kernel) error {
		body, err = own(k)
		return err
	})
	if r, ok := errors.AsType[*refusal](err); ok && barred && r.kind == memory.KindReadOnly {
		r.advise(doctor.Allow(mountpoint))
	}
	return body, err
}

// unmounted is why a command fails that a mount alone can answer.
func (a *app) unmounted(command, why string) error {
	mountpoint, err := a.mountpoint()
	if err != nil {
		return err
	}
	switch state, _ := fuse.MountState(mountpoint); { // was just found out
	case state == fuse.StateStale:
		return withExit(exitNotFound, errStale(mountpoint))
	case state.Served() && fuse.ReadOnly(mountpoint):
		return withExit(kindExit(memory.KindReadOnly), fmt.Errorf("%s: %s is mounted, but read-only here\n  %s", command, mountpoint, doctor.Allow(mountpoint)))
	case state == fuse.StateCovered:
		return withExit(exitNotFound, fmt.Errorf("%s: %s is mounted, but hidden here\n  %s", command, mountpoint, doctor.Allow(mountpoint)))
	}
	return withExit(exitNotFound, fmt.Errorf("%s: nothing of rnixfs is mounted, and %s", command, why))
}

func errStale(mountpoint string) error {
	return fmt.Errorf("%s was left behind by a daemon that has died; rnixfs mount replaces it, rnixfs umount removes it", mountpoint)
}

// Why a command uses a kernel in this process.
var (
	errNoMount = errors.New("nothing is mounted")
	errBarred  = errors.New("a sandbox keeps this command from the mount")
)

// refusal is a request that a device refused.
type refusal struct {
	kind  memory.Kind
	reply []byte
}

// Unwrap returns the error of the device.
func (r *refusal) Unwrap() error { return memory.Errorf(r.kind, "", "%s", r.Error()) }

// advise gives the reply another hint.
func (r *refusal) advise(hint string) {
	var reply map[string]any
	if json.Unmarshal(r.reply, &reply) == nil {
		reply["hint"] = hint
		if line, err := json.Marshal(reply); err == nil {
			r.reply = append(line, '\n')
		}
	}
}

func (r *refusal) Error() string {
	var reply store.Reply
	if json.Unmarshal(r.reply, &reply) != nil || reply.Error == "" {
		return "the request failed"
	}
	if reply.Hint != "" {
		return reply.Error + "\n  " + reply.Hint
	}
	return reply.Error
}

func callMount(path string, request []byte) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	_, werr := f.Write(request)
	// A read at offset 0 gives the newest reply of this open file.
	body, err := io.ReadAll(io.NewSectionReader(f, 0, 1<<40))
	if err != nil {
		return nil, errors.Join(werr, err)
	}
	if werr != nil {
		return nil, &refusal{kindOfCode(body), body}
	}
	return body, nil
}

// kindOfCode is the kind whose code a reply carries.
func kindOfCode(reply []byte) memory.Kind {
	var r struct {
		Code string `json:"code"`
	}
	if json.Unmarshal(reply, &r) == nil {
		for _, k := range memory.Kinds() {
			if k.Code() == r.Code {
				return k
			}
		}
	}
	return memory.KindInternal
}

// finish prints a reply, or says why there is none: with --json the reply itself
// in either case, else what show makes of it.
func (a *app) finish(body []byte, err error, show func([]byte) error) error {
	var r *refusal
	switch {
	case errors.As(err, &r) && a.json:
		_, _ = a.out.Write(r.reply)
		return withExit(kindExit(r.kind), nil)
	case errors.As(err, &r):
		return withExit(kindExit(r.kind), err)
	case err != nil:
		return err
	case a.json:
		_, err := a.out.Write(body)
		return err
	}
	return show(body)
}
