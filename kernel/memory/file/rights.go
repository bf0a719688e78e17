package file

import "golang.org/x/sys/unix"

// User is a user on whose behalf root keeps a folder.
type User struct{ UID, GID int }

// rights gives this thread the rights of a user, and reports whether it has them: the
// calls fail silently, and -1 asks.
func rights(uid, gid int) bool {
	_, _ = unix.SetfsgidRetGid(gid)
	_, _ = unix.SetfsuidRetUid(uid)
	nowGID, _ := unix.SetfsgidRetGid(-1)
	nowUID, _ := unix.SetfsuidRetUid(-1)
	return nowUID == uid && nowGID == gid
}
