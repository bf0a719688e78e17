package file

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// User is a user on whose behalf root keeps a folder.
type User struct{ UID, GID int }

// as makes a system call with the rights of the folder's user, so that root is led
// nowhere that the user could not go, whatever the user puts into the folder
// meanwhile, and what is made is the user's. These rights are the thread's
// (setfsuid(2)).
func (d osFS) as(call func() error) error {
	if d.user != nil {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer rights(unix.Geteuid(), unix.Getegid())
		if !rights(d.user.UID, d.user.GID) {
			return unix.EPERM
		}
	}
	return retry(call)
}

// rights gives this thread the rights of a user, and reports whether it has them: the
// calls fail silently, and -1 asks.
func rights(uid, gid int) bool {
	_, _ = unix.SetfsgidRetGid(gid)
	_, _ = unix.SetfsuidRetUid(uid)
	nowGID, _ := unix.SetfsgidRetGid(-1)
	nowUID, _ := unix.SetfsuidRetUid(-1)
	return nowUID == uid && nowGID == gid
}
