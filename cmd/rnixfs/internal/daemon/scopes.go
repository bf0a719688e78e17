package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/paths"
	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/file"
	"github.com/rnixfs/rnixfs/kernel/memory/ram"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
	"github.com/rnixfs/rnixfs/kernel/scanner"
	"github.com/rnixfs/rnixfs/kernel/vfs/attest"
)

// policies is the table of scopes that holds for a user in a project.
func (k *Kernel) policies(ctx context.Context, uid uint32, project string) memory.Policies {
	if project == k.Sources().Project {
		return k.Config().Policies()
	}
	return k.configOf(ctx, uid, project, project).Policies()
}

// open opens the provider of a scope. Files are read also where they can't be
// written.
func (k *Kernel) open(ctx context.Context, id memory.ScopeID, policy memory.Policy, h memory.Hooks) (memory.Provider, error) {
	if policy.Keep == memory.KeepRAM {
		return ram.Open(ram.Options{Hooks: h}), nil
	}
	opts := file.Options{
		Hooks: h, Alike: scanner.Alike, Watcher: k.watches, Logger: k.log,
		NewID: func() string { return uuid.Must(uuid.NewV7()).String() },
	}
	if policy.Owner == memory.OwnerProject && id.Owner != "" {
		// The project's directory is never made: it may have been moved.
		uid := ownerOf(id)
		user, home := userOf(uid)
		if strings.HasPrefix(id.Owner, k.Paths.Container(uid, "")+"/") {
			user = nil // it lies in this process's own folders
		}
		opts.Folder = id.Folder
		if k.opts.Absent != "" {
			opts.Foreign = &memory.Error{
				Op: "apply", Kind: memory.KindUnavailable,
				Err:  fmt.Errorf("the mount at %s is not there, and the history of this folder was written with another key", k.Gate.Name("", k.opts.Absent)),
				Hint: "write when it is mounted again, or unset RNIXFS_MOUNTPOINT to begin a history of your own",
			}
		}
		opts.Within, opts.User, opts.KeyFile, opts.UsualKey = id.Owner, user, k.Paths.Key(uid), paths.UsualKey(home)
	} else if id.Scope != memory.ScopeUser {
		opts.Profile = k.profileOf(id)
	}
	return file.OpenOrRead(ctx, k.Paths.Folder(id, policy.Owner), opts)
}

// ownMemory returns the function that makes the directory of a container's own memory: a
// project by its .rnix, so that a person who changes into it finds what the container's
// callers remember.
func ownMemory(k *Kernel) func(uid uint32, container string) string {
	return func(uid uint32, container string) string {
		dir := k.Paths.Container(uid, container)
		if k.Gate.Name("", container) != container { // the folder would keep what entries must not
			return ""
		}
		if err := os.MkdirAll(filepath.Join(dir, ".rnix"), 0o700); err != nil {
			k.log.Warn("no memory was made for a container", "err", err)
			return ""
		}
		return dir
	}
}

// forgetEmpty removes the directories of containers that have remembered nothing, of those
// made before a time.
func forgetEmpty(p paths.Paths, before time.Time) {
	for _, uid := range p.Users() {
		made, _ := os.ReadDir(p.Container(uid, "")) // none, mostly
		for _, e := range made {
			dir := p.Container(uid, e.Name())
			if fi, err := e.Info(); err == nil && fi.ModTime().Before(before) && os.Remove(filepath.Join(dir, ".rnix")) == nil {
				_ = os.Remove(dir) // else it is not empty
			}
		}
	}
}

// known is which directory a scope's project is: for the writeback, and where the mount
// has one project for all.
func known(id memory.ScopeID) (memory.Folder, error) {
	if !filepath.IsAbs(id.Owner) {
		return memory.Folder{}, nil
	}
	return attest.Known(id.Owner, id.UID)
}

// ownerOf is the user whose project a scope is of, as far as its own user may work
// there for another: root may, and leaves a project its owner's.
func ownerOf(id memory.ScopeID) uint32 {
	var st unix.Stat_t
	if id.UID == 0 && unix.Stat(id.Owner, &st) == nil {
		return st.Uid
	}
	return id.UID
}

// userOf is the user with whose rights the files of their projects are used, nil for
// this process's own, and the user's home.
func userOf(uid uint32) (u *file.User, home string) {
	if int(uid) == os.Getuid() {
		home, _ = paths.Home() // none is no usual place
		return nil, home
	}
	u = &file.User{UID: int(uid), GID: noGroup}
	if known, err := user.LookupId(strconv.FormatUint(uint64(uid), 10)); err == nil {
		u.GID, _ = strconv.Atoi(known.Gid)
		home = known.HomeDir
	}
	return u, home
}

// noGroup is the group of those that the user database does not know.
const noGroup = 65534

// maxOpen is how many scopes stay open that nobody uses. Each takes four descriptors or
// more; three quarters of what this process may have are for those in use, and all else.
func maxOpen() int {
	var most unix.Rlimit
	_ = unix.Getrlimit(unix.RLIMIT_NOFILE, &most) // 0 then: the store's default
	return int(min(most.Cur/16, 64))
}

// profileOf adds to the profile of a scope's user what a reference file of another
// scope says of them. A project has no say in that.
func (k *Kernel) profileOf(id memory.ScopeID) func(ctx context.Context, key, text string) error {
	return func(ctx context.Context, key, text string) error {
		caller := memory.Caller{UID: id.UID, Trust: memory.TrustImported, Road: "legacy"}
		profile := memory.ScopeID{Scope: memory.ScopeUser, Owner: strconv.FormatUint(uint64(id.UID), 10), UID: id.UID}
		_, err := k.Store.Do(ctx, caller, profile, store.Request{
			Action: "add", Values: store.Values{Content: &text}, IdempotencyKey: key,
		})
		return err
	}
}

// folder is where the files of a scope lie; "" where it has none.
func (k *Kernel) folder(id memory.ScopeID, policy memory.Policy) string {
	if policy.Keep == memory.KeepRAM {
		return ""
	}
	return k.Paths.Folder(id, policy.Owner)
}

// shownFolder is where the files of a scope lie, as replies have it.
func (k *Kernel) shownFolder(id memory.ScopeID, policy memory.Policy) string {
	return k.Gate.Name("", k.folder(id, policy))
}

func (k *Kernel) kept(id memory.ScopeID, policy memory.Policy) bool {
	dir := k.folder(id, policy)
	_, err := os.Stat(dir)
	return dir != "" && err == nil
}

// dropSession drops what a session that has ended kept in RAM.
func (k *Kernel) dropSession(ctx context.Context, uid uint32, session string) {
	for scope, policy := range k.policies(ctx, uid, "") {
		if policy.Owner != memory.OwnerSession || session == "" {
			continue
		}
		if err := k.Store.Drop(memory.ScopeID{Scope: scope, Owner: session, UID: uid}); err != nil {
			k.log.Warn("the memory of a session was not closed", "scope", scope, "err", err)
		}
	}
}

// dropEnded drops the scopes of the operating system's sessions that have ended.
func (k *Kernel) dropEnded(ctx context.Context) {
	for _, id := range k.Store.Open() {
		if pid, ok := attest.LeaderPID(id.Owner); ok && !alive(pid) {
			k.dropSession(ctx, id.UID, id.Owner)
		}
	}
}

func alive(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

const (
	sweepTime = time.Hour       // between two removals of what has expired
	idleTime  = 5 * time.Minute // after which an unused scope is closed
	checkTime = time.Minute     // between two looks for such scopes
)

// sweep removes what has expired, at once and hourly, and closes the scopes that
// nobody uses and those of sessions that have ended, until ctx ends.
func (k *Kernel) sweep(ctx context.Context) {
	self := Self()
	for swept := (time.Time{}); ; {
		if now := time.Now(); now.Sub(swept) >= sweepTime {
			var also []memory.ScopeID
			for _, scope := range []memory.Scope{memory.ScopeGlobal, memory.ScopeUser} {
				if id, err := k.Store.Resolve(ctx, self, scope); err == nil && swept.IsZero() {
					also = append(also, id)
				}
			}
			swept = now
			forgetEmpty(k.Paths, now.Add(-sweepTime))
			if err := k.Store.Sweep(ctx, also...); err != nil && ctx.Err() == nil {
				k.log.Warn("not everything that has expired was removed", "err", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(checkTime):
			k.dropEnded(ctx)
			k.Store.CloseIdle(time.Now().Add(-idleTime))
		}
	}
}
