package file

import (
	"context"
	"errors"
	"os"
	"slices"
)

// settle takes in, as one batch, what was done by hand to the files with these
// names. ex and the lock are held, and the state is caught up.
func (p *Provider) settle(ctx context.Context, names []string) error {
	if len(names) == 0 {
		return nil
	}
	b := p.newBatch()
	for _, name := range p.inOrder(names) {
		if err := b.takeIn(ctx, name); err != nil {
			b.undo()
			return err
		}
	}
	return b.commit()
}

// inOrder puts renamed files first, which keep their entries, then files that
// are gone, which make room, then the others.
func (p *Provider) inOrder(names []string) []string {
	gone := map[string]bool{} // ids
	var renamed, missing, others []string
	for _, name := range names {
		if _, err := p.fs.Lstat(name); errors.Is(err, os.ErrNotExist) {
			missing = append(missing, name)
			if k := p.files[name]; k != nil {
				gone[k.id] = true
			}
			continue
		}
		others = append(others, name)
	}
	if len(gone) > 0 {
		others = slices.DeleteFunc(others, func(name string) bool {
			if p.files[name] != nil || !gone[p.idIn(name)] {
				return false
			}
			renamed = append(renamed, name)
			return true
		})
	}
	return slices.Concat(renamed, missing, others)
}

// idIn is the id that a file names, if any.
func (p *Provider) idIn(name string) string {
	data, _, err := p.readEntry(name)
	if err != nil {
		return ""
	}
	e, err := decode(data)
	if err != nil {
		return ""
	}
	return e.ID
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
