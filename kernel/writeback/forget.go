package writeback

import (
	"context"
	"regexp"
	"slices"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/writeback/rules"
)

// closely is the least part of the meaning words of an entry that are those of what
// is to be forgotten: below, the entry says much that was not meant.
const closely = 0.25

// retraction is what the user of the conversation took back, as it is compared.
type retraction struct {
	rules.Retraction
	said *statement
}

// hit is an entry that a retraction means, or meant when it was removed.
type hit struct {
	known
	scope memory.ScopeID
	gone  bool
}

// retractions are those of the conversation that count: what states no more than a
// change must be worth learning from. In one that another started the user is an
// agent.
func (l *learner) retractions(near process.Transcript, v rules.Verdict) (out []retraction) {
	if l.process.Parent != "" {
		return nil
	}
	for _, x := range rules.Retractions(near) {
		said := l.statements.of(x.Text)
		if !x.Asked && !v.Learn || len(said.terms) == 0 || len(said.terms) < minimum && !x.Named {
			continue
		}
		out = append(out, retraction{x, said})
	}
	return out
}

// forget removes what the user took back since the last time.
func (l *learner) forget(ctx context.Context, after int) error {
	for _, x := range l.back {
		if err := ctx.Err(); err != nil {
			return err
		}
		if l.byID[x.Turn].Number <= after {
			continue
		}
		reason, err := l.attempt(func() (string, error) { return l.takeBack(ctx, x) })
		if err != nil {
			return err
		}
		if reason != "" {
			l.done.Dropped[reason]++
		}
	}
	return nil
}

// takeBack removes the entries that a retraction means, as far as they are ours. The
// reason says why not all of them. Those that it removed before count among what it
// means: done again, it means the same.
func (l *learner) takeBack(ctx context.Context, x retraction) (reason string, err error) {
	var hits []hit
	for _, id := range l.remembering() {
		r, err := l.remember(ctx, id)
		if err != nil {
			return "", err
		}
		for _, g := range r.removed {
			if !l.took(g.Removed, x) {
				continue
			}
			hits = append(hits, hit{known{Entry: g.Entry, said: g.said}, id, true})
			if r.at(g.Entry.ID) == nil && l.mine(ctx, g.By, g.At) {
				l.note(id, g.Entry, memory.ActionRemove, g.Entry.Revision)
			}
		}
		for _, k := range r.entries {
			switch {
			case !l.means(x, k.Content) || !l.follows(x, k):
			case ours(k.Entry):
				hits = append(hits, hit{k, id, false})
			default:
				reason = "not_ours"
			}
		}
	}
	chosen := clearly(hits, x.said)
	if len(hits) > 0 && len(chosen) == 0 {
		return "ambiguous", nil
	}
	for _, h := range chosen {
		if h.gone {
			continue
		}
		if err := l.remove(ctx, h, x); err != nil {
			return "", err
		}
	}
	return reason, nil
}

// remembering are the scopes in which a conversation may have left something.
func (l *learner) remembering() []memory.ScopeID {
	return slices.DeleteFunc(scopesOf(l.opts.UID, l.process.Project), func(id memory.ScopeID) bool {
		return id.Scope == memory.ScopeProject && !l.opts.There(id.Owner)
	})
}

// contrasts is what a text says is not so, without a word that negates.
var contrasts = regexp.MustCompile(`(?i)\b(?:(?:instead of|rather than|in place of|over|replac(?:ed|es|ing)) [^,.;]*|(?:from|off) [^,.;]*? to\b)`)

// means says whether a retraction means a text: the text has all that it names, and
// not much more. Of a text that says what stands for something, it takes the former.
func (l *learner) means(x retraction, text string) bool {
	s := l.statements.of(text)
	n := len(x.said.terms)
	if float64(n) < closely*float64(len(s.terms)) {
		return false
	}
	if !x.Topic {
		if !sameNegation(x.said, s) {
			return false
		}
		s = l.statements.of(contrasts.ReplaceAllString(text, ""))
	}
	return x.said.terms.common(s.terms) == n && agree(x.said, s)
}

// follows says whether a retraction was said after what an entry has.
func (l *learner) follows(x retraction, k known) bool {
	return l.overtakes(rules.Candidate{Turns: []string{x.Turn}}, k)
}

// takenBack says whether the user took back, later in the conversation, what a
// candidate says.
func (l *learner) takenBack(c rules.Candidate) bool {
	k := known{Entry: &memory.Entry{Source: memory.Source{Process: l.process.UUID, Turns: c.Turns}, Updated: l.when(c.Turns)}}
	return slices.ContainsFunc(l.back, func(x retraction) bool { return l.means(x, c.Content) && l.follows(x, k) })
}

// took says whether a text was removed for a retraction.
func (l *learner) took(g memory.Removed, x retraction) bool {
	return forgotten(g) && g.By.Process == l.process.UUID && slices.Contains(g.By.Turns, x.Turn) && l.means(x, g.Entry.Content)
}

// forgotten says whether a text is gone because a person said so in a conversation.
func forgotten(g memory.Removed) bool {
	return g.By.Trust == memory.TrustExtracted && g.Action == memory.ActionRemove
}

// anew says whether the user says again what they had taken back in a conversation.
func (l *learner) anew(g memory.Removed, c rules.Candidate) bool {
	last := l.last(c.Turns)
	if last.Role != process.RoleUser {
		return false
	}
	if n := l.last(g.By.Turns).Number; n > 0 && g.By.Process == l.process.UUID {
		return last.Number > n
	}
	return l.when(c.Turns).After(g.At)
}

// clearly are those of the entries that it is clear are meant: one, several that are
// alike, or else those that say nothing but what is to be forgotten.
func clearly(hits []hit, s *statement) []hit {
	if len(hits) < 2 {
		return hits
	}
	var full []hit
	alike := true
	for _, h := range hits {
		if h.said.terms.common(s.terms) == len(h.said.terms) && agree(h.said, s) {
			full = append(full, h)
		}
		alike = alike && (h.ID == hits[0].ID || relate(h.said, hits[0].said, true) != unrelated)
	}
	if len(full) == 0 && alike {
		return hits
	}
	return full
}

// remove takes an entry out of memory for a retraction.
func (l *learner) remove(ctx context.Context, h hit, x retraction) error {
	req := store.Request{Action: string(memory.ActionRemove), ID: h.ID, ExpectedRevision: &h.Revision}
	source := l.source([]string{x.Turn})
	if _, err := l.opts.Store.Learn(ctx, source, l.when([]string{x.Turn}), h.scope, req); err != nil {
		return err
	}
	r := l.scopes[h.scope]
	r.entries = slices.DeleteFunc(r.entries, func(k known) bool { return k.ID == h.ID })
	r.removed = append(r.removed, gone{memory.Removed{Entry: h.Entry, At: l.now.UTC(), By: source, Action: memory.ActionRemove}, h.said})
	l.note(h.scope, h.Entry, memory.ActionRemove, h.Revision)
	return nil
}
