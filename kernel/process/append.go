package process

import (
	"context"
	"errors"
	"os"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Appended counts the turns of one call.
type Appended struct {
	Added  int `json:"added"`
	Known  int `json:"known"`  // were there already, or twice in the same call
	Masked int `json:"masked"` // of Added: something in them was masked
	Turns  int `json:"turns"`  // the number of the last turn, now
}

// Append keeps turns, in order, behind those that are there. When it returns nil
// they are durable; otherwise none of them is kept that the caller was not told
// of, and the same call can be made again. A turn whose ID is there already is not
// kept again; one without an ID gets one made of its role, time, tool, content and
// Ordinal.
//
// The whole call is refused if one turn has a text over [MaxContent], an unknown
// role or a text that can't be judged.
func (s *Store) Append(ctx context.Context, project, uuid string, turns []Turn) (res Appended, err error) {
	defer wrap(opAppend, &err)
	root, at, err := s.lookup(project, uuid)
	if err != nil {
		return res, err
	}
	defer root.Close()
	turns, err = s.prepare(ctx, turns, true)
	if err != nil {
		return res, err
	}
	// Texts are judged without the lock: that can take seconds, and another
	// program's turns need not wait for it.
	fresh, _, err := s.fresh(ctx, root, at, turns)
	if err != nil {
		return res, err
	}
	masked, err := s.cleaner.cleanTurns(ctx, fresh)
	if err != nil {
		return res, err
	}
	err = s.withLog(ctx, root, at, func(l *log, f *os.File) error {
		size, err := l.catchUp(ctx, f)
		if err != nil {
			return err
		}
		if err := l.mend(f, size); err != nil {
			return err
		}
		size = l.size
		kept := l.fresh(fresh) // another program may have been faster
		if len(kept) > 0 {
			if err := l.append(f, kept); err != nil {
				return err
			}
			s.counts.add(len(kept), l.size-size)
			s.changed(project, uuid)
		}
		for _, t := range kept {
			if masked[t.ID] {
				res.Masked++
			}
		}
		res.Added, res.Known, res.Turns = len(kept), len(turns)-len(kept), l.number
		return nil
	})
	return res, err
}

// Plan says what Append would do, and keeps nothing. The conversation need not be
// there.
func (s *Store) Plan(ctx context.Context, project, uuid string, turns []Turn) (res Appended, err error) {
	defer wrap(opAppend, &err)
	if turns, err = s.prepare(ctx, turns, false); err != nil {
		return res, err
	}
	var fresh []Turn
	last := 0
	root, at, err := s.lookup(project, uuid)
	if err == nil {
		defer root.Close()
		fresh, last, err = s.fresh(ctx, root, at, turns)
	}
	switch {
	case errors.Is(err, os.ErrNotExist):
		fresh = new(log).fresh(turns)
	case err != nil:
		return res, err
	}
	masked, err := s.cleaner.cleanTurns(ctx, fresh)
	if err != nil {
		return res, err
	}
	return Appended{Added: len(fresh), Known: len(turns) - len(fresh), Masked: len(masked), Turns: last + len(fresh)}, nil
}

// fresh returns the turns that a conversation does not have, and the number of its
// last one.
func (s *Store) fresh(ctx context.Context, root *os.Root, at place, turns []Turn) (fresh []Turn, last int, err error) {
	err = s.withLog(ctx, root, at, func(l *log, f *os.File) error {
		_, err := l.catchUp(ctx, f)
		fresh, last = l.fresh(turns), l.number
		return err
	})
	return fresh, last, err
}

// prepare returns copies of turns that are fit to be compared with what is there:
// checked, with ids, in the form that is kept.
func (s *Store) prepare(ctx context.Context, turns []Turn, create bool) ([]Turn, error) {
	salt, err := s.theSalt(ctx, create)
	if err != nil {
		return nil, err
	}
	out := append([]Turn(nil), turns...)
	for i := range out {
		t := &out[i]
		if !t.Role.Valid() {
			return nil, memory.Errorf(memory.KindInvalid, opAppend, "turn %d: the role is none of user, assistant, tool, system", i+1)
		}
		if n := max(len(t.Content), len(t.Tool)); n > MaxContent {
			return nil, memory.Errorf(memory.KindTooBig, opAppend, "turn %d has %d bytes, of at most %d", i+1, n, MaxContent)
		}
		t.Time = utc(t.Time)
	}
	new(Ordinals).Set(out)
	for i := range out {
		if out[i].ID, err = s.turnID(ctx, salt, &out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}
