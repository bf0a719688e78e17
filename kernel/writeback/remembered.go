package writeback

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
	"github.com/rnixfs/rnixfs/kernel/writeback/rules"
	"github.com/rnixfs/rnixfs/kernel/writeback/spool"
)

func uidName(uid uint32) string { return strconv.FormatUint(uint64(uid), 10) }

// maxRemoved is how many of the latest removed texts are looked at.
const maxRemoved = 2000

// remembered is a scope as candidates are compared with it.
type remembered struct {
	entries   []known
	removed   []gone
	summaries []*memory.Entry // they are compared with nothing
	unwanted  map[string]bool // the keys of those that a person removed
}

// gone is a text that was remembered, and somebody took away.
type gone struct {
	memory.Record
	said *statement
}

// remember loads a scope, once a job.
func (l *learner) remember(ctx context.Context, id memory.ScopeID) (*remembered, error) {
	if r := l.scopes[id]; r != nil {
		return r, nil
	}
	reader := l.opts.Store.Reader(id)
	v, err := reader.Load(ctx)
	if err != nil {
		return nil, err
	}
	r := &remembered{unwanted: map[string]bool{}}
	for _, e := range v.Entries {
		if isSummary(e) {
			r.summaries = append(r.summaries, e)
			continue
		}
		r.entries = append(r.entries, known{Entry: e, said: newStatement(e.Content)})
	}
	removed, err := reader.Changes(ctx, maxRemoved, (*memory.Record).Unwanted)
	if err != nil {
		return nil, err
	}
	for _, x := range removed {
		if isSummary(x.Before) {
			r.unwanted[x.Before.Key] = x.Actor.Trust != memory.TrustExtracted
			continue
		}
		r.removed = append(r.removed, gone{x, newStatement(x.Before.Content)})
	}
	if l.scopes == nil {
		l.scopes = map[memory.ScopeID]*remembered{}
	}
	l.scopes[id] = r
	return r, nil
}

// closest finds the entry that a candidate has most to do with.
func (r *remembered) closest(s *statement, correction bool) (known, relation) {
	var best known
	rel := unrelated
	for _, k := range r.entries {
		if x := relate(s, k.said, correction); x > rel {
			best, rel = k, x
		}
	}
	return best, rel
}

// at is the entry with an id, nil when it is not there.
func (r *remembered) at(id string) *known {
	i := slices.IndexFunc(r.entries, func(k known) bool { return k.ID == id })
	if i < 0 {
		return nil
	}
	return &r.entries[i]
}

// decide compares a candidate with what is remembered, and stores it or says why
// not.
func (l *learner) decide(ctx context.Context, id memory.ScopeID, c rules.Candidate) (reason string, err error) {
	r, err := l.remember(ctx, id)
	if err != nil {
		return "", err
	}
	s := newStatement(c.Content)
	e, rel := r.closest(s, c.Category == rules.Correction)
	switch rel {
	case same, less:
		if l.adopted(ctx, e.Entry) {
			r.at(e.ID).place = l.place[c.Content]
			l.note(id, e.Entry)
			return "", nil
		}
		return "known", nil
	case more, contradicts:
		switch {
		case ours(e.Entry) && (rel == more || l.overtakes(c, e)):
			return l.put(ctx, id, r, c, s, e.Entry)
		case ours(e.Entry):
			return "outdated", nil
		case rel == more:
			return "known", nil
		case !c.Asked:
			return "contradicts", nil
		}
	}
	if id.Scope == memory.ScopeProject { // what holds everywhere need not be said again here
		global, _ := l.scopeOf(memory.ScopeGlobal)
		all, err := l.remember(ctx, global)
		if err != nil {
			return "", err
		}
		if _, rel := all.closest(s, false); rel >= less {
			return "known", nil
		}
	}
	return l.put(ctx, id, r, c, s, nil)
}

// ours says whether the writeback may put something in the place of an entry. What was
// found in a folder may be a colleague's.
func ours(e *memory.Entry) bool {
	return !e.Pinned && (e.Source.Trust == memory.TrustExtracted || e.Source.Trust == memory.TrustImported && e.Source.Road != "found")
}

// comesBack says why a candidate must not come back, or nothing: it was removed or
// put right. What a person asks for after that is another matter; so is what was
// overtaken in conversations, and then said anew: said is when.
func (l *learner) comesBack(r *remembered, s *statement, c rules.Candidate) (said time.Time, reason string) {
	if c.Asked {
		said = l.when(c.Turns)
	}
	for _, x := range slices.Backward(r.removed) {
		if rel := relate(s, x.said, false); rel != same && rel != less && rel != more {
			continue
		}
		if c.Asked && l.when(c.Turns).After(x.Time) {
			return said, "" // the latest word counts
		}
		if x.Actor.Trust == memory.TrustExtracted && x.Action == memory.ActionRemove && l.when(c.Turns).After(x.Time) {
			said = l.when(c.Turns)
			continue
		}
		k := r.at(x.Before.ID)
		if x.Actor.Trust != memory.TrustExtracted || x.Action != memory.ActionReplace || k == nil || !l.overtakes(c, *k) {
			return said, memory.KindRemoved.Code()
		}
		said = l.when(c.Turns)
	}
	return said, ""
}

// put stores a candidate, in the place of old if that is not nil, unless it must not
// come back.
func (l *learner) put(ctx context.Context, id memory.ScopeID, r *remembered, c rules.Candidate, s *statement, old *memory.Entry) (reason string, err error) {
	said, reason := l.comesBack(r, s, c)
	if reason != "" {
		return reason, nil
	}
	return "", l.store(ctx, id, r, c, s, old, said)
}

// store adds a candidate, or puts it in the place of an entry.
func (l *learner) store(ctx context.Context, id memory.ScopeID, r *remembered, c rules.Candidate, s *statement, old *memory.Entry, said time.Time) error {
	category := string(c.Category)
	meta := map[string]any{memory.SaidKey: l.when(c.Turns).Format(time.RFC3339Nano)}
	req := store.Request{
		Action: string(memory.ActionAdd), IdempotencyKey: l.idempotency(id, c.Content),
		Values: store.Values{Content: &c.Content, Category: &category, Type: &c.Type, Importance: &c.Importance, Metadata: &meta},
	}
	if category == "" {
		req.Category = nil
	}
	if c.Type == "" {
		req.Type = nil
	}
	action := memory.ActionAdd
	if old != nil {
		action = memory.ActionReplace
		req.Action, req.ID, req.ExpectedRevision = string(action), old.ID, &old.Revision
		importance := max(c.Importance, old.Importance)
		req.Importance = &importance
	}
	source := l.source(c.Turns)
	reply, err := l.opts.Store.Learn(ctx, source, said, id, req)
	if err != nil {
		return err
	}
	entry := &memory.Entry{
		ID: reply.ID, Key: reply.Key, Content: c.Content, Revision: reply.Revision, Metadata: meta, Source: source,
		Importance: *req.Importance, Updated: l.opts.Now().UTC(),
	}
	r.entries = slices.DeleteFunc(r.entries, func(k known) bool { return k.ID == entry.ID })
	r.entries = append(r.entries, known{entry, s, l.place[c.Content]})
	if old != nil {
		r.removed = append(r.removed, gone{memory.Record{Before: old, Time: entry.Updated, Actor: source, Action: action}, newStatement(old.Content)})
	}
	l.note(id, entry)
	return nil
}

// note puts an entry into the job's record: once, as the job found it, before, and as
// it left it.
func (l *learner) note(id memory.ScopeID, e *memory.Entry) {
	st := spool.Stored{
		Scope: id.Scope, Owner: id.Owner, ID: e.ID, Key: e.Key, Revision: e.Revision, Action: memory.ActionAdd, Quotes: l.quotes[e.Content],
	}
	if e.Revision > 1 && !isSummary(e) { // undoing takes a summary away, not a part of it
		st.Action, st.Before = memory.ActionReplace, e.Revision-1
	}
	i := slices.IndexFunc(l.done.Entries, func(o spool.Stored) bool { return o.ID == e.ID && o.Scope == id.Scope })
	if i < 0 {
		l.done.Entries = append(l.done.Entries, st)
		return
	}
	st.Action, st.Before = l.done.Entries[i].Action, l.done.Entries[i].Before
	l.done.Entries[i] = st
}

// idempotency names what is stored for a job: done twice, it is stored once.
func (l *learner) idempotency(id memory.ScopeID, content string) string {
	sum := sha256.Sum256([]byte(string(id.Scope) + "\x00" + content))
	return "writeback:" + cmp.Or(l.process.UUID, "-") + ":" + l.job.ID + ":" + hex.EncodeToString(sum[:12])
}
