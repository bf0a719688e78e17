package daemon

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/vfs/attest"
)

// Paths are the folders of one user, by the XDG base directory specification.
type Paths struct {
	Config  string // $XDG_CONFIG_HOME/rnix
	Data    string // $XDG_DATA_HOME/rnix
	State   string // $XDG_STATE_HOME/rnix
	Runtime string // $XDG_RUNTIME_DIR/rnix, or a folder of the user's own under the temporary one
}

// UserPaths finds the folders of the user who runs this process. A variable that
// is unset, empty or relative counts as unset, as the specification has it.
func UserPaths() (Paths, error) {
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

// Mountpoint is where a mount goes that names no place: /dev/memory for root, a
// folder of the user's own for everybody else.
func (p Paths) Mountpoint() string {
	if os.Geteuid() == 0 {
		return "/dev/memory"
	}
	return filepath.Join(p.Runtime, "memory")
}

// Folder is where the files of a scope live. Scopes of other users, who reach
// this mount by allow_other, lie apart from the owner's.
func (p Paths) Folder(id memory.ScopeID) (string, error) {
	mine := int(id.UID) == os.Getuid()
	base := p.Config
	if !mine {
		base = filepath.Join(p.Config, "users", strconv.Itoa(int(id.UID)))
	}
	switch id.Scope {
	case memory.ScopeGlobal:
		return filepath.Join(base, "memory"), nil
	case memory.ScopeUser:
		return filepath.Join(base, "memory", "profile"), nil
	case memory.ScopeProject:
		if id.Owner != "" {
			return filepath.Join(id.Owner, ".rnix", "memory"), projectAccess(id)
		}
		if mine {
			return filepath.Join(p.Data, "home", "memory"), nil
		}
		return filepath.Join(p.Data, "users", strconv.Itoa(int(id.UID)), "home", "memory"), nil
	}
	return "", memory.Errorf(memory.KindInvalid, "open", "the scope %q keeps no files", string(id.Scope))
}

// projectAccess lets a user reach the memory of a project through somebody
// else's mount only where the project is that user's own, links excluded: the
// daemon writes with its own rights, not the caller's.
//
// Nobody's .rnix may be a link: a repository that was cloned can carry one, and
// whoever stands in it would read and write another project's memory.
func projectAccess(id memory.ScopeID) error {
	mine := int(id.UID) == os.Getuid()
	for _, name := range []string{"", ".rnix", ".rnix/memory"} {
		fi, err := os.Lstat(filepath.Join(id.Owner, name))
		switch {
		case name == "" && (errors.Is(err, os.ErrNotExist) || err == nil && !isFolder(id.Owner)):
			return memory.Errorf(memory.KindUnavailable, "open", "the project's directory is gone: %q; its memory works again when it is back", id.Owner)
		case name != "" && errors.Is(err, os.ErrNotExist):
			return nil // nor is there anything in it
		case err != nil && !mine:
			return memory.Errorf(memory.KindDenied, "open", "the project can't be examined")
		case err != nil:
			return nil // whoever opens it will say what is wrong
		case name != "" && !fi.IsDir():
			return memory.Errorf(memory.KindDenied, "open", "%s of this project is not a folder; links are not followed", name)
		}
		if st, ok := fi.Sys().(*syscall.Stat_t); !mine && (!ok || !fi.IsDir() || st.Uid != id.UID) {
			return memory.Errorf(memory.KindDenied, "open", "the project does not belong to this user")
		}
	}
	return nil
}

func isFolder(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
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

// Spool is the folder of the conversations that wait to be learned from.
func (p Paths) Spool() string { return filepath.Join(p.Data, "spool") }

// Log is the file that a mount in the background logs to.
func (p Paths) Log() string { return filepath.Join(p.State, "rnixfs.log") }
