package recall

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/recall/postings"
)

// SourceConversation is a turn of a conversation.
const SourceConversation Source = "conversation"

// TurnReader gives back what was said: the store of the processes.
type TurnReader interface {
	// Turn returns the turn of a process that begins at an offset, one that was
	// handed to [Conversations.Add].
	Turn(ctx context.Context, process string, offset int64) (process.Turn, error)
}

// StoredTurn is a turn and where its store keeps it.
type StoredTurn struct {
	process.Turn
	Number int   // in its process: 0, 1, 2, ...
	Offset int64 // where it begins
	End    int64 // where the next one begins
}

// ConversationOptions sets up [Conversations]. The zero value works.
type ConversationOptions struct {
	// BatchBytes bounds the content that is indexed at a time. Default 4 MiB.
	BatchBytes int
	// ReadOnly opens what was flushed last, also while another program has the
	// index; nothing can be added.
	ReadOnly bool
}

// Conversations is the index of the turns of one project. Its methods are safe
// for concurrent use.
//
// The turns are kept by somebody else. What was not flushed before a crash has
// to be added again: [Conversations.Held] says from where on. Adding what is
// there already changes nothing.
type Conversations struct {
	turns  TurnReader
	opts   ConversationOptions
	tuning tuning

	adding sync.Mutex // held by whoever changes anything below, from analysis on
	log    *turnLog

	mu     sync.RWMutex // held for writing, with adding, while it is changed
	closed bool
	index  postings.Index
	table  *turnTable

	damaged atomic.Bool
}

var errClosed = memory.Errorf(memory.KindUnavailable, "recall", "the index is closed")

// ErrLocked is what OpenConversations returns, wrapped, of an index that another
// program has open. It can be read all the same: ConversationOptions.ReadOnly.
var ErrLocked = postings.ErrLocked

// Damaged reports whether the index was found damaged. It is to be closed, and its
// folder to be removed: it is a cache.
func (c *Conversations) Damaged() bool { return c.damaged.Load() }

// fault notes damage, and says what was being done.
func (c *Conversations) fault(op string, err error) error {
	if errors.Is(err, postings.ErrCorrupt) {
		c.damaged.Store(true)
	}
	return memory.Errorf(memory.KindInternal, op, "%w", err)
}

// OpenConversations opens the index in dir, or makes it; with "" it is in
// memory. A damaged one, or one that another version made, is emptied.
func OpenConversations(dir string, turns TurnReader, opts ConversationOptions) (*Conversations, error) {
	if opts.BatchBytes <= 0 {
		opts.BatchBytes = maxBatchBytes
	}
	c := &Conversations{turns: turns, opts: opts, tuning: defaultTuning}
	err := c.open(dir)
	if errors.Is(err, errLog) && !opts.ReadOnly {
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
	none := make([]bool, len(turnFields)) // what stands beside what is read from the text
	for f := range none {
		none[f] = true
	}
	opts := postings.Options{
		Fields: turnFields[:], NoPositions: none, RowSize: rowSize, Fingerprint: turnFingerprint, ReadOnly: c.opts.ReadOnly,
	}
	if dir != "" && !c.opts.ReadOnly {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	if dir != "" {
		opts.Dir = filepath.Join(dir, "postings")
	}
	ix, err := postings.Open(opts)
	if err != nil {
		return err
	}
	var mark []byte
	if dir != "" {
		mark = ix.Mark()
	}
	log, table, err := readLog(dir, mark)
	if err != nil {
		return errors.Join(err, ix.Close())
	}
	snap := ix.Snapshot()
	slots := snap.Slots()
	snap.Close()
	if slots != table.slots() {
		return errors.Join(errLog, log.close(), ix.Close())
	}
	if !c.opts.ReadOnly {
		log.drop()
	}
	c.index, c.table, c.log = ix, table, log
	return nil
}

// Held returns how many turns of a process the index has, and the offset behind
// the last of them. What follows is to be added.
func (c *Conversations) Held(process string) (turns int, end int64) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	o, ok := c.table.ordinals[process]
	if !ok {
		return 0, 0
	}
	return c.table.processes[o].turns, c.table.processes[o].end
}

// Processes returns the uuids of the processes that the index has.
func (c *Conversations) Processes() []string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var list []string
	for uuid := range c.table.ordinals {
		list = append(list, uuid)
	}
	slices.Sort(list)
	return list
}

// Add takes turns of a process in, in the order of their numbers. A turn that is
// there already is passed over; one that does not follow the last is
// KindInvalid. When Add returns the turns can be found; they are durable after
// the next Flush. What is told of the process replaces what was.
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
	for first := true; first || len(turns) > 0; first = false {
		if err := ctx.Err(); err != nil {
			return memory.Errorf(memory.KindTimeout, op, "%w", err)
		}
		n := batchSize(turns, c.opts.BatchBytes)
		if err := c.append(&p, turns[:n]); err != nil {
			return err
		}
		turns = turns[n:]
	}
	return nil
}

// batchSize is how many of the turns make a batch: at least one.
func batchSize(turns []StoredTurn, bytes int) int {
	size := 0
	for i, t := range turns {
		size += len(t.Content)
		if size > bytes && i > 0 {
			return i
		}
	}
	return len(turns)
}

// append indexes turns that follow those that are there.
func (c *Conversations) append(p *process.Conversation, turns []StoredTurn) error {
	const op = "index conversation"
	passages := make([][]turnPassage, len(turns))
	parallel(len(turns), func(i int) { passages[i] = turnPassages(&turns[i]) })

	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return errClosed
	}
	h := describe(p)
	if o, ok := c.table.ordinals[p.UUID]; !ok || !c.table.processes[o].same(&h) {
		c.table.describe(h)
		c.log.describe(&h)
	}
	if len(turns) == 0 {
		return nil
	}
	o := c.table.ordinals[p.UUID]
	var docs []postings.Document
	words := int64(0)
	for _, list := range passages {
		for k := range list {
			list[k].row.process = o
			words += int64(list[k].words)
			docs = append(docs, list[k].document())
		}
	}
	if len(docs) > 0 {
		first, err := c.index.Append(docs)
		if err != nil {
			return c.fault(op, err)
		}
		if first != c.table.slots() {
			return memory.Errorf(memory.KindInternal, op, "the index is at %d, not at %d", first, c.table.slots())
		}
	}
	end := turns[len(turns)-1].End
	c.table.grow(o, uint32(len(docs)), len(turns), end, words)
	c.log.grow(o, uint32(len(docs)), len(turns), end, words)
	return nil
}

func (h *heldProcess) same(other *heldProcess) bool {
	return h.agent == other.agent && h.title == other.title && h.start == other.start
}

// Remove takes all turns of a process out, and makes that durable, with all that
// was added before: what was removed does not come back, and its uuid may be used
// again. It is no error when there are none.
func (c *Conversations) Remove(process string) error {
	c.adding.Lock()
	defer c.adding.Unlock()
	removed, err := c.hide(process)
	if err == nil && removed {
		err = c.flush()
	}
	if err != nil {
		return c.indexError("remove conversation", err)
	}
	return nil
}

func (c *Conversations) hide(process string) (removed bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false, errClosed
	}
	o, ok := c.table.ordinals[process]
	if !ok {
		return false, nil
	}
	if err := c.index.Delete(c.table.remove(o)); err != nil {
		return false, err
	}
	c.log.remove(o)
	return true, nil
}

// Flush makes all that was added durable.
func (c *Conversations) Flush() error {
	c.adding.Lock() // what changes the table and the log waits; searches do not
	defer c.adding.Unlock()
	if err := c.flush(); err != nil {
		return c.indexError("flush conversation index", err)
	}
	return nil
}

func (c *Conversations) flush() error {
	if c.closed {
		return errClosed
	}
	mark, err := c.log.flush(c.table)
	if err != nil {
		return err
	}
	if err := c.index.Flush(mark); err != nil {
		return err
	}
	c.log.drop()
	return nil
}

// indexError leaves it at the one word that the index is closed.
func (c *Conversations) indexError(op string, err error) error {
	if errors.Is(err, errClosed) {
		return err
	}
	return c.fault(op, err)
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
	if err := errors.Join(c.log.close(), c.index.Close()); err != nil {
		return memory.Errorf(memory.KindInternal, "close conversation index", "%w", err)
	}
	return nil
}
