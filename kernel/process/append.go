package process

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

const opAppend = "append turns"

// Appended is what became of turns that were handed in.
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
// One turn that can't be kept (a text over [MaxContent], a role that is none, a
// text that can't be judged) refuses all of the call.
func (s *Store) Append(ctx context.Context, project, uuid string, turns []Turn) (Appended, error) {
	res, err := s.append(ctx, project, uuid, turns)
	if err != nil {
		return Appended{}, failure(opAppend, err)
	}
	return res, nil
}

func (s *Store) append(ctx context.Context, project, uuid string, turns []Turn) (Appended, error) {
	root, folder, err := s.place(project, uuid)
	if err != nil {
		return Appended{}, err
	}
	defer root.close()
	turns, err = s.prepare(ctx, turns, true)
	if err != nil {
		return Appended{}, err
	}
	// Texts are judged without the lock: that can take seconds, and another
	// program's turns need not wait for it.
	var fresh []Turn
	err = s.withLog(ctx, root, folder, uuid, func(l *log, _ dir, f *os.File) error {
		if _, err := l.catchUp(ctx, f); err != nil {
			return err
		}
		fresh = l.fresh(turns)
		return nil
	})
	if err != nil {
		return Appended{}, err
	}
	masks, err := s.cleanTurns(ctx, fresh)
	if err != nil {
		return Appended{}, err
	}
	var res Appended
	err = s.withLog(ctx, root, folder, uuid, func(l *log, at dir, f *os.File) error {
		res, err = s.write(ctx, l, at, f, project, fresh, masks)
		if res.Added > 0 {
			s.changed(project, uuid)
		}
		return err
	})
	res.Known = len(turns) - res.Added
	return res, err
}

// Plan says what Append would do, and keeps nothing. The process need not be
// there.
func (s *Store) Plan(ctx context.Context, project, uuid string, turns []Turn) (Appended, error) {
	res, err := s.plan(ctx, project, uuid, turns)
	return res, failure(opAppend, err)
}

func (s *Store) plan(ctx context.Context, project, uuid string, turns []Turn) (res Appended, err error) {
	turns, err = s.prepare(ctx, turns, false)
	if err != nil {
		return res, err
	}
	fresh := (&log{}).fresh(turns)
	root, folder, err := s.place(project, uuid)
	if err == nil {
		defer root.close()
		err = s.withLog(ctx, root, folder, uuid, func(l *log, _ dir, f *os.File) error {
			_, err := l.catchUp(ctx, f)
			fresh, res.Turns = l.fresh(turns), l.number
			return err
		})
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return res, err
	}
	masks, err := s.cleanTurns(ctx, fresh)
	if err != nil {
		return Appended{}, err
	}
	for _, masked := range masks {
		if masked {
			res.Masked++
		}
	}
	res.Added, res.Known = len(fresh), len(turns)-len(fresh)
	res.Turns += res.Added
	return res, nil
}

// place opens the store for work on a process. The caller closes root.
func (s *Store) place(project, uuid string) (root dir, folder string, err error) {
	if err := errors.Join(checkProject(project), checkUUID(uuid)); err != nil {
		return dir{-1}, "", err
	}
	root, err = s.root()
	return root, folderName(project), err
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
		t := &out[i]
		if t.ID == "" {
			t.ID = deriveID(salt, t)
		} else if t.ID, err = s.cleanID(ctx, salt, t.ID); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// fresh returns the turns that are not there, each id once.
func (l *log) fresh(turns []Turn) []Turn {
	seen := map[string]bool{}
	var out []Turn
	for _, t := range turns {
		if !l.has(t.ID) && !seen[t.ID] {
			seen[t.ID] = true
			out = append(out, t)
		}
	}
	return out
}

// write makes redacted turns durable at the end of a log. The log's locks are
// held.
func (s *Store) write(ctx context.Context, l *log, at dir, f *os.File, project string, turns []Turn, masks []bool) (Appended, error) {
	size, err := l.catchUp(ctx, f)
	if err != nil {
		return Appended{}, err
	}
	if err := l.mend(f, size); err != nil {
		return Appended{}, err
	}
	var res Appended
	var kept []Turn
	for i, t := range turns {
		if l.has(t.ID) { // somebody was faster
			continue
		}
		kept = append(kept, t)
		if masks[i] {
			res.Masked++
		}
	}
	res.Added, res.Turns = len(kept), l.number+len(kept)
	if len(kept) == 0 {
		return res, nil
	}
	placed, err := l.writeLines(f, kept)
	if err != nil {
		return Appended{}, err
	}
	s.counted(len(placed), placed[len(placed)-1].End-placed[0].Offset)
	if len(s.opts.Observers) > 0 {
		p, err := readProcess(at)
		if err != nil { // the turns are durable, so they are told
			p = Conversation{Project: project, UID: s.opts.UID}
		}
		for _, o := range s.opts.Observers {
			o.Appended(p, placed)
		}
	}
	return res, nil
}

// maxWrite is about how much is encoded before it is written.
const maxWrite = 1 << 20

// writeLines appends turns and makes them durable, all or none.
func (l *log) writeLines(f *os.File, turns []Turn) (placed []Placed, err error) {
	start := l.size
	defer func() {
		if err != nil {
			// A file that can't be cut back has whole turns that nobody was told
			// of: the next append finds them there.
			err = errors.Join(err, f.Truncate(start))
		}
	}()
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	at, end := start, start // where buf begins, and ends
	for i, t := range turns {
		from := buf.Len()
		if err := enc.Encode(record{N: l.number + 1 + i, Turn: t}); err != nil {
			return nil, err
		}
		n := int64(buf.Len() - from)
		if n > maxLine {
			return nil, memory.Errorf(memory.KindTooBig, opAppend, "turn %s has %d bytes as a line, of at most %d", t.ID, n, maxLine)
		}
		placed = append(placed, Placed{Turn: t, Number: l.number + 1 + i, Offset: end, End: end + n})
		end += n
		if buf.Len() >= maxWrite || i == len(turns)-1 {
			if _, err := f.WriteAt(buf.Bytes(), at); err != nil {
				return nil, err
			}
			at = end
			buf.Reset()
		}
	}
	if _, err := retry(func() (int, error) { return 0, unix.Fdatasync(int(f.Fd())) }); err != nil {
		return nil, err
	}
	for _, t := range turns {
		l.add(t.ID)
	}
	l.size, l.number = end, l.number+len(turns)
	return placed, l.remember(f)
}
