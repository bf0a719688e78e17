package writeback

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/writeback/llm"
)

const (
	maxSummaries      = 50 // of a project
	summaryShare      = 4  // all of them take at most one part in so many of its memory
	summaryImportance = 0.2
	maxRequest        = 240 // runes of a request in a summary
)

func isSummary(e *memory.Entry) bool { return e.Category == memory.CategorySummary }

func summaryKey(uuid string) string { return "summary-" + uuid }

// summary is that of a conversation, nil without one.
func (r *remembered) summary(uuid string) *memory.Entry {
	i := slices.IndexFunc(r.summaries, func(e *memory.Entry) bool { return e.Key == summaryKey(uuid) })
	if i < 0 {
		return nil
	}
	return r.summaries[i]
}

// summarize keeps what a model said of the conversation, or else what can be said
// without one, in the place of what was kept of it before. It is no candidate: it is
// compared with no other entry, and does not count among those that are learned.
func (l *learner) summarize(ctx context.Context, c process.Transcript, s memory.Summary, v verdict) error {
	project, ok := l.scopeOf(memory.ScopeProject)
	if !ok || !l.set.Summaries || !v.enough || !l.opts.There(project.Owner) || l.process.Parent != "" || l.job.Job.Subagent != "" {
		return nil
	}
	if s == (memory.Summary{}) {
		s = offline(unserved(c))
	}
	if s.Asked == "" && s.Title == "" {
		return nil
	}
	reason, err := refused(l.keepSummary(ctx, project, s.Text()))
	if memory.KindOf(err) == memory.KindConflict && err != nil { // the next job of the conversation has a newer one
		reason, err = memory.KindConflict.Code(), nil
	}
	if reason != "" {
		l.done.Dropped["summary_"+reason]++
	}
	return err
}

func (l *learner) keepSummary(ctx context.Context, id memory.ScopeID, text string) (reason string, err error) {
	r, err := l.remember(ctx, id)
	if err != nil {
		return "", err
	}
	key, category, kind, importance := summaryKey(l.process.UUID), memory.CategorySummary, "episodic", summaryImportance
	meta := map[string]any{memory.SaidKey: l.when([]string{l.turns[len(l.turns)-1].ID}).Format(time.RFC3339Nano)}
	e := &memory.Entry{Key: key, Category: category, Content: text, Metadata: meta, Revision: 1}
	req := store.Request{Action: string(memory.ActionAdd), Values: store.Values{
		Content: &text, Category: &category, Type: &kind, Importance: &importance, Metadata: &meta,
	}}
	old := r.summary(l.process.UUID)
	switch {
	case old == nil && r.unwanted[key]:
		return memory.KindRemoved.Code(), nil // a person removed the one before
	case old == nil:
		req.Key = &key
	case !ours(old):
		return "known", nil // a person has edited it
	case old.Content == text:
		if l.adopted(ctx, old) {
			l.note(id, old)
		}
		return "", nil
	default:
		req.Action, req.ID, req.ExpectedRevision = string(memory.ActionReplace), old.ID, &old.Revision
	}
	room, err := l.opts.Store.Learn(ctx, l.source(nil), time.Time{}, id, store.Request{Action: "capacity"})
	if err != nil {
		return "", err
	}
	rest := slices.DeleteFunc(slices.Clone(r.summaries), func(o *memory.Entry) bool { return o == old })
	over := surplus(append(rest, e), room.Limit/summaryShare)
	if slices.Contains(over, e) {
		return "outdated", nil
	}
	for _, o := range over {
		if _, err := l.opts.Store.Learn(ctx, l.source(nil), time.Time{}, id, removal(o)); err != nil {
			return "", err
		}
	}
	reply, err := l.opts.Store.Learn(ctx, l.source(nil), time.Time{}, id, req)
	if err != nil {
		return "", err
	}
	e.ID, e.Revision = reply.ID, reply.Revision
	l.note(id, e)
	l.scopes[id] = nil // with other summaries than before
	return "", nil
}

// surplus are the summaries of which there are too many for a number of runes: the oldest
// that nobody has edited or pinned.
func surplus(list []*memory.Entry, runes int) (over []*memory.Entry) {
	slices.SortStableFunc(list, func(a, b *memory.Entry) int {
		return cmp.Or(b.Said().Compare(a.Said()), cmp.Compare(b.Key, a.Key))
	})
	for i, e := range list {
		if runes -= e.Runes(); (i >= maxSummaries || runes < 0) && (e.ID == "" || ours(e)) {
			over = append(over, e)
		}
	}
	return over
}

func removal(e *memory.Entry) store.Request {
	return store.Request{Action: string(memory.ActionRemove), ID: e.ID, ExpectedRevision: &e.Revision}
}

// offline is what can be said of a conversation without a model: the user's first and
// last request, the files that were changed, and how it ended.
func offline(c process.Transcript) memory.Summary {
	var asked []string
	for _, t := range c.Turns {
		if said(t) {
			asked = append(asked, request(t.Content))
		}
	}
	if len(asked) == 0 {
		return memory.Summary{}
	}
	first, last := asked[0], asked[len(asked)-1]
	s := memory.Summary{Title: cmp.Or(request(c.Title), first), Files: strings.Join(llm.Files(c), ", ")}
	if first != s.Title {
		s.Asked = first
	}
	if last != first {
		s.Asked = strings.TrimSpace(s.Asked + " Last: " + last)
	}
	if c.ExitCode != nil {
		s.Ended = "exit " + strconv.Itoa(*c.ExitCode)
	}
	return s
}

// request is a text on one line, cut behind a sentence, or else a word, where it is long.
func request(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	short := memory.Cut(text, maxRequest)
	if short == text {
		return text
	}
	if i := strings.LastIndexAny(short, ".!?\u3002"); i > maxRequest/3 {
		return strings.TrimSpace(memory.Cut(short[:i+1], maxRequest))
	}
	if i := strings.LastIndexByte(short, ' '); i > 0 {
		short = short[:i]
	}
	return short + " …"
}
