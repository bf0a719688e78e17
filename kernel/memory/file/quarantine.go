package file

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

const (
	rejectedDir = ".rejected"
	reasonExt   = ".reason.json"
)

// rejection is <name>.reason.json.
type rejection struct {
	File   string    `json:"file"`
	Time   time.Time `json:"time"`
	Code   string    `json:"code"`
	Reason string    `json:"reason"`
	Text   string    `json:"text"` // kept, masked, withheld
}

// quarantine keeps the texts that were refused, in .rejected/.
type quarantine struct {
	dir    *dir
	redact func(ctx context.Context, text string) (string, error) // nil: nothing is masked
	clock  func() time.Time
	log    *slog.Logger
}

// setAside keeps a refused text, masked, with the reason.
func (q *quarantine) setAside(ctx context.Context, name string, data []byte, why error) error {
	name = q.showable(ctx, name)
	r := rejection{File: name, Time: q.clock().UTC(), Code: memory.KindOf(why).Code(), Reason: memory.ReasonOf(why)}
	if !errors.As(why, new(*memory.Error)) {
		r.Code, r.Reason = "unreadable", why.Error()
	}
	data, r.Text = q.masked(ctx, data)
	if err := q.makeFolder(); err != nil {
		return err
	}
	reason, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	base, err := q.keep(name, append(reason, '\n'), data)
	if err != nil {
		return err
	}
	q.log.Warn("text set aside", "file", name, "kept", base, "code", r.Code)
	return q.dir.SyncDir(rejectedDir)
}

// masked is what may be kept of a text, nil for nothing, and a word for that.
func (q *quarantine) masked(ctx context.Context, data []byte) (kept []byte, how string) {
	if q.redact == nil {
		return data, "kept"
	}
	text, err := q.redact(ctx, string(data))
	switch {
	case err != nil:
		return nil, "withheld"
	case text != string(data):
		return []byte(text), "masked"
	}
	return data, "kept"
}

// showable is a file's name, or another one where the name itself holds what must
// be masked: it goes into the reason, the log and the name of what is kept.
func (q *quarantine) showable(ctx context.Context, name string) string {
	if stem := keyOf(name); q.redact != nil && stem != "" {
		if text, err := q.redact(ctx, stem); err != nil || text != stem {
			return "name-withheld-" + hashOf([]byte(name))[:8] + ext
		}
	}
	return name
}

func (q *quarantine) makeFolder() error {
	if err := q.dir.Mkdir(rejectedDir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	if info, err := q.dir.Lstat(rejectedDir); err != nil || !info.Dir {
		return errors.Join(err, errors.New(rejectedDir+" is no folder"))
	}
	return nil
}

// keep writes the reason and the text under the first free name.
func (q *quarantine) keep(name string, reason, data []byte) (string, error) {
	base, err := q.dir.free(rejectedDir+"/"+keyOf(name), ext+reasonExt)
	base = strings.TrimSuffix(base, reasonExt)
	if err == nil {
		err = q.dir.writeNew(base+reasonExt, reason)
	}
	if err != nil {
		return "", err
	}
	if data == nil {
		return base, nil
	}
	err = q.dir.writeNew(base, data)
	if errors.Is(err, os.ErrExist) {
		err = q.dir.writeNew(base+"."+q.dir.tmpName()[len(tmpPrefix):], data)
	}
	return base, err
}

// reasonFiles lists the files of reasons.
func (q *quarantine) reasonFiles() ([]string, error) {
	names, err := q.dir.list(rejectedDir, func(name string) bool { return strings.HasSuffix(name, reasonExt) })
	return names, unless(err, os.ErrNotExist)
}

const (
	maxReasons = 10_000   // that are read
	maxReason  = 16 << 10 // bytes
)

// reasons lists the texts that were set aside, by their paths, and why.
func (q *quarantine) reasons() (map[string]rejection, error) {
	names, err := q.reasonFiles()
	if err != nil {
		return nil, err
	}
	out := map[string]rejection{}
	for _, name := range names[:min(len(names), maxReasons)] {
		var r rejection
		if raw, _, err := q.dir.read(rejectedDir + "/" + name); err != nil || len(raw) > maxReason || json.Unmarshal(raw, &r) != nil {
			r = rejection{Reason: "set aside for a reason that can't be read"}
		}
		out[rejectedDir+"/"+strings.TrimSuffix(name, reasonExt)] = r
	}
	return out, nil
}

// count counts the texts that were set aside; none where they can't be listed.
func (q *quarantine) count() int {
	names, _ := q.reasonFiles()
	return len(names)
}
