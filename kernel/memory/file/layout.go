package file

import (
	"github.com/rnixfs/rnixfs/kernel/memory"
)

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
		op.old = l.b.f.catalog.files[name]
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
		_, blocked := l.b.f.catalog.blocked[old]
		l.put(old, fileOp{keep: blocked && leaves(s) || l.edit != nil && (l.edit.gone && l.edit.name == old || l.b.changed[old])})
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
	taken, err := l.b.f.catalog.taken(name)
	if err != nil {
		l.err = err
	}
	return taken && err == nil
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

// add plans a change. An error leaves the batch as it was.
func (b *batch) add(ch memory.Change, edit *handEdit) (memory.Result, error) {
	ch.At = ch.At.UTC().Round(0)
	st := b.f.state
	ch.Limit.Spare = b.f.spare(ch.Limit.Spare)
	steps, err := st.Plan(ch)
	if err != nil {
		return memory.Result{}, err
	}
	before := st.View()
	if len(steps) == 0 {
		return memory.Result{Sequence: before.Sequence, Used: before.Used}, nil
	}
	if err := b.untouched(steps, edit); err != nil {
		return memory.Result{}, err
	}
	tombstones, err := b.weigh(&ch, steps, edit != nil)
	if err != nil {
		return memory.Result{}, err
	}
	l := layout{b: b, edit: edit, ops: map[string]*fileOp{}, names: map[string]string{}}
	rec := &record{
		Seq: before.Sequence + 1, Time: ch.At, Actor: ch.Actor, Action: steps[0].Action,
		IdempotencyKey: ch.IdempotencyKey, Digest: ch.Digest,
	}
	for _, s := range steps {
		rs, err := l.step(s)
		if err != nil {
			return memory.Result{}, err
		}
		rec.Steps = append(rec.Steps, rs)
	}
	rec.Used = before.Used + memory.Grown(steps)
	line, err := rec.line(b.f.dir.key())
	if err != nil {
		return memory.Result{}, memory.Errorf(memory.KindInvalid, string(rec.Action), "the change can't be written: %w", err)
	}
	if ch.Dry {
		return memory.Result{}, nil
	}
	l.merge()
	b.lines = append(b.lines, line...)
	plain := ch
	plain.IdempotencyKey = "" // remembered when it is durable
	res := st.Commit(plain, steps, rec.Seq)
	b.tombstones = append(b.tombstones, tombstones...)
	b.keys[ch.IdempotencyKey] = true
	b.done = append(b.done, planned{change: ch, record: rec, result: res, line: line})
	return res, nil
}
