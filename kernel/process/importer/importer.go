package importer

import (
	"context"
	"errors"
)

// Import brings histories into the store. When the context ends, what was done so
// far is kept, and the summary says that the import was interrupted.
func (im *Importer) Import(ctx context.Context, opts Options) (Summary, error) {
	s := im.session(opts)
	s.ledger = readLedger(im.Ledger)
	err := s.run(ctx)
	if ctx.Err() != nil {
		s.sum.Interrupted, err = true, nil
	}
	if !opts.DryRun {
		err = errors.Join(err, s.ledger.write())
	}
	return s.sum, err
}

func (s *session) run(ctx context.Context) error {
	sources, err := s.find(ctx)
	if err != nil {
		return err
	}
	for i, src := range sources {
		if s.Progress != nil {
			s.Progress(i, len(sources), &s.sum)
		}
		if err := s.file(ctx, src); err != nil {
			return err
		}
	}
	return nil
}
