package recall

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
)

const (
	// stepBytes is about how much is indexed before another search may go on.
	stepBytes = 1 << 20
	// flushBytes is how much is indexed at most between two flushes.
	flushBytes = 32 << 20
	// borrowedAge is how old the view of an index may get that another program keeps.
	borrowedAge = time.Second
)

// projectIndex is the index of the conversations of one project, and how far it
// follows their store.
type projectIndex struct {
	projectKey
	opts    *IndexesOptions
	left    atomic.Int64 // len(todo), to be read without turn
	behind  atomic.Int64 // since when there is something in it, in nanoseconds; 0: there is not
	retired atomic.Bool  // it is closed for good; its project is opened anew
	used    time.Time    // guarded by Indexes.mu

	turn chan struct{} // a mutex that can be waited for until a context ends; guards what follows

	conversations *Conversations // nil until it was asked for
	cursor        process.Cursor // the changes up to here are in todo, or done
	todo          map[string]bool
	added         int64 // bytes since the last flush
	borrowed      bool  // another program keeps the index
	opened        time.Time
	dirty         bool // there was any change since the last flush
	working       bool // the background is at it
	failures      memory.Failures
}

func (p *projectIndex) enter(ctx context.Context) error {
	select {
	case p.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *projectIndex) leave() {
	p.left.Store(int64(len(p.todo)))
	if len(p.todo) == 0 {
		p.behind.Store(0)
	} else {
		p.behind.CompareAndSwap(0, time.Now().UnixNano())
	}
	<-p.turn
}

// catchUp opens the index and takes in what its store has more, for as long as a
// search waits. The index is nil when the project has no conversations.
func (p *projectIndex) catchUp(ctx context.Context) (_ *Conversations, behind bool, err error) {
	if there, err := p.open(ctx); err != nil || !there {
		return nil, false, err
	}
	if p.borrowed {
		return p.conversations, false, nil
	}
	if err := p.look(ctx); err != nil {
		return nil, false, err
	}
	end := time.Now().Add(p.opts.Patience)
	for len(p.todo) > 0 && time.Now().Before(end) {
		if err := p.step(ctx); err != nil {
			return nil, false, err
		}
	}
	return p.conversations, len(p.todo) > 0, nil
}

// open opens the index of a project that has conversations, anew where it was found
// damaged. An index that another program keeps is read as that program last
// flushed it, and looked at again from time to time.
func (p *projectIndex) open(ctx context.Context) (there bool, err error) {
	folder, err := p.store.Folder(p.project)
	if err != nil {
		return false, err
	}
	switch {
	case p.conversations == nil:
	case p.borrowed:
		if time.Since(p.opened) <= borrowedAge {
			return true, nil
		}
	case p.conversations.Damaged():
		p.opts.Logger.Warn("recall: the index is damaged, or mostly of what was removed; it is built anew")
		_ = p.conversations.Close()
		p.conversations = nil
		if err := os.RemoveAll(folder.Index); err != nil {
			return false, memory.Errorf(memory.KindInternal, "recall", "remove the damaged index: %w", err)
		}
	default:
		return true, nil
	}
	if _, err := os.Stat(folder.Processes); errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return true, p.openAnew(ctx, folder.Index)
}

func (p *projectIndex) openAnew(ctx context.Context, dir string) error {
	turns, vectors := storeTurns{p.store, p.project}, filepath.Join(filepath.Dir(dir), "meaning")
	c, err := OpenConversations(dir, turns, ConversationOptions{Vectors: vectors})
	borrowed := errors.Is(err, ErrLocked)
	if borrowed {
		unwritable := errors.Is(err, syscall.EROFS)
		c, err = OpenConversations(dir, turns, ConversationOptions{ReadOnly: true, Vectors: vectors})
		if err == nil && unwritable && len(c.table.numbers) == 0 { // nobody has made one
			c, err = OpenConversations("", turns, ConversationOptions{})
			borrowed = false
		}
	}
	if err == nil && p.conversations != nil {
		err = p.conversations.become(c)
	} else if err == nil {
		p.conversations = c
	}
	if err != nil {
		return err
	}
	p.opened, p.borrowed = time.Now(), borrowed
	if borrowed {
		return nil
	}
	if f := c.table.followed; f.Boot != "" && f.Boot == p.opts.BootID && len(c.table.numbers) > 0 {
		p.cursor = f.Cursor
		return nil
	}
	_, _, p.cursor, err = p.store.Changes(p.project, process.Cursor{})
	if err == nil {
		err = p.compare(ctx)
	}
	if err != nil {
		err = errors.Join(err, p.conversations.Close())
		p.conversations = nil
	}
	return err
}

// look takes note of what changed in the store.
func (p *projectIndex) look(ctx context.Context) error {
	uuids, all, next, err := p.store.Changes(p.project, p.cursor)
	if err != nil {
		return err
	}
	if all {
		if err := p.compare(ctx); err != nil {
			return err
		}
	}
	p.cursor = next
	for _, uuid := range uuids {
		p.todo[uuid] = true
	}
	return nil
}

// compare takes note of every conversation that the index has otherwise than the
// store.
func (p *projectIndex) compare(ctx context.Context) error {
	stored := map[string]bool{}
	for size, err := range p.store.Sizes(ctx, p.project) {
		if err != nil && size.UUID == "" {
			return err
		}
		stored[size.UUID] = true
		if _, end := p.conversations.Held(size.UUID); err == nil && end != size.Bytes {
			p.todo[size.UUID] = true
		}
	}
	for _, uuid := range p.conversations.UUIDs() {
		if !stored[uuid] {
			p.todo[uuid] = true
		}
	}
	return nil
}

// step brings one conversation further, or to its end: then it is done. One that
// can't be read is passed over until it changes again.
func (p *projectIndex) step(ctx context.Context) error {
	uuid := slices.Max(slices.Collect(maps.Keys(p.todo))) // most uuids sort by time: the newest first
	done, err := p.take(ctx, uuid)
	switch {
	case err != nil && ctx.Err() != nil:
		return searchError(ctx.Err())
	case isKind(err, memory.KindUnavailable):
		return err
	case err != nil:
		done = true
	}
	p.failures.Report(p.opts.Logger, "recall: index conversation "+uuid, err)
	if done {
		delete(p.todo, uuid)
	}
	return nil
}

// take adds what a conversation has more than the index, up to about stepBytes.
func (p *projectIndex) take(ctx context.Context, uuid string) (done bool, err error) {
	c, err := p.store.Conversation(ctx, p.project, uuid)
	if isKind(err, memory.KindNotFound) {
		p.dirty = true
		return true, p.conversations.Remove(uuid)
	}
	if err != nil {
		return false, err
	}
	done, err = p.read(ctx, c)
	if isKind(err, memory.KindConflict) { // the file is another one than it was
		if err := p.conversations.Remove(uuid); err != nil {
			return false, err
		}
		done, err = p.read(ctx, c)
	}
	return done, err
}

func (p *projectIndex) read(ctx context.Context, c process.Conversation) (done bool, err error) {
	held, end := p.conversations.Held(c.UUID)
	var list []StoredTurn
	size := int64(0)
	done = true
	for t, err := range p.store.Turns(ctx, p.project, c.UUID, process.Position{Offset: end, Number: held}) {
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
	p.dirty = true
	p.added += size
	return done, p.conversations.Add(ctx, c, list)
}

// work goes on with what is left until everything is durable or ctx ends.
func (p *projectIndex) work(ctx context.Context) {
	for p.workOn(ctx) {
	}
}

func (p *projectIndex) workOn(ctx context.Context) (more bool) {
	if p.left.Load() == 0 {
		select { // for what follows at once
		case <-time.After(p.opts.Quiet):
		case <-ctx.Done():
		}
	}
	if p.enter(ctx) != nil {
		return false
	}
	defer p.leave()
	if p.retired.Load() {
		return false
	}
	defer func() { p.working = more }()
	if len(p.todo) > 0 && p.step(ctx) != nil {
		return false
	}
	if len(p.todo) == 0 || p.added >= flushBytes {
		err := p.flush()
		p.failures.Report(p.opts.Logger, "recall: make the index durable", err)
		if err != nil {
			return false
		}
	}
	return len(p.todo) > 0
}

// flush makes the index durable, and with it how far the changes were followed.
func (p *projectIndex) flush() error {
	if !p.dirty {
		return nil
	}
	if len(p.todo) == 0 {
		p.conversations.follow(followed{p.opts.BootID, p.cursor})
	}
	if err := p.conversations.Flush(); err != nil {
		return err
	}
	p.dirty, p.added = false, 0
	return nil
}

// retire takes the turn of an index that nobody has, for good.
func (p *projectIndex) retire() bool {
	select {
	case p.turn <- struct{}{}:
	default:
		return false
	}
	if p.conversations != nil && p.conversations.users.Load() > 0 {
		p.leave()
		return false
	}
	p.retired.Store(true)
	return true
}

// close ends the index. Nobody else has it any more.
func (p *projectIndex) close() error {
	p.turn <- struct{}{}
	return p.end()
}

// end closes the index, with its turn.
func (p *projectIndex) end() error {
	if p.conversations == nil {
		return nil
	}
	var err error
	if !p.borrowed {
		err = p.flush()
	}
	err = errors.Join(err, p.conversations.Close())
	p.conversations = nil
	return err
}

// storeTurns reads the turns of one project for its index.
type storeTurns struct {
	store   *process.Store
	project string
}

func (t storeTurns) Turn(ctx context.Context, uuid string, offset int64) (process.Turn, error) {
	p, err := t.store.TurnAt(ctx, t.project, uuid, offset)
	return p.Turn, err
}

func isKind(err error, kind memory.Kind) bool { return err != nil && memory.KindOf(err) == kind }
