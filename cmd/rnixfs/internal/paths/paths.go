package paths

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/vfs/attest"
)

// Paths are the folders of one user.
type Paths struct {
	Config  string // $XDG_CONFIG_HOME/rnix
	Data    string // $XDG_DATA_HOME/rnix
	State   string // $XDG_STATE_HOME/rnix
	Runtime string // $XDG_RUNTIME_DIR/rnix, or a folder of the user's own under the temporary one
}

// Find finds the folders of the user who runs this process. A variable that is
// unset, empty or relative counts as unset, as the specification has it.
func Find() (Paths, error) {
	home, err := Home()
	if err != nil && (xdg("XDG_CONFIG_HOME") == "" || xdg("XDG_DATA_HOME") == "" || xdg("XDG_STATE_HOME") == "") {
		return Paths{}, fmt.Errorf("find the home directory: %w (set HOME)", err)
	}
	dir := func(env, fallback string) string {
		if d := xdg(env); d != "" {
			return filepath.Join(d, "rnix")
		}
		return filepath.Join(home, fallback, "rnix")
	}
	p := Paths{
		Config: dir("XDG_CONFIG_HOME", ".config"),
		Data:   dir("XDG_DATA_HOME", ".local/share"),
		State:  dir("XDG_STATE_HOME", ".local/state"),
	}
	p.Runtime = filepath.Join(os.TempDir(), "rnix-"+strconv.Itoa(os.Getuid()))
	if d := xdg("XDG_RUNTIME_DIR"); d != "" {
		p.Runtime = filepath.Join(d, "rnix")
	}
	return p, nil
}

// Home is the user's home directory: $HOME, or what the user database says where
// that is unset, as under systemd or for a hook with an empty environment.
func Home() (string, error) {
	if home := os.Getenv("HOME"); filepath.IsAbs(home) {
		return home, nil
	}
	u, err := user.Current()
	if err != nil {
		return "", err
	}
	if !filepath.IsAbs(u.HomeDir) {
		return "", errors.New("the user database knows none")
	}
	return u.HomeDir, nil
}

func xdg(env string) string {
	if d := os.Getenv(env); filepath.IsAbs(d) {
		return d
	}
	return ""
}

// Project is the project that a directory lies in, by its real path: a caller of the
// mount is known by where the kernel says that it stands, and a link to a place is
// not another project.
func Project(dir string) (root string, ok bool) {
	if path, err := filepath.EvalSymlinks(dir); err == nil && filepath.IsAbs(dir) {
		dir = path
	}
	return attest.Project(dir)
}

// Root's mount is in a folder that containers are given, where they see the next one,
// too. A link leads to it from the path that stands in every text.
const (
	Device = "/dev/memory"
	Shared = "/run/rnix/memory"
)

// Mountpoint is where a mount goes that names no place: /dev/memory for root, a
// folder of the user's own for everybody else.
func (p Paths) Mountpoint() (string, error) {
	if os.Geteuid() == 0 {
		return Device, nil
	}
	if err := Private(p.Runtime); err != nil {
		return "", err
	}
	return filepath.Join(p.Runtime, "memory"), nil
}

// Private refuses a folder that others may write to, or may replace: what is written to
// a device there would be theirs to read. One that is missing is the next to be made.
func Private(dir string) error { return private(dir, os.Geteuid()) }

func private(dir string, uid int) error {
	for _, at := range []string{dir, filepath.Dir(dir)} {
		var st unix.Stat_t
		err := unix.Lstat(at, &st)
		if errors.Is(err, unix.ENOENT) {
			continue
		}
		own := int(st.Uid) == uid || at != dir && (st.Uid == 0 || st.Uid == nobody && !numbered(nobody))
		closed := st.Mode&0o022 == 0 || at != dir && st.Mode&unix.S_ISVTX != 0
		if err != nil || st.Mode&unix.S_IFMT != unix.S_IFDIR || !own || !closed {
			return fmt.Errorf("%s could be another user's (it belongs to the user %d, mode %04o): set XDG_RUNTIME_DIR to a folder that only you may write to, or name another place",
				at, st.Uid, st.Mode&0o7777)
		}
	}
	return nil
}

// nobody is whom a user namespace shows in the place of those who have no number in it
// (user_namespaces(7)), in an agent's sandbox root among them.
const nobody = 65534

// numbered reports whether a number is a user's in this user namespace.
func numbered(uid uint64) bool {
	ranges, err := os.ReadFile("/proc/self/uid_map")
	for line := range strings.Lines(string(ranges)) {
		var first, above, count uint64
		if _, err := fmt.Sscan(line, &first, &above, &count); err == nil && first <= uid && uid < first+count {
			return true
		}
	}
	return err != nil
}

// usersName holds a folder for each user who reaches somebody else's mount by
// allow_other, named by its uid.
const usersName = "users"

// of is a folder as a user has it: the one given, or a part of it for another user
// than the one who runs this process.
func of(dir string, uid uint32) string {
	if int(uid) == os.Getuid() {
		return dir
	}
	return filepath.Join(dir, usersName, strconv.FormatUint(uint64(uid), 10))
}

// Conversations is the folder of a user's conversations.
func (p Paths) Conversations(uid uint32) string { return of(p.Data, uid) }

// Spool is the folder of a user's conversations that wait to be learned from.
func (p Paths) Spool(uid uint32) string { return filepath.Join(of(p.Data, uid), "spool") }

// Container is the directory that keeps a container's own memory as a project does, or
// that of all of them, "".
func (p Paths) Container(uid uint32, id string) string {
	return filepath.Join(of(p.Data, uid), "containers", id)
}

// Users returns the users who have conversations, the one who runs this process
// first.
func (p Paths) Users() []uint32 {
	uids := []uint32{uint32(os.Getuid())}
	others, _ := os.ReadDir(filepath.Join(p.Data, usersName)) // none, mostly
	for _, e := range others {
		if uid, err := strconv.ParseUint(e.Name(), 10, 32); err == nil {
			uids = append(uids, uint32(uid))
		}
	}
	return uids
}

// Key is the file of what the journals of a user are sealed with, by this process.
func (p Paths) Key(uid uint32) string { return filepath.Join(of(p.Data, uid), keyName) }

// UsualKey is where that file is for programs of a user that know no XDG_DATA_HOME,
// as hooks with an empty environment. What is sealed with another is foreign to them.
func UsualKey(home string) string { return filepath.Join("/", home, ".local/share/rnix", keyName) }

const keyName = "key"

// Imports is the file that remembers which histories were imported.
func (p Paths) Imports() string { return filepath.Join(p.Data, "imports.json") }

// Knowledge is the folder of the index of the user's documents: a cache.
func (p Paths) Knowledge() string { return filepath.Join(p.Data, "knowledge") }

// Tokens is the file that counts what the language model was sent today.
func (p Paths) Tokens() string { return filepath.Join(p.Data, "llm.json") }

// Refused is the file that has the last refusal of a project; "" is none.
func (p Paths) Refused(project string) string {
	return filepath.Join(p.State, "refused", fmt.Sprintf("%.8x.json", sha256.Sum256([]byte(project))))
}

// Log is the file that a mount in the background logs to.
func (p Paths) Log() string { return filepath.Join(p.State, "rnixfs.log") }

// Self is the absolute path by which this program is to be started: the one that PATH
// has for rnixfs where that is this program, for a link there outlives a new version.
// named reports whether it is that one.
func Self() (path string, named bool, err error) {
	exe, err := os.Executable()
	if err != nil {
		return "", false, err
	}
	own, err := os.Stat(exe)
	if err != nil {
		return "", false, fmt.Errorf("find this program: %w", err)
	}
	if found, err := exec.LookPath("rnixfs"); err == nil && filepath.IsAbs(found) {
		if fi, err := os.Stat(found); err == nil && os.SameFile(fi, own) {
			return found, true, nil
		}
	}
	return exe, false, nil
}
