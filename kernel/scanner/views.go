package scanner

import (
	"context"
	"strings"
)

const (
	maxDecoded = 1 << 20 // bytes that the runs of one text decode to
	maxViews   = 64      // of one text, relaxed ones not counted
	// maxGrowth is how many times the text the views may be, decoded ones not
	// counted: each holds most of the text again.
	maxGrowth = 16
)

// viewing makes the views of one text.
type viewing struct {
	list   []*view // without relaxed ones
	seen   map[string]bool
	budget int // bytes that may yet be decoded
	room   int // bytes that views may yet have
	known  *prefixes
}

// views returns the ways to look at a field, without those that would show the
// same bytes again. Its error says that there are too many, or is that of ctx.
func views(ctx context.Context, f Field, known *prefixes) ([]*view, error) {
	g := viewing{
		list: []*view{{kind: viewRaw, text: f.Text}}, seen: map[string]bool{f.Text: true},
		known: known, budget: maxDecoded, room: maxGrowth * (len(f.Text) + 1<<10),
	}
	// Each view may be undone once more, and so on; see view.undone.
	for i := 0; i < len(g.list); i++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := g.undo(g.list[i]); err != nil {
			return nil, err
		}
	}
	if v := pair(f); v != nil {
		g.list = append(g.list, v)
	}
	out := make([]*view, 0, 2*len(g.list))
	for _, v := range g.list {
		out = append(out, v)
		if r := relax(v); r != nil {
			out = append(out, r)
		}
	}
	return out, nil
}

// undo adds the views that a view can be turned into.
func (g *viewing) undo(v *view) error {
	var made []*view
	whole := v.kind&viewToken == 0
	if whole && v.kind&viewJoined == 0 {
		made = append(made, mend(v, g.known))
	}
	if v.kind == viewRaw {
		made = append(made, turn(v))
	}
	if whole && (v.kind&viewNormalised == 0 || v.decodes > 0) {
		made = append(made, normalise(v))
	}
	if whole && v.escapes < maxUnescape {
		made = append(made, unescape(v))
	}
	if whole && v.kind&viewJoined == 0 {
		made = append(made, join(v))
	}
	if v.decodes < maxDecode {
		n, err := decode(v, &g.budget)
		if err != nil {
			return err
		}
		made = append(made, n)
	}
	for _, n := range made {
		if n == nil || g.seen[n.text] {
			continue
		}
		g.seen[n.text] = true
		if n.kind&viewDecoded == 0 || n.kind&viewToken != 0 {
			g.room -= len(n.text)
		}
		if len(g.list) >= maxViews || g.room < 0 {
			return errDecoded
		}
		g.list = append(g.list, n)
	}
	return nil
}

// maxPair is how much of a text is looked at together with its label.
const maxPair = 1024

// pair returns "label: text" of a field with a label; only keywords of the
// label count, the text itself has been looked at.
func pair(f Field) *view {
	_, label, ok := strings.Cut(f.Name, ".")
	if !ok || label == "" {
		return nil
	}
	const sep = ": "
	return &view{
		kind:  viewPair,
		text:  label + sep + f.Text[:min(len(f.Text), maxPair)],
		shift: -len(label) - len(sep),
		head:  len(label) + len(sep),
	}
}
