package file

import (
	"context"

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
	return out[max(0, len(out)-most):], nil
}

// taken says whether a step took a text away that somebody no longer wanted.
func taken(s recordStep) bool {
	switch s.Action {
	case memory.ActionEvict, memory.ActionExpire:
		return false
	}
	return s.Before != nil && (s.After == nil || s.After.Content != s.Before.Content)
}
