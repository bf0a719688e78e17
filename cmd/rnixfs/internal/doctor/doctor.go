// Package doctor finds out what keeps rnixfs from working, and what to do about it.
// It changes nothing. The command line imports it.
package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/daemon"
	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/paths"
	"github.com/rnixfs/rnixfs/kernel/config"
	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process/importer"
	"github.com/rnixfs/rnixfs/kernel/vfs"
	"github.com/rnixfs/rnixfs/kernel/vfs/fuse"
)

// Diagnosis is one thing that the doctor looked at.
type Diagnosis struct {
	Check string `json:"check"`
	State string `json:"state"` // ok, warn, fail
	Found string `json:"found"`
	Mend  string `json:"mend,omitempty"` // what to do about it
}

// report collects diagnoses.
type report []Diagnosis

func (r *report) ok(check, found string) { *r = append(*r, Diagnosis{check, "ok", found, ""}) }
func (r *report) warn(check, found, mend string) {
	*r = append(*r, Diagnosis{check, "warn", found, mend})
}

func (r *report) fail(check, found, mend string) {
	*r = append(*r, Diagnosis{check, "fail", found, mend})
}

const mendSettings = "mend the lines named; rnixfs config check shows them again"

// Diagnose looks at everything that a mount needs.
func Diagnose(ctx context.Context, configFile, mountpoint string) []Diagnosis {
	var r report
	r.fuse(mountpoint)
	mounted := r.mount(ctx, mountpoint)
	p, err := paths.Find()
	if err != nil {
		r.fail("home", err.Error(), "set HOME, or XDG_CONFIG_HOME, XDG_DATA_HOME and XDG_STATE_HOME")
		return r
	}
	loaded, err := config.Working(ctx, daemon.ConfigSources(p, configFile, ""))
	refused := err
	switch {
	case err != nil:
		r.fail("memory.yaml", err.Error(), mendSettings)
	case loaded.Refused != nil:
		refused = loaded.Refused
		r.fail("memory.yaml", refused.Error()+"\nthe file is left out", mendSettings)
	case len(loaded.Files) == 0:
		r.ok("memory.yaml", "none; the defaults are in force")
	default:
		r.ok("memory.yaml", strings.Join(loaded.Files, ", "))
	}
	if err == nil {
		path := os.Getenv("PATH")
		if mounted != nil {
			path = cmp.Or(mounted.Config.Path, path)
		}
		if why := daemon.CheckModel(loaded.Config, path); why != nil {
			r.warn("model", memory.ReasonOf(why), "mend it in memory.yaml; till then jobs wait, and summaries are made without a model")
		}
	}
	if mounted != nil {
		r.mountSettings(&mounted.Config, loaded, refused)
		r.meaning(mounted.Meaning)
	}
	r.project()
	r.folder("global memory", p.Config)
	r.folder("data", p.Data)
	r.folder("state", p.State)
	r.imports(importer.Empty(p.Imports()))
	r.agents()
	if err == nil {
		if mounted != nil && fuse.ReadOnly(mountpoint) {
			mounted = nil // nothing is written through it
		}
		r.kernel(ctx, configFile, mounted)
	}
	return r
}

// imports tells of the histories that were read and gave nothing.
func (r *report) imports(empty []importer.Failure) {
	const shown = 5
	if len(empty) == 0 {
		return
	}
	found := fmt.Sprintf("files that gave no conversation: %d", len(empty))
	for _, f := range empty[:min(len(empty), shown)] {
		found += fmt.Sprintf("\n%q: %s", f.Path, f.Error)
	}
	if len(empty) > shown {
		found += fmt.Sprintf("\nand %d more", len(empty)-shown)
	}
	r.warn("imports", found, "look into them; one in which nothing was said yet is no fault")
}

// meaning tells how the second look of the mount does.
func (r *report) meaning(s *vfs.MeaningStatus) {
	switch {
	case s == nil:
	case s.Error != "":
		r.warn("meaning", "the server of recall.embeddings: "+s.Error, "start it, or mend recall.embeddings in memory.yaml; till then words alone count")
	default:
		r.ok("meaning", fmt.Sprintf("texts with a vector: %d of %d that were searched", s.Embedded, s.Total))
	}
}

// mountSettings tells of the mount's settings where they are not this process's:
// a mount looks for its files from where it was made. refused is what is wrong with
// this process's.
func (r *report) mountSettings(mounted *vfs.ConfigStatus, own *config.Loaded, refused error) {
	const check = "mount settings"
	switch {
	case mounted.Refused != "" && (refused == nil || refused.Error() != mounted.Refused):
		r.fail(check, mounted.Refused+"\nwhat was in force before stays", mendSettings)
	case mounted.Refused != "":
	case len(mounted.Files) == 0 && own != nil && len(own.Files) > 0:
		r.ok(check, "the defaults; the mount reads no file")
	case len(mounted.Files) > 0 && (own == nil || !slices.Equal(mounted.Files, own.Files)):
		r.ok(check, strings.Join(mounted.Files, ", "))
	}
}

// sandboxed reports whether this looks like an agent's sandbox: in that of Codex and that
// of Claude Code, all is read-only but what they were told to let their commands write to.
func sandboxed() bool { return fuse.ReadOnly("/") }

// Allow says how an agent's sandbox is told to let its commands write to the mountpoint.
func Allow(mountpoint string) string {
	mend := "outside the agent's sandbox, let it write to " + mountpoint + ": rnixfs install codex --sandbox (sandbox_workspace_write.writable_roots), or rnixfs install claude --sandbox (sandbox.filesystem.allowWrite)"
	if strings.HasPrefix(mountpoint, "/dev/") { // sandbox-runtime, linux-sandbox-utils.ts: /dev/* is passed over
		mend += "; Claude Code takes nothing below /dev: mount elsewhere for it"
	}
	return mend
}

// minFree is the disk space below which the doctor warns.
const minFree = 64 << 20

// folder finds out whether files can be made in a folder, or in the nearest one
// above it that exists.
func (r *report) folder(name, dir string) {
	at := dir
	for {
		if _, err := os.Stat(at); !errors.Is(err, os.ErrNotExist) || at == "/" {
			break
		}
		at = filepath.Dir(at)
	}
	if sandboxed() && fuse.ReadOnly(at) { // what that keeps from being written, the stores say
		r.ok(name, dir+", read-only here")
		return
	}
	if err := unix.Access(at, unix.W_OK|unix.X_OK); err != nil {
		r.fail(name, fmt.Sprintf("%s can't be written: %v", at, err), "give this user the folder, or point the XDG variables elsewhere")
		return
	}
	var st unix.Statfs_t
	if err := unix.Statfs(at, &st); err == nil {
		if free := int64(st.Bavail) * st.Bsize; free < minFree {
			r.warn(name, fmt.Sprintf("%s: only %d MiB free", dir, free>>20), "make room on the disk")
			return
		}
	}
	r.ok(name, dir)
}
