package file

import (
	"errors"
	"os"
	"slices"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// batch is changes that become durable together. It is planned on p.state, to
// which it commits as it goes; undo takes that back.
type batch struct {
	p        *Provider
	view     memory.View // before
	done     []planned
	lines    []byte
	frames   []byte
	ops      map[string]*fileOp // net effect, by file name
	order    []string           // of ops
	names    map[string]string  // overlay of p.names; "" for gone
	keys     map[string]int     // idempotency keys of done
	stage    stage
	mark     mark                 // that it was to leave
	imported []string             // legacy files to rename once it is durable
	seen     map[string]*sighting // of a batch that settles: files that a person did something to
	moved    bool                 // files were moved by hand
}

type planned struct {
	ch     memory.Change
	rec    *record
	steps  []memory.Step
	result memory.Result
	size   int // of its line
}

// fileOp is what a batch does to one file.
type fileOp struct {
	id      string
	data    []byte // to write; nil: the file goes
	hash    string
	old     *known // the file before the batch, nil when there was none
	at      string // where the old file is, when it was moved by hand before it could be swapped out
	away    *known // as old, when it was moved by hand before it could be swapped out
	says    string // the id that the file names
	keep    bool   // somebody else did it already: an edit by hand
	info    Info   // of the new file
	tmp     string // holds the new file, and the old one after the swap
	unnamed File   // holds a new file until it is linked
	swapped bool
}

// handEdit is an edit that was read: the file's name and bytes are given.
type handEdit struct {
	name string
	hash string
	info Info
	says string // the id in its front matter, if any
	gone bool   // the entry's file is gone, or another entry's now
}

func (e handEdit) known(id string) *known {
	return &known{id: id, says: e.says, hash: e.hash, info: e.info}
}

func (p *Provider) newBatch() *batch {
	return &batch{
		p: p, view: p.state.View(time.Time{}),
		ops: map[string]*fileOp{}, names: map[string]string{}, keys: map[string]int{},
	}
}

// errEdited says that a file which the change touches is not as we know it.
type errEdited struct{ name string }

func (e errEdited) Error() string { return "file was edited: " + e.name }

// add plans a change. An error leaves the batch as it was.
func (b *batch) add(ch memory.Change, edit *handEdit) (memory.Result, error) {
	ch.At = ch.At.UTC().Round(0)
	steps, err := b.p.state.Plan(ch)
	if err != nil {
		return memory.Result{}, err
	}
	if len(steps) == 0 {
		return memory.Result{Sequence: b.p.state.Sequence(), Used: b.p.state.View(time.Time{}).Used}, nil
	}
	if err := b.untouched(steps, edit); err != nil {
		return memory.Result{}, err
	}
	l := layout{b: b, edit: edit, ops: map[string]*fileOp{}, names: map[string]string{}}
	rec := &record{Time: ch.At, Actor: ch.Actor, Action: steps[0].Action, IdempotencyKey: ch.IdempotencyKey, Digest: ch.Digest}
	rec.Seq = b.p.state.Sequence() + 1
	rec.Used = b.view.Used
	if len(b.done) > 0 {
		rec.Used = b.done[len(b.done)-1].result.Used
	}
	for _, s := range steps {
		rs, err := l.step(s)
		if err != nil {
			return memory.Result{}, err
		}
		rec.Steps = append(rec.Steps, rs)
		if s.Before != nil {
			rec.Used -= s.Before.Runes()
		}
		if s.After != nil {
			rec.Used += s.After.Runes()
		}
	}
	line, err := rec.line()
	if err != nil {
		return memory.Result{}, memory.Errorf(memory.KindInvalid, string(rec.Action), "the change can't be written: %w", err)
	}
	l.merge()
	b.lines = append(b.lines, line...)
	b.frames = b.p.wal.frame(b.frames, rec.Seq, line)
	plain := ch
	plain.IdempotencyKey = "" // remembered when it is durable
	res := b.p.state.Commit(plain, steps, rec.Seq)
	if ch.IdempotencyKey != "" {
		b.keys[ch.IdempotencyKey] = len(b.done)
	}
	b.done = append(b.done, planned{ch: ch, rec: rec, steps: steps, result: res, size: len(line)})
	return res, nil
}

// untouched makes sure that the files of the steps are as we know them.
func (b *batch) untouched(steps []memory.Step, edit *handEdit) error {
	for _, s := range steps {
		if s.Before == nil {
			continue
		}
		name, ok := b.nameOf(s.Before.ID)
		if !ok || b.ops[name] != nil || edit != nil && (edit.name == name || s.Action == memory.ActionEdit || b.changed(name)) {
			continue
		}
		if problem, blocked := b.p.blocked[name]; blocked {
			if err := b.blocked(name, problem, s); err != nil {
				return err
			}
			continue
		}
		same, err := b.p.unchanged(name)
		if err != nil {
			return wrap(string(s.Action), err)
		}
		if !same {
			return errEdited{name}
		}
	}
	return nil
}

// blocked looks again at a file that could not be read. An empty one may be
// overwritten; what is expired or evicted goes without its file.
func (b *batch) blocked(name string, problem memory.Problem, s memory.Step) error {
	data, _, err := b.p.readEntry(name)
	switch {
	case err == nil && len(data) > 0 && problem.Code != "not_text", errors.Is(err, os.ErrNotExist):
		delete(b.p.blocked, name)
		return errEdited{name}
	case err == nil && len(data) == 0 || leaves(s):
		return nil
	}
	return memory.Errorf(memory.KindInternal, string(s.Action), "the file of this entry can't be read: %s", problem.Reason)
}

// changed reports whether a person did something to a file of a batch that settles.
func (b *batch) changed(name string) bool {
	f := b.seen[name]
	return f != nil && !f.same
}

// leaves reports whether an entry goes without anybody having asked for it.
func leaves(s memory.Step) bool {
	return s.After == nil && (s.Action == memory.ActionExpire || s.Action == memory.ActionEvict)
}

func (b *batch) nameOf(id string) (string, bool) {
	if name, ok := b.names[id]; ok {
		return name, name != ""
	}
	name, ok := b.p.names[id]
	return name, ok
}

// layout finds the files of one change's steps, without touching the batch until
// all are found.
type layout struct {
	b     *batch
	edit  *handEdit
	ops   map[string]*fileOp
	names map[string]string
	order []string
	err   error // of looking whether a name is free
	moved bool  // by hand
}

func (l *layout) nameOf(id string) (string, bool) {
	if name, ok := l.names[id]; ok {
		return name, name != ""
	}
	return l.b.nameOf(id)
}

func (l *layout) op(name string) *fileOp {
	if op := l.ops[name]; op != nil {
		return op
	}
	return l.b.ops[name]
}

// put sets what happens to a file. Of several in one batch the last holds.
func (l *layout) put(name string, op fileOp) {
	if prev := l.op(name); prev != nil {
		op.old = prev.old
	} else {
		op.old = l.b.p.files[name]
	}
	l.ops[name] = &op
	l.order = append(l.order, name)
}

func (l *layout) step(s memory.Step) (recordStep, error) {
	rs := recordStep{Action: s.Action, Before: s.Before, After: s.After}
	var old string
	if s.Before != nil {
		old, _ = l.nameOf(s.Before.ID)
	}
	if s.After == nil {
		rs.File = old
		_, blocked := l.b.p.blocked[old]
		l.put(old, fileOp{keep: blocked && leaves(s) || l.edit != nil && (l.edit.gone && l.edit.name == old || l.b.changed(old))})
		l.names[s.Before.ID] = ""
		return rs, nil
	}
	if l.edit != nil && s.Action == memory.ActionEdit {
		rs.File, rs.Hash = l.edit.name, l.edit.hash
		if l.edit.says != s.After.ID {
			rs.Says = l.edit.says
		}
		l.put(rs.File, fileOp{id: s.After.ID, says: l.edit.says, hash: rs.Hash, keep: true, data: []byte{}, info: l.edit.info})
	} else {
		data, err := encode(s.After)
		if err != nil {
			return rs, memory.Errorf(memory.KindInvalid, string(s.Action), "%w", err)
		}
		rs.File = old
		if old == "" || stem(s.Before.Key) != stem(s.After.Key) {
			rs.File = fileName(s.After.Key, l.taken)
			if l.err != nil {
				return rs, wrap(string(s.Action), l.err)
			}
		}
		rs.Hash = hashOf(data)
		l.put(rs.File, fileOp{id: s.After.ID, says: s.After.ID, data: data, hash: rs.Hash})
	}
	if old != "" && old != rs.File {
		l.leave(&rs, old)
	}
	l.names[s.After.ID] = rs.File
	return rs, nil
}

// leave gives up the file that an entry had. One that was moved by hand may have
// left its name to another, which has it by now.
func (l *layout) leave(rs *recordStep, old string) {
	l.moved = l.edit != nil
	if op := l.op(old); l.moved && op != nil && op.data != nil && op.id != rs.Before.ID {
		rs.Left = old
		return
	}
	rs.From = old
	l.put(old, fileOp{keep: l.moved})
}

func (l *layout) taken(name string) bool {
	if op := l.op(name); op != nil {
		return op.data != nil
	}
	if _, blocked := l.b.p.blocked[name]; blocked || l.b.p.files[name] != nil {
		return true
	}
	_, err := l.b.p.fs.Lstat(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		l.err = err
		return false
	}
	return err == nil
}

func (l *layout) merge() {
	for _, name := range l.order {
		if l.b.ops[name] == nil {
			l.b.order = append(l.b.order, name)
		}
		l.b.ops[name] = l.ops[name]
	}
	for id, name := range l.names {
		l.b.names[id] = name
	}
	l.b.moved = l.b.moved || l.moved
}

// unchanged reports whether a known file is as we know it. One that was only
// rewritten with the same bytes is.
func (p *Provider) unchanged(name string) (bool, error) {
	k := p.files[name]
	if k == nil {
		return false, nil
	}
	info, err := p.fs.Lstat(name)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if info == k.info {
		return true, nil
	}
	data, info, err := p.readEntry(name)
	if err != nil {
		return false, nil // takeIn finds out why
	}
	if hashOf(data) != k.hash {
		return false, nil
	}
	p.remember(name, &known{id: k.id, says: idIn(data), hash: k.hash, info: info})
	return true, nil
}

// idIn is the id that a file's text names, if any.
func idIn(data []byte) string {
	e, err := decode(data)
	if err != nil {
		return ""
	}
	return e.ID
}

func (p *Provider) remember(name string, k *known) {
	p.identMu.Lock()
	defer p.identMu.Unlock()
	if k == nil {
		delete(p.files, name)
		delete(p.ident, name)
		return
	}
	p.files[name] = k
	p.ident[name] = k.info
}

// undo takes the batch back from the state.
func (b *batch) undo() {
	p := b.p
	p.state = memory.NewState(b.view.Entries, b.view.Sequence)
	for _, r := range p.replays {
		p.state.Remember(r.key, r.digest, r.result)
	}
}

// adopt makes the batch part of what p knows, once it is durable and in place.
func (b *batch) adopt() {
	p := b.p
	for _, name := range b.order {
		op := b.ops[name]
		if op.data == nil {
			p.remember(name, nil)
			continue
		}
		p.remember(name, &known{id: op.id, says: op.says, hash: op.hash, info: op.info})
	}
	for id, name := range b.names {
		if name == "" {
			delete(p.names, id)
		} else {
			p.names[id] = name
		}
	}
	for _, d := range b.done {
		p.remembered(d.ch, d.result)
		for _, s := range d.rec.Steps {
			p.dirty[s.File] = d.rec.Seq
			p.track(s.Before, s.After)
		}
	}
}

func (p *Provider) track(before, after *memory.Entry) {
	if before != nil {
		delete(p.expiring, before.ID)
	}
	if after != nil && after.Expires != nil {
		p.expiring[after.ID] = after
	}
}

const maxReplays = 4096 // as many as memory.State keeps

func (p *Provider) remembered(ch memory.Change, res memory.Result) {
	if ch.IdempotencyKey == "" {
		return
	}
	p.state.Remember(ch.IdempotencyKey, ch.Digest, res)
	p.replays = append(p.replays, replay{ch.IdempotencyKey, ch.Digest, res})
	if len(p.replays) > 2*maxReplays {
		p.replays = slices.Clone(p.replays[maxReplays:])
	}
}

// announce publishes the batch and tells the observers. ex is held.
func (b *batch) announce() {
	if b.p.quiet {
		return
	}
	b.p.publish()
	if changed := b.p.opts.Hooks.Changed; changed != nil {
		for _, d := range b.done {
			changed(d.steps)
		}
	}
}

func (b *batch) empty() bool { return len(b.done) == 0 }
