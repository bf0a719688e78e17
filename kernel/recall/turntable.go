package recall

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"sort"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// conversation is what is known of a conversation whose turns are in the index.
type conversation struct {
	UUID, Agent, Title string
	Start              int64 // seconds since 1970, 0 when unknown
	Turns              int   // in the index: numbers 0 to Turns-1
	End                int64 // offset behind the last of them
	Words              int64 // of all its passages
	Removed            bool  // it has nothing but its passages, which are not to be found

	firstRun, lastRun int32 // -1: none
}

func describe(p *process.Conversation) conversation {
	return conversation{UUID: p.UUID, Agent: p.Agent, Title: p.Title, Start: rowTime(p.Start)}
}

// run is a range of passages that belong to one conversation: the turns of one
// that runs alone, or is read from a history, are one run. Turns of conversations
// at the same time interleave.
type run struct {
	First, Count uint32
	Conversation uint32

	prev, next int32 // runs of the same conversation, -1: none
}

// turnTable is the conversations of an index and where their passages are. It is
// small beside the turns, and is in memory; the index has it as its mark.
type turnTable struct {
	Conversations []conversation
	Runs          []run    // ascending, without gaps
	Followed      followed // how far the changes of the store were taken in

	numbers map[string]uint32 // of the conversations that were not removed, by uuid
	removed []bool            // by passage; what is beyond the end was not removed
	gone    int               // passages that were removed
	held    int               // conversations that have turns
	words   int64             // of all passages that were not removed
}

// followed is a place in the list of a store's changes. It means something only
// until the machine starts again.
type followed struct {
	Boot   string
	Cursor process.Cursor
}

func newTurnTable() *turnTable { return &turnTable{numbers: map[string]uint32{}} }

func (t *turnTable) encode() ([]byte, error) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(t); err != nil {
		return nil, fmt.Errorf("encode the conversations of the index: %w", err)
	}
	return b.Bytes(), nil
}

var errTable = errors.New("the conversations of the index don't fit it")

// decodeTable reads what encode wrote, for an index with so many passages.
func decodeTable(b []byte, passages uint32) (*turnTable, error) {
	t := newTurnTable()
	if len(b) > 0 {
		if err := gob.NewDecoder(bytes.NewReader(b)).Decode(t); err != nil {
			return nil, errors.Join(errTable, err)
		}
	}
	for i := range t.Conversations {
		c := &t.Conversations[i]
		c.firstRun, c.lastRun = -1, -1
		if c.Removed {
			continue
		}
		t.numbers[c.UUID] = uint32(i)
		t.count(c, 1)
	}
	next := uint32(0)
	for i := range t.Runs {
		r := &t.Runs[i]
		if r.First != next || int(r.Conversation) >= len(t.Conversations) {
			return nil, errTable
		}
		t.link(int32(i))
		if t.Conversations[r.Conversation].Removed {
			t.hide(r)
		}
		next += r.Count
	}
	if next != passages {
		return nil, errTable
	}
	return t, nil
}

// count adds a conversation to the sums, or takes it off.
func (t *turnTable) count(c *conversation, times int) {
	if c.Turns > 0 {
		t.held += times
	}
	t.words += int64(times) * c.Words
}

// link makes the run with a number the last one of its conversation.
func (t *turnTable) link(i int32) {
	r := &t.Runs[i]
	c := &t.Conversations[r.Conversation]
	r.prev, r.next = c.lastRun, -1
	if c.lastRun >= 0 {
		t.Runs[c.lastRun].next = i
	} else {
		c.firstRun = i
	}
	c.lastRun = i
}

// hide marks the passages of a run as removed.
func (t *turnTable) hide(r *run) {
	if end := int(r.First + r.Count); end > len(t.removed) {
		t.removed = append(t.removed, make([]bool, end-len(t.removed))...)
	}
	for i := range r.Count {
		t.removed[r.First+i] = true
	}
	t.gone += int(r.Count)
}

// isRemoved reports whether a passage was removed.
func (t *turnTable) isRemoved(passage uint32) bool {
	return int(passage) < len(t.removed) && t.removed[passage]
}

// passages is one more than the highest passage.
func (t *turnTable) passages() uint32 {
	if len(t.Runs) == 0 {
		return 0
	}
	last := t.Runs[len(t.Runs)-1]
	return last.First + last.Count
}

// live is how many passages were not removed.
func (t *turnTable) live() int { return int(t.passages()) - t.gone }

// put makes a conversation known, or brings what is known of it up to date, and
// returns its number.
func (t *turnTable) put(c conversation) uint32 {
	if n, ok := t.numbers[c.UUID]; ok {
		known := &t.Conversations[n]
		known.Agent, known.Title, known.Start = c.Agent, c.Title, c.Start
		return n
	}
	n := uint32(len(t.Conversations))
	t.numbers[c.UUID] = n
	c.firstRun, c.lastRun = -1, -1
	t.Conversations = append(t.Conversations, c)
	return n
}

// grow records passages that were appended for a conversation.
func (t *turnTable) grow(n, passages uint32, turns int, end, words int64) {
	c := &t.Conversations[n]
	t.count(c, -1)
	c.Turns += turns
	c.End = end
	c.Words += words
	t.count(c, 1)
	if passages == 0 {
		return
	}
	last := int32(len(t.Runs)) - 1
	if last >= 0 && c.lastRun == last {
		t.Runs[last].Count += passages
		return
	}
	t.Runs = append(t.Runs, run{First: t.passages(), Count: passages, Conversation: n})
	t.link(last + 1)
}

// remove forgets a conversation and hides its passages.
func (t *turnTable) remove(n uint32) {
	c := &t.Conversations[n]
	for i := c.firstRun; i >= 0; i = t.Runs[i].next {
		t.hide(&t.Runs[i])
	}
	t.count(c, -1)
	delete(t.numbers, c.UUID)
	*c = conversation{Removed: true, firstRun: c.firstRun, lastRun: c.lastRun}
}

// runOf returns the run that a passage lies in.
func (t *turnTable) runOf(passage uint32) int32 {
	return int32(sort.Search(len(t.Runs), func(i int) bool { return t.Runs[i].First > passage })) - 1
}

// noPassage stands for a neighbour that there is not.
const noPassage = ^uint32(0)

// beside returns the passages before and behind one in its conversation.
func (t *turnTable) beside(passage uint32) (prev, next uint32) {
	r := &t.Runs[t.runOf(passage)]
	prev, next = noPassage, noPassage
	switch {
	case passage > r.First:
		prev = passage - 1
	case r.prev >= 0:
		p := &t.Runs[r.prev]
		prev = p.First + p.Count - 1
	}
	switch {
	case passage+1 < r.First+r.Count:
		next = passage + 1
	case r.next >= 0:
		next = t.Runs[r.next].First
	}
	return prev, next
}
