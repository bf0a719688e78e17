package file

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

const rejectedDir = ".rejected"

// rejection is <name>.reason.json.
type rejection struct {
	File   string    `json:"file"`
	Time   time.Time `json:"time"`
	Code   string    `json:"code"`
	Reason string    `json:"reason"`
	Text   string    `json:"text"` // kept, masked, withheld
}

// refuse sets an edit aside and puts the last good version of its entry in its
// place. The file is touched only while it still is the one that was read.
func (b *batch) refuse(ctx context.Context, f *sighting, why error, at time.Time) error {
	p := b.p
	if err := p.setAside(ctx, f.name, f.data, why); err != nil {
		return fmt.Errorf("set aside: %w", err)
	}
	e := p.state.ByID(f.id)
	if e == nil {
		return p.takeAway(f.handEdit)
	}
	good, err := encode(e)
	if err != nil {
		return err
	}
	info, err := p.putBack(f.handEdit, good)
	if err != nil || info == (Info{}) {
		return err
	}
	f.hash, f.info, f.says = hashOf(good), info, f.id
	if p.names[f.id] == f.name {
		p.remember(f.name, f.known(f.id))
		p.dirty[f.name] = p.state.Sequence()
		return nil
	}
	f.entry = e.Clone() // the file was renamed, too, and keeps its name
	f.entry.Source = byHand
	_, err = b.addEdit(f, byHand, at)
	return err
}

// putBack exchanges a refused text for a good one. The zero Info means that it
// was edited again: the next look is at that.
func (p *Provider) putBack(edit handEdit, good []byte) (Info, error) {
	tmp := p.tmpName()
	info, err := p.writeTemp(tmp, good)
	if err == nil {
		err = p.fs.Rename(tmp, edit.name, Exchange)
	}
	if err != nil {
		return Info{}, errors.Join(err, p.removeTemp(tmp))
	}
	if was, err := p.fs.Lstat(tmp); err != nil || was != edit.info {
		return Info{}, errors.Join(err, p.fs.Rename(tmp, edit.name, Exchange), p.removeTemp(tmp))
	}
	return info, p.removeTemp(tmp)
}

// takeAway removes a refused file that was no entry before.
func (p *Provider) takeAway(edit handEdit) error {
	tmp := p.tmpName()
	if err := p.fs.Rename(edit.name, tmp, NoReplace); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		return err
	}
	if was, err := p.fs.Lstat(tmp); err != nil || was != edit.info {
		return errors.Join(err, p.fs.Rename(tmp, edit.name, NoReplace))
	}
	return p.removeTemp(tmp)
}

// setAside keeps a refused text under .rejected/, masked, with the reason.
func (p *Provider) setAside(ctx context.Context, name string, data []byte, why error) error {
	name = p.showable(ctx, name)
	r := rejection{
		File: name, Time: p.opts.Clock().UTC(), Code: memory.KindOf(why).Code(), Reason: memory.ReasonOf(why), Text: "kept",
	}
	var e *memory.Error
	if !errors.As(why, &e) {
		r.Code, r.Reason = "unreadable", why.Error()
	}
	if redact := p.opts.Hooks.Redact; redact != nil {
		text, err := redact(ctx, string(data))
		switch {
		case err != nil:
			data, r.Text = nil, "withheld"
		case text != string(data):
			data, r.Text = []byte(text), "masked"
		}
	}
	err := p.fs.Mkdir(rejectedDir, 0o700)
	if err == nil && p.opts.Owner != nil {
		err = p.fs.Chown(rejectedDir, p.opts.Owner.UID, p.opts.Owner.GID)
	}
	if err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	if info, err := p.fs.Lstat(rejectedDir); err != nil || !info.Dir {
		return errors.Join(err, errors.New(rejectedDir+" is no folder"))
	}
	reason, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	base, err := p.keep(name, append(reason, '\n'), data)
	if err != nil {
		return err
	}
	p.log.Warn("text set aside", "file", name, "kept", base, "code", r.Code)
	return p.fs.SyncDir(rejectedDir)
}

// showable is a file's name, or another one where the name itself holds what must
// be masked: it goes into the reason, the log and the name of what is kept.
func (p *Provider) showable(ctx context.Context, name string) string {
	redact := p.opts.Hooks.Redact
	if redact == nil {
		return name
	}
	if stem := keyOf(name); stem != "" {
		if text, err := redact(ctx, stem); err != nil || text != stem {
			return "name-withheld-" + hashOf([]byte(name))[:8] + ext
		}
	}
	return name
}

// keep writes the reason and the text under the first free name.
func (p *Provider) keep(name string, reason, data []byte) (string, error) {
	base := rejectedDir + "/" + name
	for n := 2; ; n++ {
		err := p.writeNew(base+".reason.json", reason)
		if err == nil {
			break
		}
		if !errors.Is(err, os.ErrExist) {
			return "", err
		}
		base = rejectedDir + "/" + keyOf(name) + "-" + strconv.Itoa(n) + ext
	}
	if data == nil {
		return base, nil
	}
	err := p.writeNew(base, data)
	if errors.Is(err, os.ErrExist) {
		err = p.writeNew(base+"."+p.tmpName()[len(tmpPrefix):], data)
	}
	return base, err
}

// writeNew writes a durable file that did not exist.
func (p *Provider) writeNew(name string, data []byte) error {
	f, err := p.fs.Open(name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(data, 0)
	err = errors.Join(err, p.own(f), f.Sync(), f.Close())
	if err != nil {
		return errors.Join(err, p.removeTemp(name))
	}
	return nil
}

// rescue keeps an edit that was swapped out because it came between the last look
// and the rename. A file of another entry, that was moved there by hand, gets a
// name of its own; what else it is, is set aside. The same bytes need nothing.
func (p *Provider) rescue(tmp, name string, old *known) (another bool, err error) {
	data, _, err := p.readEntry(tmp)
	if err != nil {
		return false, err
	}
	if hashOf(data) == old.hash || len(data) == 0 {
		return false, nil
	}
	if id := idIn(data); id != "" && id != old.id && p.state.ByID(id) != nil {
		return true, p.rename(tmp, name)
	}
	return false, p.setAside(context.Background(), name, data,
		memory.Errorf(memory.KindConflict, "edit", "the entry was changed at the same moment; this is the edit's text"))
}

// rename gives a file the first name like another's that is free.
func (p *Provider) rename(from, like string) error {
	for n := 2; ; n++ {
		err := p.fs.Rename(from, keyOf(like)+"-"+strconv.Itoa(n)+ext, NoReplace)
		if !errors.Is(err, os.ErrExist) {
			return err
		}
	}
}

// dropAway removes a file that a change took away or replaced, and that was moved
// by hand in the same moment: as it lies there, it would bring back what is gone.
func (p *Provider) dropAway(old *known) error {
	name, err := p.whereabouts(old)
	if err != nil || name == "" {
		return err
	}
	return p.takeAway(handEdit{name: name, info: old.info})
}

// whereabouts is the name of an entry that a known file has now, or "".
func (p *Provider) whereabouts(old *known) (string, error) {
	names, err := p.fs.ReadDir(".")
	if err != nil || old.info == (Info{}) {
		return "", err
	}
	for _, name := range names {
		if info, err := p.fs.Lstat(name); err == nil && isEntryName(name) && info == old.info {
			return name, nil
		}
	}
	return "", nil
}
