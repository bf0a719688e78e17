package recall

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/recall/meaning"
	"github.com/rnixfs/rnixfs/kernel/recall/postings"
)

// TurnReader gives back what was said: the store of the conversations.
type TurnReader interface {
	// Turn returns the turn of a conversation that begins at an offset, one that
	// was handed to [Conversations.Add].
	Turn(ctx context.Context, uuid string, offset int64) (process.Turn, error)
}

// ConversationOptions sets up [Conversations]. The zero value works.
type ConversationOptions struct {
	// ReadOnly opens what was flushed last, also while another program has the
	// index; nothing can be added.
	ReadOnly bool
	// Source is that of its hits. Default SourceConversation.
	Source Source
	// Vectors is the file for the vectors of its turns; "": it has none.
	Vectors string
}

// Conversations is the index of the turns of one project. Its methods are safe
// for concurrent use.
//
// The turns are kept elsewhere. What was not flushed before a crash has to be added
// again: [Conversations.Held] says from where on. Adding what is there already
// changes nothing.
type Conversations struct {
	turns   TurnReader
	opts    ConversationOptions
	tuning  tuning
	vectors meaning.Index

	adding sync.Mutex // held to change anything below, from analysis on

	mu     sync.RWMutex // held for writing, with adding, while it is changed
	closed bool
	index  *postings.Index
	table  *turnTable

	damaged atomic.Bool
	users   atomic.Int32 // who hold it
}

// Hold keeps the index open until it is released.
func (c *Conversations) Hold() { c.users.Add(1) }

// Release gives back what was held.
func (c *Conversations) Release() { c.users.Add(-1) }

var errClosed = memory.Errorf(memory.KindUnavailable, "recall", "the index is closed")

// ErrLocked is what OpenConversations returns, wrapped, of an index that another
// program has open, or that lies on a read-only file system. It can be read all the same: ConversationOptions.ReadOnly.
var ErrLocked = postings.ErrLocked

// OpenConversations opens the index in dir, or makes it; with "" it is in
// memory. A damaged one, or one that another version made, is emptied.
func OpenConversations(dir string, turns TurnReader, opts ConversationOptions) (*Conversations, error) {
	opts.Source = cmp.Or(opts.Source, SourceConversation)
	c := &Conversations{turns: turns, opts: opts, tuning: defaultTuning, vectors: meaning.Index{Path: opts.Vectors}}
	err := c.open(dir)
	if errors.Is(err, errTable) && !opts.ReadOnly {
		if err = os.RemoveAll(dir); err == nil {
			err = c.open(dir)
		}
	}
	if err != nil {
		return nil, memory.Errorf(memory.KindInternal, "open conversation index", "%w", err)
	}
	return c, nil
}

func (c *Conversations) open(dir string) error {
	opts := postings.Options{Fields: turnFields[:], RowSize: rowSize, Fingerprint: turnFingerprint, ReadOnly: c.opts.ReadOnly}
	if dir != "" {
		opts.Dir = filepath.Join(dir, "postings")
	}
	index, err := postings.Open(opts)
	if err != nil {
		return err
	}
	snap := index.Snapshot()
	defer snap.Close()
	table, err := decodeTable(index.UserData(), snap.Docs())
	if err != nil {
		return errors.Join(err, index.Close())
	}
	c.index, c.table = index, table
	return nil
}

// become takes over what another index of the same turns has, which is not used
// any more. Searches that read the former index end first.
func (c *Conversations) become(other *Conversations) error {
	c.adding.Lock()
	defer c.adding.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.index
	c.vectors.Renumber()
	c.index, c.table, c.opts = other.index, other.table, other.opts
	c.damaged.Store(false)
	return old.Close()
}

// minGone is how many passages that were removed an index may always carry.
const minGone = 1024

// Damaged reports whether the index was found damaged, or is mostly of what was
// removed. It is to be closed, and its folder to be removed: it is a cache.
func (c *Conversations) Damaged() bool {
	if c.damaged.Load() {
		return true
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.table.gone > minGone && 4*c.table.gone > int(c.table.passages())
}

// fault notes damage, and says what was being done.
func (c *Conversations) fault(op string, err error) error {
	if errors.Is(err, errClosed) {
		return err
	}
	if errors.Is(err, postings.ErrCorrupt) {
		c.damaged.Store(true)
	}
	return memory.Errorf(memory.KindInternal, op, "%w", err)
}

// Held returns how many turns of a conversation the index has, and the offset
// behind the last of them. What follows is to be added.
func (c *Conversations) Held(uuid string) (turns int, end int64) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	n, ok := c.table.numbers[uuid]
	if !ok {
		return 0, 0
	}
	return c.table.conversations[n].Turns, c.table.conversations[n].End
}

// Has reports whether the index has a conversation.
func (c *Conversations) Has(uuid string) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	_, ok := c.table.numbers[uuid]
	return ok
}

// UUIDs returns the conversations that the index has.
func (c *Conversations) UUIDs() []string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.Sorted(maps.Keys(c.table.numbers))
}

// Add takes turns of a conversation in, in the order of their numbers. A turn that
// is there already is passed over; one that does not follow the last is
// KindInvalid. When Add returns the turns can be found; they are durable after
// the next Flush. What is told of the conversation replaces what was.
func (c *Conversations) Add(ctx context.Context, p process.Conversation, turns []StoredTurn) error {
	const op = "index conversation"
	c.adding.Lock()
	defer c.adding.Unlock()
	held, _ := c.Held(p.UUID)
	for len(turns) > 0 && turns[0].Number < held {
		turns = turns[1:]
	}
	for i, t := range turns {
		if t.Number != held+i {
			return memory.Errorf(memory.KindInvalid, op, "turn %d does not follow turn %d", t.Number, held+i-1)
		}
	}
	if err := ctx.Err(); err != nil {
		return memory.Errorf(memory.KindTimeout, op, "%w", err)
	}
	if err := c.append(&p, turns); err != nil {
		return c.fault(op, err)
	}
	return nil
}

// append indexes turns that follow those that are there.
func (c *Conversations) append(p *process.Conversation, turns []StoredTurn) error {
	passages := make([][]turnPassage, len(turns))
	parallel(len(turns), func(i int) { passages[i] = turnPassages(&turns[i]) })

	if c.closed {
		return errClosed
	}
	c.mu.Lock()
	n := c.table.put(describe(p))
	c.mu.Unlock()
	if len(turns) == 0 {
		return nil
	}
	var docs []postings.Document
	words := int64(0)
	for _, list := range passages {
		for k := range list {
			list[k].row.conversation = n
			words += int64(list[k].words)
			docs = append(docs, list[k].document())
		}
	}
	// It may write a segment, or wait for a merge. Searches do not wait for it: they
	// see what the table knows.
	if _, err := c.index.Append(docs); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.table.grow(n, uint32(len(docs)), len(turns), turns[len(turns)-1].End, words)
	return nil
}

// snapshot is the index without passages that the table does not know yet. The caller
// holds c.mu.
func (c *Conversations) snapshot() *postings.Snapshot {
	return c.index.SnapshotOf(c.table.passages())
}

// Remove takes all turns of conversations out, and makes that durable, with all
// that was added before: what was removed does not come back, and its uuid may be
// used again. It is no error when there are none.
func (c *Conversations) Remove(uuids ...string) error {
	c.adding.Lock()
	defer c.adding.Unlock()
	removed, err := c.hide(uuids)
	if err == nil && removed {
		err = c.flush()
	}
	if err != nil {
		return c.fault("remove conversation", err)
	}
	return nil
}

func (c *Conversations) hide(uuids []string) (removed bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false, errClosed
	}
	for _, uuid := range uuids {
		if n, ok := c.table.numbers[uuid]; ok {
			c.table.remove(n)
			removed = true
		}
	}
	return removed, nil
}

// Flush makes all that was added durable.
func (c *Conversations) Flush() error {
	c.adding.Lock() // what changes the table waits; searches do not
	defer c.adding.Unlock()
	if err := c.flush(); err != nil {
		return c.fault("flush conversation index", err)
	}
	return nil
}

func (c *Conversations) flush() error {
	if c.closed {
		return errClosed
	}
	data, err := c.table.encode()
	if err != nil {
		return err
	}
	return c.index.Flush(data)
}

// follow notes how far the changes of the store were taken in, for the next flush.
func (c *Conversations) follow(f followed) {
	c.adding.Lock()
	defer c.adding.Unlock()
	c.table.followed = f
}

// Close frees the index. What was not flushed is lost, and has to be added again.
// It may be called more than once.
func (c *Conversations) Close() error {
	c.adding.Lock()
	defer c.adding.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	c.vectors.Close()
	if err := c.index.Close(); err != nil {
		return memory.Errorf(memory.KindInternal, "close conversation index", "%w", err)
	}
	return nil
}
