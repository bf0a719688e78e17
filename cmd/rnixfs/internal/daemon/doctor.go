package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/config"
	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/vfs/fuse"
	"github.com/rnixfs/rnixfs/kernel/writeback/spool"
)

// Diagnosis is one thing that the doctor looked at.
type Diagnosis struct {
	Check string `json:"check"`
	State string `json:"state"` // ok, warn, fail
	Found string `json:"found"`
	Mend  string `json:"mend,omitempty"` // what to do about it
}

// minFree is the disk space below which the doctor warns.
const minFree = 64 << 20

const mendSettings = "mend the lines named; rnixfs config check shows them again"

// Diagnose looks at everything that a mount needs. It changes nothing.
func Diagnose(ctx context.Context, configFile, mountpoint string) []Diagnosis {
	var out []Diagnosis
	add := func(check, state, found, mend string) {
		out = append(out, Diagnosis{check, state, found, mend})
	}
	diagnoseFuse(add)
	mounted := diagnoseMountpoint(add, mountpoint)
	paths, err := UserPaths()
	if err != nil {
		add("home", "fail", err.Error(), "set HOME, or XDG_CONFIG_HOME, XDG_DATA_HOME and XDG_STATE_HOME")
		return out
	}
	loaded, err := config.Working(ctx, ConfigSources(paths, configFile, ""))
	refused := err
	switch {
	case err != nil:
		add("memory.yaml", "fail", err.Error(), mendSettings)
	case loaded.Refused != nil:
		refused = loaded.Refused
		add("memory.yaml", "fail", refused.Error()+"\nthe file is left out", mendSettings)
	case len(loaded.Files) == 0:
		add("memory.yaml", "ok", "none; the defaults are in force", "")
	default:
		add("memory.yaml", "ok", strings.Join(loaded.Files, ", "), "")
	}
	if mounted != nil {
		diagnoseMounted(add, mounted, loaded, refused)
	}
	for _, d := range []struct{ name, dir string }{{"global memory", paths.Config}, {"data", paths.Data}, {"state", paths.State}} {
		diagnoseFolder(add, d.name, d.dir)
	}
	if err == nil {
		diagnoseStores(ctx, add, configFile)
	}
	return out
}

type addFunc func(check, state, found, mend string)

func diagnoseFuse(add addFunc) {
	switch f, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0); {
	case errors.Is(err, os.ErrNotExist):
		add("/dev/fuse", "fail", "missing", "load the module (modprobe fuse); in a container, start it with --device /dev/fuse")
	case err != nil:
		add("/dev/fuse", "fail", err.Error(), "let this user open it (chmod 666 /dev/fuse), or mount as root")
	default:
		f.Close()
		add("/dev/fuse", "ok", "can be opened", "")
	}
	path, err := exec.LookPath("fusermount3")
	if err != nil {
		path, err = exec.LookPath("fusermount")
	}
	switch fi, serr := os.Stat(path); {
	case err != nil && os.Geteuid() == 0:
		add("fusermount3", "warn", "not installed; root mounts without it", "apt-get install fuse3, for other users")
	case err != nil:
		add("fusermount3", "fail", "not installed", "apt-get install fuse3")
	case serr == nil && fi.Mode()&os.ModeSetuid == 0 && os.Geteuid() != 0:
		add("fusermount3", "fail", path+" is not setuid root", "chmod u+s "+path)
	default:
		add("fusermount3", "ok", path, "")
	}
	conf, err := os.ReadFile("/etc/fuse.conf")
	if os.Geteuid() != 0 && (err != nil || !hasLine(string(conf), "user_allow_other")) {
		add("/etc/fuse.conf", "ok", "user_allow_other is off: only this user can use the mount", "")
	}
}

func hasLine(text, want string) bool {
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == want {
			return true
		}
	}
	return false
}

// diagnoseMountpoint returns the settings of the mount there, or nil.
func diagnoseMountpoint(add addFunc, mountpoint string) *configStatus {
	state, err := fuse.MountState(mountpoint)
	switch {
	case err != nil:
		add("mount", "fail", fmt.Sprintf("%s: %v", mountpoint, err), "")
	case state == fuse.StateSilent:
		addSilent(add, mountpoint)
	case state == fuse.StateLive:
		return diagnoseAnswer(add, mountpoint)
	case state == fuse.StateStale:
		add("mount", "fail", mountpoint+" was left behind by a process that is gone", "rnixfs mount replaces it; rnixfs umount removes it")
	case state == fuse.StateForeign:
		add("mount", "fail", "another file system is mounted at "+mountpoint, "unmount it, or choose another mountpoint")
	default:
		add("mount", "ok", "nothing is mounted at "+mountpoint, "")
	}
	return nil
}

// answerTime is how long a mount may take to show its status.
const answerTime = 2 * time.Second

func addSilent(add addFunc, mountpoint string) {
	why, mend := fuse.Silent(mountpoint)
	add("mount", "fail", why.Error(), mend)
}

// diagnoseAnswer finds out whether a mount answers, and returns its settings, or
// nil. One that does not answer holds its reader until this process ends.
func diagnoseAnswer(add addFunc, mountpoint string) *configStatus {
	type answer struct {
		status []byte
		err    error
	}
	came := make(chan answer, 1)
	go func() {
		status, err := os.ReadFile(filepath.Join(mountpoint, "status"))
		came <- answer{status, err}
	}()
	select {
	case a := <-came:
		var status struct {
			Config *configStatus                `json:"config"`
			Scopes map[memory.Scope]scopeStatus `json:"scopes"`
		}
		if a.err == nil {
			a.err = json.Unmarshal(a.status, &status)
		}
		switch {
		case a.err == nil:
			add("mount", "ok", mountpoint+" is mounted, and answers", "")
			for _, scope := range slices.Sorted(maps.Keys(status.Scopes)) {
				if why := status.Scopes[scope].Error; why != "" {
					add("mount store "+string(scope), "fail", why, "put the folder back, or unmount and mount for another one")
				}
			}
		case errors.Is(a.err, os.ErrPermission): // another user's
			add("mount", "ok", mountpoint+" is mounted", "")
		default:
			add("mount", "fail", fmt.Sprintf("%s is mounted, but its status can't be read: %v", mountpoint, a.err), "see the log; rnixfs umount, then rnixfs mount")
		}
		return status.Config
	case <-time.After(answerTime):
		addSilent(add, mountpoint)
	}
	return nil
}

// diagnoseMounted tells of the mount's settings where they are not this process's:
// a mount looks for its files from where it was made. refused is what is wrong with
// this process's.
func diagnoseMounted(add addFunc, mounted *configStatus, own *config.Loaded, refused error) {
	const check = "mount settings"
	switch {
	case mounted.Refused != "" && (refused == nil || refused.Error() != mounted.Refused):
		add(check, "fail", mounted.Refused+"\nwhat was in force before stays", mendSettings)
	case mounted.Refused != "":
	case len(mounted.Files) == 0 && own != nil && len(own.Files) > 0:
		add(check, "ok", "the defaults; the mount reads no file", "")
	case len(mounted.Files) > 0 && (own == nil || !slices.Equal(mounted.Files, own.Files)):
		add(check, "ok", strings.Join(mounted.Files, ", "), "")
	}
}

// diagnoseFolder finds out whether files can be made in a folder, or in the
// nearest one above it that exists.
func diagnoseFolder(add addFunc, name, dir string) {
	at := dir
	for {
		if _, err := os.Stat(at); !errors.Is(err, os.ErrNotExist) || at == "/" {
			break
		}
		at = filepath.Dir(at)
	}
	if err := unix.Access(at, unix.W_OK|unix.X_OK); err != nil {
		add(name, "fail", fmt.Sprintf("%s can't be written: %v", at, err), "give this user the folder, or point the XDG variables elsewhere")
		return
	}
	var st unix.Statfs_t
	if err := unix.Statfs(at, &st); err == nil {
		if free := int64(st.Bavail) * st.Bsize; free < minFree {
			add(name, "warn", fmt.Sprintf("%s: only %d MiB free", dir, free>>20), "make room on the disk")
			return
		}
	}
	add(name, "ok", dir, "")
}

func diagnoseStores(ctx context.Context, add addFunc, configFile string) {
	k, err := New(ctx, Options{ConfigFile: configFile})
	if err != nil {
		add("kernel", "fail", err.Error(), "")
		return
	}
	defer k.Close()
	if _, err := k.gate.wait(ctx); err != nil {
		add("scanner", "fail", errors.Join(err, k.gate.current.Load().err).Error(), "every write is refused until the rules load; mend scanner.rules and scanner.allow in memory.yaml, or reinstall rnixfs")
	} else {
		add("scanner", "ok", "rules loaded, self-test passed", "")
	}
	diagnoseQueue(add, k.writebackStats(uint32(os.Getuid())))
	for _, h := range k.Check(ctx, Self()) {
		for _, p := range h.Problems {
			add("store "+string(h.Scope), "warn", p.Path+": "+p.Reason, p.Mend)
		}
		switch {
		case h.Err != "":
			add("store "+string(h.Scope), "fail", h.Folder+": "+h.Err, h.Mend)
		case len(h.Problems) == 0:
			add("store "+string(h.Scope), "ok", fmt.Sprintf("%s: %d entries", h.Folder, h.Entries), "")
		}
	}
}

// staleQueue is the age of the oldest job above which nobody seems to work.
const staleQueue = 10 * 60

func diagnoseQueue(add addFunc, s *spool.Stats) {
	switch {
	case s == nil:
		add("writeback", "warn", "the queue can't be read", "give this user the folder spool in $XDG_DATA_HOME/rnix")
	case s.Dead > 0:
		add("writeback", "warn", fmt.Sprintf("%d jobs failed for good", s.Dead), "rnixfs writeback list shows why, rnixfs writeback retry tries one again")
	case s.Queue > 0 && s.Oldest > staleQueue:
		add("writeback", "warn", fmt.Sprintf("%d jobs wait, the oldest for %d minutes", s.Queue, int(s.Oldest)/60), "rnixfs mount works on them, or rnixfs writeback run")
	default:
		add("writeback", "ok", fmt.Sprintf("%d jobs wait, %d are done", s.Queue, s.Done), "")
	}
}

// ScopeHealth is the health of one scope's store.
type ScopeHealth struct {
	Scope  memory.Scope `json:"scope"`
	Folder string       `json:"folder"`
	Err    string       `json:"error,omitempty"` // the store could not be examined
	Mend   string       `json:"mend,omitempty"`  // what to do about that
	memory.Health
}

// Check examines the stores that the caller can reach: the project's, the
// global one and the profile's.
func (k *Kernel) Check(ctx context.Context, caller memory.Caller) []ScopeHealth {
	return k.examine(ctx, caller, memory.Checker.Check)
}

// Repair mends what can be mended in those stores without loss.
func (k *Kernel) Repair(ctx context.Context, caller memory.Caller) []ScopeHealth {
	return k.examine(ctx, caller, memory.Checker.Repair)
}
