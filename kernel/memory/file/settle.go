package file

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// settle takes in, as one batch, what was done by hand to the files with these
// names, and to those that have to do with it. ex and the lock are held, and the
// state is caught up.
func (p *Provider) settle(ctx context.Context, names []string) error {
	if len(names) == 0 {
		return nil
	}
	for range maxLook {
		err := p.settleOnce(ctx, names)
		var edited errEdited
		if !errors.As(err, &edited) {
			return err
		}
		names = append(slices.Clone(names), edited.name)
	}
	return nil // somebody is writing them: the next look is at that
}

func (p *Provider) settleOnce(ctx context.Context, names []string) error {
	s, err := p.survey(names)
	if err != nil {
		return err
	}
	b := p.newBatch()
	b.seen = s.files
	if err := b.settle(ctx, s); err != nil {
		b.undo()
		return err
	}
	return b.commit()
}

// settle plans what a survey found: first what goes, which makes room and names,
// then what stays, then what comes.
func (b *batch) settle(ctx context.Context, s *survey) error {
	at := b.p.opts.Clock()
	if err := b.expire(at); err != nil {
		return err
	}
	for _, name := range s.lost {
		if err := b.takeOutByHand(name, at); err != nil {
			return err
		}
	}
	files := s.present()
	rank := func(f *sighting) int {
		old := b.p.state.ByID(f.id)
		switch {
		case f.legacy || f.entry != nil && f.entry.Expired(at):
			return 3
		case old == nil:
			return 2
		case f.entry != nil && f.entry.Runes() > old.Runes():
			return 1
		}
		return 0
	}
	slices.SortFunc(files, func(x, y *sighting) int {
		return cmp.Or(cmp.Compare(rank(x), rank(y)), cmp.Compare(x.name, y.name))
	})
	for _, f := range files {
		if err := b.takeIn(ctx, f, at); err != nil {
			return err
		}
	}
	return b.rekey(files, at)
}

// expire lets entries go whose time is over. Where a person did something to the
// file of one, the file stays, and is one of an id that is not known any more.
func (b *batch) expire(at time.Time) error {
	for _, e := range b.p.expiring {
		if e.Expired(at) {
			_, err := b.add(memory.Change{Limit: b.p.limit(), Actor: byHand, At: at}, &handEdit{})
			return err
		}
	}
	return nil
}

// rekey gives files the keys that they ask for where only another file's old key
// was in the way.
func (b *batch) rekey(files []*sighting, at time.Time) error {
	for _, f := range files {
		e := b.p.state.ByID(f.id)
		if !f.taken || e == nil || e.Key == f.entry.Key || b.p.state.ByKey(f.entry.Key) != nil {
			continue
		}
		if _, err := b.addEdit(f, byHand, at); err != nil {
			return err
		}
	}
	return nil
}

// settleAll settles whatever is not as it is known.
func (p *Provider) settleAll(ctx context.Context) error {
	names, err := p.differing()
	if err != nil {
		return err
	}
	return p.settle(ctx, names)
}

func (p *Provider) onlyDiffering(names []string) []string {
	return slices.DeleteFunc(names, func(name string) bool {
		same, err := p.unchanged(name)
		return err == nil && same
	})
}

// differing returns the names of all files that are not as they are known,
// missing ones too.
func (p *Provider) differing() ([]string, error) {
	names, err := p.fs.ReadDir(".")
	if err != nil {
		return nil, err
	}
	var out []string
	there := map[string]bool{}
	for _, name := range names {
		if !isEntryName(name) {
			continue
		}
		there[name] = true
		if same, err := p.unchanged(name); err != nil || !same {
			out = append(out, name)
		}
	}
	for name := range p.files {
		if !there[name] {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out, nil
}
