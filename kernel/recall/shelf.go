package recall

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
)

const (
	// stepBytes is about how much is indexed before somebody else may have a turn.
	stepBytes = 1 << 20
	// flushBytes is how much is indexed at most between two flushes.
	flushBytes = 32 << 20
	// followedName is the file beside the index that says how far the changes of
	// the project were followed when it was last made durable.
	followedName = "followed.json"
)

// shelf is the index of one project and how far it has come.
type shelf struct {
	lib     *Library
	store   *process.Store
	project string
	left    atomic.Int64 // len(todo), for those who don't hold turn

	turn chan struct{} // holds one token while somebody works; guards what follows

	conversations *Conversations // nil until it was asked for
	cursor        process.Cursor // the changes up to here are in todo, or done
	todo          map[string]bool
	added         int64 // bytes since the last flush
	guest         bool  // another program keeps the index
	opened        time.Time
	stale         *Conversations // of a guest: the view before
	dirty         bool           // there was any change since the last flush
	working       bool           // the background is at it
}

// followed is what followedName holds.
type followed struct {
	Boot   string         `json:"boot"`
	Cursor process.Cursor `json:"cursor"`
}

func (s *shelf) enter(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *shelf) leave() {
	s.left.Store(int64(len(s.todo)))
	<-s.turn
}

func (s *shelf) index(ctx context.Context) (*Conversations, bool, error) {
	if err := s.enter(ctx); err != nil {
		return nil, false, searchError(err)
	}
	defer s.leave()
	if there, err := s.open(ctx); err != nil || !there {
		return nil, false, err
	}
	if s.guest {
		return s.conversations, false, nil
	}
	if err := s.look(ctx); err != nil {
		return nil, false, err
	}
	end := time.Now().Add(s.lib.opts.Patience)
	for len(s.todo) > 0 && time.Now().Before(end) {
		if err := s.step(ctx); err != nil {
			return nil, false, err
		}
	}
	s.background()
	return s.conversations, len(s.todo) > 0, nil
}

// guestAge is how old the view of an index may get that another program keeps.
const guestAge = time.Second

// open opens the index of a project that has conversations, anew where it was found
// damaged. An index that another program keeps is read as that program last
// flushed it.
func (s *shelf) open(ctx context.Context) (there bool, err error) {
	folder, err := s.store.Folder(s.project)
	if err != nil {
		return false, err
	}
	switch {
	case s.conversations == nil:
	case s.conversations.Damaged() && !s.guest:
		s.lib.opts.Logger.Warn("recall: the index is damaged; it is built anew")
		_ = s.conversations.Close()
		s.conversations = nil
		if err := os.RemoveAll(folder.Index); err != nil {
			return false, memory.Errorf(memory.KindInternal, "recall", "remove the damaged index: %w", err)
		}
	case s.guest && time.Since(s.opened) > guestAge:
		// Searches may still read the view before this one, but hardly the one before that.
		if s.stale != nil {
			_ = s.stale.Close()
		}
		s.stale, s.conversations = s.conversations, nil
	default:
		return true, nil
	}
	return s.openAnew(ctx, folder)
}

func (s *shelf) openAnew(ctx context.Context, folder process.Folder) (there bool, err error) {
	if _, err := os.Stat(folder.Processes); errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	c, err := OpenConversations(folder.Index, storeTurns{s.store, s.project}, ConversationOptions{})
	if s.guest = errors.Is(err, ErrLocked); s.guest {
		c, err = OpenConversations(folder.Index, storeTurns{s.store, s.project}, ConversationOptions{ReadOnly: true})
	}
	if err != nil {
		return false, err
	}
	s.conversations, s.opened = c, time.Now()
	if s.guest {
		return true, nil
	}
	if f, ok := s.readFollowed(folder.Index); ok && len(c.Processes()) > 0 {
		s.cursor = f.Cursor
		return true, nil
	}
	_, _, s.cursor, err = s.store.Changes(s.project, process.Cursor{})
	if err == nil {
		err = s.compare(ctx)
	}
	if err != nil {
		s.conversations = nil
		return false, errors.Join(err, c.Close())
	}
	return true, nil
}

func (s *shelf) readFollowed(dir string) (f followed, ok bool) {
	text, err := os.ReadFile(filepath.Join(dir, followedName))
	if err != nil || json.Unmarshal(text, &f) != nil {
		return followed{}, false
	}
	return f, f.Boot != "" && f.Boot == s.lib.opts.BootID
}

// look takes note of what changed in the store.
func (s *shelf) look(ctx context.Context) error {
	uuids, all, next, err := s.store.Changes(s.project, s.cursor)
	if err != nil {
		return err
	}
	if all {
		if err := s.compare(ctx); err != nil {
			return err
		}
	}
	s.cursor = next
	for _, uuid := range uuids {
		s.todo[uuid] = true
	}
	return nil
}

// compare takes note of every process that the index has otherwise than the store.
func (s *shelf) compare(ctx context.Context) error {
	stored := map[string]bool{}
	for size, err := range s.store.Sizes(ctx, s.project) {
		if err != nil && size.UUID == "" {
			return err
		}
		stored[size.UUID] = true
		if _, end := s.conversations.Held(size.UUID); err == nil && end != size.Bytes {
			s.todo[size.UUID] = true
		}
	}
	for _, uuid := range s.conversations.Processes() {
		if !stored[uuid] {
			s.todo[uuid] = true
		}
	}
	return nil
}

// step brings one process further, or to its end: then it is done. One that can't
// be read is passed over until it changes again.
func (s *shelf) step(ctx context.Context) error {
	uuids := make([]string, 0, len(s.todo))
	for uuid := range s.todo {
		uuids = append(uuids, uuid)
	}
	uuid := slices.Max(uuids) // most uuids sort by time: the newest first
	done, err := s.take(ctx, uuid)
	switch {
	case err != nil && ctx.Err() != nil:
		return searchError(ctx.Err())
	case isKind(err, memory.KindUnavailable):
		return err
	case err != nil:
		s.lib.opts.Logger.Error("recall: index conversation", slog.String("process", uuid), slog.Any("error", err))
		done = true
	}
	if done {
		delete(s.todo, uuid)
	}
	return nil
}

// take adds what a process has more than the index, up to about stepBytes.
func (s *shelf) take(ctx context.Context, uuid string) (done bool, err error) {
	p, err := s.store.Conversation(ctx, s.project, uuid)
	if isKind(err, memory.KindNotFound) {
		s.dirty = true
		return true, s.conversations.Remove(uuid)
	}
	if err != nil {
		return false, err
	}
	done, err = s.read(ctx, p)
	if isKind(err, memory.KindConflict) { // the file is another one than it was
		if err := s.conversations.Remove(uuid); err != nil {
			return false, err
		}
		done, err = s.read(ctx, p)
	}
	return done, err
}

func (s *shelf) read(ctx context.Context, p process.Conversation) (done bool, err error) {
	held, end := s.conversations.Held(p.UUID)
	var list []StoredTurn
	size := int64(0)
	done = true
	for t, err := range s.store.Turns(ctx, s.project, p.UUID, process.Position{Offset: end, Number: held}) {
		if err != nil {
			return false, err
		}
		if size >= stepBytes {
			done = false
			break
		}
		list = append(list, StoredTurn{Turn: t.Turn, Number: held + len(list), Offset: t.Offset, End: t.End})
		size += t.End - t.Offset
	}
	s.dirty = true
	s.added += size
	return done, s.conversations.Add(ctx, p, list)
}

// background goes on with what is left, and makes it durable.
func (s *shelf) background() {
	if s.working || len(s.todo) == 0 && !s.dirty {
		return
	}
	s.lib.mu.Lock()
	defer s.lib.mu.Unlock()
	if s.lib.closed {
		return
	}
	s.working = true
	s.lib.tasks.Go(s.work)
}

// work runs in the background until everything is durable or the library closes.
func (s *shelf) work() {
	for s.workOn() {
	}
}

func (s *shelf) workOn() (more bool) {
	ctx := s.lib.ctx
	if s.left.Load() == 0 {
		select { // for what follows at once
		case <-time.After(s.lib.opts.Quiet):
		case <-ctx.Done():
		}
	}
	if s.enter(ctx) != nil {
		return false
	}
	defer s.leave()
	if len(s.todo) > 0 {
		if err := s.step(ctx); err != nil {
			s.working = false
			return false
		}
	}
	if len(s.todo) == 0 || s.added >= flushBytes {
		if err := s.flush(); err != nil {
			s.lib.opts.Logger.Error("recall: make the index durable", slog.Any("error", err))
			s.working = false
			return false
		}
	}
	s.working = len(s.todo) > 0
	return s.working
}

// flush makes the index durable, and says how far the changes were followed.
func (s *shelf) flush() error {
	if !s.dirty {
		return nil
	}
	if err := s.conversations.Flush(); err != nil {
		return err
	}
	s.dirty, s.added = false, 0
	if len(s.todo) > 0 || s.lib.opts.BootID == "" {
		return nil
	}
	folder, err := s.store.Folder(s.project)
	if err != nil {
		return err
	}
	text, err := json.Marshal(followed{s.lib.opts.BootID, s.cursor})
	if err != nil {
		return err
	}
	return replaceFile(filepath.Join(folder.Index, followedName), text)
}

// replaceFile needs no sync: after a crash of the machine nobody trusts the file.
func replaceFile(path string, text []byte) error {
	tmp := path + ".tmp"
	if err := os.WriteFile(tmp, text, 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}

// close ends the shelf. Nobody else has it any more.
func (s *shelf) close() error {
	s.turn <- struct{}{}
	var errs []error
	for _, c := range []*Conversations{s.stale, s.conversations} {
		if c == nil {
			continue
		}
		if c == s.conversations && !s.guest {
			errs = append(errs, s.flush())
		}
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}
