package file

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Removed implements memory.Remover. It reads the journal as a stream.
func (p *Provider) Removed(ctx context.Context, most int) ([]memory.Removed, error) {
	if err := p.refresh(ctx); err != nil {
		return nil, wrap("list what was removed", err)
	}
	var out []memory.Removed
	err := p.eachRecord(ctx, []byte(`"before":`), func(r *record) {
		for _, s := range r.Steps {
			if !taken(s) {
				continue
			}
			out = append(out, memory.Removed{Entry: s.Before, At: r.Time, By: r.Actor, Action: s.Action})
			if len(out) >= 2*most { // the latest count
				out = append(out[:0], out[len(out)-most:]...)
			}
		}
	})
	if err != nil {
		return nil, wrap("list what was removed", err)
	}
	out = append(out, p.refused(most)...)
	return out[max(0, len(out)-most):], nil
}

// maxRefused is how many of the texts that were set aside are read.
const maxRefused = 200

// refused are the texts that were set aside because they must not be remembered.
// What can't be read of them is passed over: they are a person's to look at.
func (p *Provider) refused(most int) []memory.Removed {
	p.fsMu.RLock()
	defer p.fsMu.RUnlock()
	if p.fsClosed {
		return nil
	}
	names, err := p.fs.ReadDir(rejectedDir)
	if err != nil {
		return nil
	}
	var out []memory.Removed
	for _, name := range names {
		if len(out) == min(most, maxRefused) {
			break
		}
		reason, ok := strings.CutSuffix(name, ".reason.json")
		if !ok {
			continue
		}
		var r rejection
		raw, _, err := p.readEntry(rejectedDir + "/" + name)
		if err != nil || json.Unmarshal(raw, &r) != nil || r.Code != memory.KindRejected.Code() {
			continue
		}
		raw, _, err = p.readEntry(rejectedDir + "/" + reason)
		if err != nil {
			continue
		}
		if e, err := decode(raw); err == nil {
			out = append(out, memory.Removed{Entry: e, At: r.Time, Action: memory.ActionEdit})
		}
	}
	return out
}

// taken says whether a step took a text away that somebody no longer wanted.
func taken(s recordStep) bool {
	switch s.Action {
	case memory.ActionEvict, memory.ActionExpire:
		return false
	}
	return s.Before != nil && (s.After == nil || s.After.Content != s.Before.Content)
}
