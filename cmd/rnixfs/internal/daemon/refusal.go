package daemon

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/paths"
	"github.com/rnixfs/rnixfs/kernel/durable"
	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/file"
	"github.com/rnixfs/rnixfs/kernel/vfs"
)

// Refusal is what the scanner refused last in a project: nothing of the text but the
// masked previews and fingerprints of its findings.
type Refusal struct {
	At           time.Time        `json:"at"`
	By           memory.Source    `json:"by"`
	File         string           `json:"file,omitempty"` // where a hand edit was set aside
	Findings     []memory.Finding `json:"findings"`
	Fingerprints []string         `json:"fingerprints"` // of the findings, "" where there is none
}

// keepRefusals returns what notes refusals, for the person who may allow them: the user
// whose memory.yaml this process reads.
func keepRefusals(p paths.Paths, log *slog.Logger) func(context.Context, memory.Caller, memory.Source, []memory.Finding, string) {
	return func(ctx context.Context, caller memory.Caller, by memory.Source, found []memory.Finding, file string) {
		if int(caller.UID) != os.Getuid() {
			return
		}
		r := Refusal{At: time.Now().UTC(), By: by, File: file}
		for _, f := range found {
			r.Fingerprints = append(r.Fingerprints, f.Fingerprint)
			f.Field, f.Hint = "", "" // a field may have a name of the writer's choice
			r.Findings = append(r.Findings, f)
		}
		if err := durable.ReplaceJSON(p.Refused(caller.Project), r); err != nil {
			log.Warn("a refusal was not noted, so rnixfs allow does not know it", "request", vfs.Logged(ctx), "err", err)
		}
	}
}

// LastRefusal is the last one of a project of this user's, or of a file of theirs that is
// no project's, if that is newer; there may be none, which is fs.ErrNotExist.
func LastRefusal(p paths.Paths, project string) (Refusal, error) {
	r, err := refusalOf(p, project)
	if own, oerr := refusalOf(p, ""); oerr == nil && own.File != "" && own.At.After(r.At) {
		return own, nil
	}
	return r, err
}

func refusalOf(p paths.Paths, project string) (r Refusal, err error) {
	raw, err := os.ReadFile(p.Refused(project))
	if err == nil {
		err = json.Unmarshal(raw, &r)
	}
	return r, err
}

// FingerprintKey returns the key of what the scanner finds, which is derived from the
// user's. Where that can't be used there are no fingerprints, and none is allowed.
func FingerprintKey(p paths.Paths) func() []byte {
	return sync.OnceValue(func() []byte {
		home, _ := paths.Home() // none is no usual place
		key, _ := file.Key(p.Key(uint32(os.Getuid())), paths.UsualKey(home), "scanner fingerprint")
		return key
	})
}
