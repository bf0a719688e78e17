package writeback

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/recall/analysis"
	"github.com/rnixfs/rnixfs/kernel/writeback/llm"
	"github.com/rnixfs/rnixfs/kernel/writeback/rules"
	"github.com/rnixfs/rnixfs/kernel/writeback/spool"
)

// Model is who is asked in the place of the rules, and how.
type Model struct {
	llm.Model
	Template string // of the question; "": the one that is built in
	Tokens   int    // of a question, about; 0: llm.MaxTokens
	// Err is why nobody can be asked at the moment, such as a template that is not there.
	Err error
}

// later is why a job waits for a model.
type later struct{ error }

func (e later) Unwrap() error { return e.error }

const (
	// patience is how long a job waits for a model before the rules stand in.
	patience = 7 * 24 * time.Hour
	// maxAgain is how often a model that was too slow for a conversation, or whose answer
	// was of no use, is asked again later: each time costs as much as an answer.
	maxAgain    = 4
	maxKnown    = 30       // entries that a model is shown
	maxNearText = 64 << 10 // bytes of the user's last turns, by which the nearest are found
	maxCited    = 6        // sentences of an answer from texts
	maxSentence = 1000     // bytes of one
	borne       = 0.75     // of the terms of such a sentence stand in the text that it cites
)

// waits says whether a question is to be put again later: who is asked is not there, or
// gave no answer that can be read.
func (l *learner) waits(err error) bool {
	switch memory.KindOf(err) {
	case memory.KindUnavailable, memory.KindOverLimit, memory.KindDenied:
	case memory.KindTimeout, memory.KindInvalid:
		if l.job.Delays(memory.KindTimeout, memory.KindInvalid) >= maxAgain {
			return false
		}
	default:
		return false
	}
	return l.job.Waited() < patience
}

// worthAsking: the user said something since the last time. What a sub-agent is told its
// agent says.
func (l *learner) worthAsking(c process.Transcript, after int) bool {
	return l.process.Parent == "" && l.job.Job.Subagent == "" && slices.ContainsFunc(c.Turns[l.index(after):], said)
}

func said(t process.Turn) bool {
	return t.Role == process.RoleUser && strings.TrimSpace(t.Content) != ""
}

// ask puts the question to the model. What the scanner finds in an error, which may have
// a program's own words, is masked.
func (l *learner) ask(ctx context.Context, c process.Transcript, after int) (a llm.Answer, err error) {
	q, prompt, err := l.question(ctx, c, after)
	if err != nil {
		return a, err
	}
	text, err := l.set.Model.Ask(ctx, prompt)
	if err == nil {
		return llm.Read(text, q)
	}
	if reason := memory.ReasonOf(err); l.opts.Redact != nil && ctx.Err() == nil {
		said, masked, rerr := l.opts.Redact(ctx, reason)
		if rerr != nil || masked {
			err = memory.Errorf(memory.KindOf(err), "ask model", "%s", cmp.Or(said, "it failed"))
		}
	}
	return a, err
}

// question is what the model is asked, and the words of that. What the scanner finds in
// them is masked.
func (l *learner) question(ctx context.Context, c process.Transcript, after int) (q llm.Question, prompt string, err error) {
	if l.set.Model.Err != nil {
		return q, "", l.set.Model.Err
	}
	c = unserved(c)
	q = llm.Question{Project: filepath.Base(c.Project), Conversation: c, After: l.index(after), Most: l.most(), Session: l.set.Summaries}
	if q.Known, err = l.nearest(ctx, c.Turns[q.After:]); err != nil {
		return q, "", err
	}
	if prompt, err = q.Prompt(l.set.Model.Template, l.set.Model.Tokens); err != nil { // it is the template's, and can be mended
		return q, "", memory.Errorf(memory.KindUnavailable, "ask model", "writeback.prompt: %s", memory.ReasonOf(err))
	}
	if l.opts.Redact != nil {
		prompt, _, err = l.opts.Redact(ctx, prompt)
	}
	return q, prompt, err
}

// nearest are the entries that have most words in common with what the user said.
func (l *learner) nearest(ctx context.Context, turns []process.Turn) (list []llm.Known, err error) {
	terms, left := map[string]bool{}, maxNearText
	for _, t := range slices.Backward(turns) {
		if t.Role != process.RoleUser || len(t.Content) > left {
			continue
		}
		left -= len(t.Content)
		for _, w := range analysis.Analyze(t.Content) {
			if meaning(w) {
				terms[w.Term] = true
			}
		}
	}
	near := map[string]float64{}
	l.shown = map[string]memory.ScopeID{}
	for _, id := range scopesOf(l.opts.UID, l.process.Project) {
		if id.Scope == memory.ScopeProject && !l.opts.There(id.Owner) {
			continue
		}
		r, err := l.remember(ctx, id)
		if err != nil {
			return nil, err
		}
		for _, k := range r.entries {
			common := 0
			for _, term := range k.said.terms {
				if terms[term] {
					common++
				}
			}
			near[k.ID] = float64(common) / float64(len(k.said.terms)+2)
			l.shown[k.ID] = id
			list = append(list, llm.Known{ID: k.ID, Entry: k.Entry, Fixed: !changeable(k.Entry)})
		}
		if e := r.summary(l.process.UUID); e != nil { // so that the new one goes on from it
			near[e.ID] = 1
			list = append(list, llm.Known{ID: e.ID, Entry: e, Fixed: true})
		}
	}
	slices.SortStableFunc(list, func(a, b llm.Known) int { return cmp.Compare(near[b.ID], near[a.ID]) })
	return list[:min(len(list), maxKnown)], nil
}

// Cite asks a model a question that it is to answer from texts. It returns the sentences
// that one text they cite bears out, with no other citations, and how many it said.
func Cite(ctx context.Context, m *Model, question string, texts []string) (kept []llm.Sentence, said int, err error) {
	all, err := llm.Cite(ctx, m, question, texts)
	for _, s := range all {
		of := newStatement(s.Text)
		slices.Sort(s.Cites)
		s.Cites = slices.DeleteFunc(slices.Compact(s.Cites), func(n int) bool { return n < 1 || n > len(texts) || !bears(texts[n-1], of) })
		if len(s.Cites) > 0 && len(s.Text) <= maxSentence && len(kept) < maxCited {
			kept = append(kept, s)
		}
	}
	return kept, len(all), err
}

// bears says whether a text has all facts of a statement and most of its terms, and the
// sentence of it that has most of them, or one of several, negates what it negates.
func bears(text string, s *statement) bool {
	from, facts := newStatement(text), newStatement(strings.Join(s.facts, " "))
	if facts.terms.common(from.terms) < len(facts.terms) || float64(s.terms.common(from.terms)) < borne*float64(len(s.terms)) {
		return false
	}
	most, holds := 1, false
	for _, span := range analysis.Sentences(text) {
		from = newStatement(text[span.Start:span.End])
		n := s.terms.common(from.terms)
		holds = n >= most && sameNegation(s, from) || n <= most && holds
		most = max(most, n)
	}
	return holds
}

// changeable says whether a model may update an entry: a person's it may not. It removes
// what was learned, and nothing else.
func changeable(e *memory.Entry) bool {
	return ours(e) || !e.Pinned && e.Source.Trust == memory.TrustAgent
}

// candidates are what a model would add.
func (l *learner) candidates(a llm.Answer) (out []rules.Candidate) {
	l.quotes = map[string][]spool.Quote{}
	for _, op := range a.Operations {
		if op.Action == memory.ActionAdd {
			out = append(out, l.candidate(op))
		}
	}
	return out
}

func (l *learner) candidate(op llm.Operation) rules.Candidate {
	c := rules.Candidate{
		Target: op.Scope, Content: op.Content, Category: rules.Category(op.Category), Type: "semantic",
		Importance: op.Importance, Turns: op.Turns,
	}
	switch c.Category {
	case rules.Command, rules.Convention, rules.Instruction:
		c.Type = "procedural"
	case rules.Decision:
		c.Type = "episodic"
	}
	l.quotes[c.Content] = l.quoted(op)
	return c
}

// quoted is where the quotes of an operation stand.
func (l *learner) quoted(op llm.Operation) (out []spool.Quote) {
	for i, turn := range op.Turns {
		q := spool.Quote{Process: l.process.UUID, Turn: turn}
		if j := l.index(l.byID[turn].Number - 1); i < len(op.Quotes) && j < len(l.turns) {
			if from := strings.Index(l.turns[j].Content, op.Quotes[i]); from >= 0 {
				q.From, q.To = from, from+len(op.Quotes[i])
			}
		}
		out = append(out, q)
	}
	return out
}

// change does what a model would do to existing entries, or notes it as a proposal where
// an entry is not its to change.
func (l *learner) change(ctx context.Context, ops []llm.Operation) error {
	for _, op := range ops {
		if op.Action == memory.ActionAdd {
			continue
		}
		reason, err := refused(l.changeOne(ctx, op))
		if err != nil && memory.KindOf(err) == memory.KindConflict { // it is not what the model was shown
			reason, err = memory.KindConflict.Code(), nil
		}
		if err != nil {
			return err
		}
		if reason != "" {
			l.done.Dropped[reason]++
		}
	}
	return nil
}

func (l *learner) changeOne(ctx context.Context, op llm.Operation) (reason string, err error) {
	id, ok := l.shown[op.ID]
	if !ok {
		return memory.KindNotFound.Code(), nil
	}
	r, err := l.remember(ctx, id)
	if err != nil {
		return "", err
	}
	k := r.at(op.ID)
	switch {
	case k == nil:
		return memory.KindConflict.Code(), nil // an operation before this one
	case !slices.ContainsFunc(op.Turns, l.spokenIn):
		return "not_said", nil // whoever wrote a page that a tool read has no say
	case !changeable(k.Entry), op.Action == memory.ActionRemove && !ours(k.Entry):
		l.done.Proposed = append(l.done.Proposed, spool.Proposal{Scope: id.Scope, Owner: id.Owner, ID: op.ID, Action: op.Action, Quotes: l.quoted(op)})
		return "", nil
	case op.Action == memory.ActionRemove:
		return "", l.remove(ctx, id, r, k.Entry, op)
	}
	c := l.candidate(op)
	s := newStatement(c.Content)
	if k.Content == c.Content {
		if l.adopted(ctx, k.Entry) {
			l.note(id, k.Entry)
			return "", nil
		}
		return "known", nil
	}
	return l.put(ctx, id, r, c, s, k.Entry)
}

// spokenIn says whether the user or the agent speaks in a turn.
func (l *learner) spokenIn(turn string) bool {
	role := l.byID[turn].Role
	return role == process.RoleUser || role == process.RoleAssistant
}

// remove removes an entry that the conversation shows to be wrong.
func (l *learner) remove(ctx context.Context, id memory.ScopeID, r *remembered, e *memory.Entry, op llm.Operation) error {
	source := l.source(op.Turns)
	_, err := l.opts.Store.Learn(ctx, source, time.Time{}, id, removal(e))
	if err != nil {
		return err
	}
	r.entries = slices.DeleteFunc(r.entries, func(k known) bool { return k.ID == e.ID })
	r.removed = append(r.removed, gone{memory.Record{Before: e, Time: l.opts.Now().UTC(), Actor: source, Action: memory.ActionRemove}, newStatement(e.Content)})
	l.done.Entries = append(l.done.Entries, spool.Stored{
		Scope: id.Scope, Owner: id.Owner, ID: e.ID, Key: e.Key, Action: memory.ActionRemove, Before: e.Revision, Quotes: l.quoted(op),
	})
	return nil
}

// Question is what a model would be asked about a conversation now: all of it, as if
// nothing had been learned from it. Of "" it is the template.
func (w *Worker) Question(ctx context.Context, uuid string) (string, error) {
	var p process.Conversation
	var err error
	if uuid != "" {
		if p, err = w.stored(ctx, uuid); err != nil {
			return "", err
		}
	}
	set := w.opts.Settings(ctx, p.Project, p.Project)
	if set.Model == nil {
		set.Model = &Model{}
	}
	if uuid == "" {
		return cmp.Or(set.Model.Template, llm.Template()), set.Model.Err
	}
	l := learner{Worker: w, set: set}
	if l.spoken, err = listen(ctx, w.opts, p); err != nil {
		return "", err
	}
	_, prompt, err := l.question(ctx, l.transcript(), 0)
	return prompt, err
}

// Words are those of a quote, the beginning of its turn where it has no bounds, and ""
// where the turn is not there any more.
func (w *Worker) Words(ctx context.Context, q spool.Quote) string {
	p, err := w.stored(ctx, q.Process)
	if err != nil {
		return ""
	}
	for t, err := range w.opts.Conversations.Turns(ctx, p.Project, p.UUID, process.Position{}) {
		switch {
		case err != nil:
			return ""
		case t.ID != q.Turn:
		case q.To > q.From && q.To <= len(t.Content):
			return t.Content[q.From:q.To]
		default:
			return memory.Cut(t.Content, maxRequest)
		}
	}
	return ""
}
