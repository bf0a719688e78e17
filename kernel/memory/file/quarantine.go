package file

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

const (
	rejectedDir = ".rejected"
	maskSign    = "[redacted:"
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
	dir   *dir
	hooks memory.Hooks // without Redact, nothing is masked
	clock func() time.Time
	log   *slog.Logger
}

// setAside keeps a refused text, masked, with the reason. The file that it was in is the
// caller's to remove, then tell has the store told.
func (q *quarantine) setAside(ctx context.Context, name string, data []byte, why error) (tell func(), err error) {
	name = q.showable(ctx, name)
	r := rejection{File: name, Time: q.clock().UTC(), Code: memory.KindOf(why).Code(), Reason: memory.ReasonOf(why)}
	if !errors.As(why, new(*memory.Error)) {
		r.Code, r.Reason = "unreadable", why.Error()
	}
	data, r.Text = q.masked(ctx, data)
	if err := q.makeFolder(); err != nil {
		return nil, err
	}
	reason, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, err
	}
	base, err := q.keep(name, append(reason, '\n'), data)
	if err != nil {
		return nil, err
	}
	q.log.Warn("text set aside", "file", name, "kept", base, "code", r.Code)
	tell = func() {
		if e, ok := errors.AsType[*memory.Error](why); ok && len(e.Findings) > 0 && q.hooks.SetAside != nil {
			q.hooks.SetAside(e.Findings, base)
		}
	}
	return tell, q.dir.SyncDir(rejectedDir)
}

// masked is what may be kept of a text, nil for nothing, and a word for that.
func (q *quarantine) masked(ctx context.Context, data []byte) (kept []byte, how string) {
	if q.hooks.Redact == nil {
		return data, "kept"
	}
	text, err := q.hooks.Redact(ctx, string(data))
	switch {
	case err != nil:
		return nil, "withheld"
	case text != string(data) || strings.Contains(text, maskSign): // or once more
		return []byte(text), "masked"
	}
	return data, "kept"
}

// showable is a file's name, or another one where the name itself holds what must
// be masked: it goes into the reason, the log and the name of what is kept.
func (q *quarantine) showable(ctx context.Context, name string) string {
	if stem := keyOf(name); q.hooks.Redact != nil && q.hooks.Admit != nil && stem != "" {
		text, err := q.hooks.Redact(ctx, stem)
		if refused := q.hooks.Admit(ctx, &memory.Entry{Content: stem}); refused != nil || err != nil || text != stem {
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

// reasonFiles lists the files of reasons, and apart from them those whose text somebody
// moved back or deleted.
func (q *quarantine) reasonFiles() (names, settled []string, err error) {
	all, err := q.dir.list(rejectedDir, func(string) bool { return true })
	slices.Sort(all)
	for _, name := range all[:min(len(all), 2*maxReasons)] {
		text, ok := strings.CutSuffix(name, reasonExt)
		if !ok {
			continue
		}
		if _, kept := slices.BinarySearch(all, text); kept || !slices.Contains([]string{"kept", "masked"}, q.reason(name).Text) {
			names = append(names, name)
		} else {
			settled = append(settled, name)
		}
	}
	return names, settled, unless(err, os.ErrNotExist)
}

// tidy removes the reasons whose text was moved back or deleted.
func (q *quarantine) tidy() {
	_, settled, _ := q.reasonFiles()
	for _, name := range settled {
		_ = q.dir.remove(rejectedDir + "/" + name) // the next time, else: it is not counted
	}
}

// stillMasked reports whether data was set aside with a mask, and moved back with one.
func (q *quarantine) stillMasked(name string, data []byte) bool {
	if !bytes.Contains(data, []byte(maskSign)) {
		return false
	}
	_, settled, _ := q.reasonFiles()
	return slices.ContainsFunc(settled, func(reason string) bool {
		r := q.reason(reason)
		return r.File == name && r.Text == "masked"
	})
}

const (
	maxReasons = 10_000   // that are read
	maxReason  = 16 << 10 // bytes
)

// reasons lists the texts that were set aside, by their paths, and why.
func (q *quarantine) reasons() (map[string]rejection, error) {
	names, _, err := q.reasonFiles()
	if err != nil {
		return nil, err
	}
	out := map[string]rejection{}
	for _, name := range names[:min(len(names), maxReasons)] {
		out[rejectedDir+"/"+strings.TrimSuffix(name, reasonExt)] = q.reason(name)
	}
	return out, nil
}

func (q *quarantine) reason(name string) (r rejection) {
	raw, _, err := q.dir.read(rejectedDir + "/" + name)
	if err != nil || len(raw) > maxReason || json.Unmarshal(raw, &r) != nil {
		return rejection{Reason: "set aside for a reason that can't be read"}
	}
	return r
}

// count counts the texts that were set aside; none where they can't be listed.
func (q *quarantine) count() int {
	names, _, _ := q.reasonFiles()
	return len(names)
}
