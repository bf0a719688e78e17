package recall

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/recall/analysis"
)

// conversation is what is known of a conversation whose turns are in the index.
type conversation struct {
	UUID, Agent, Title string
	Start              int64  // seconds since 1970, 0 when unknown
	Turns              int    // in the index: numbers 0 to Turns-1
	End                int64  // offset behind the last of them
	Words              int64  // of all its passages
	Removed            bool   // it has nothing but its passages, which are not to be found
	Titled             string // the terms of the title, a space on either side of each

	lastRun int32  // -1: none
	first   uint32 // passage
}

func describe(p *process.Conversation) conversation {
	return conversation{UUID: p.UUID, Agent: p.Agent, Title: p.Title, Start: rowTime(p.Start)}
}

// run is a range of passages that belong to one conversation: the turns of one
// that runs alone, or is read from a history, are one run. Turns of conversations
// at the same time interleave.
type run struct {
	first, count uint32
	conversation uint32
	prev, next   int32 // runs of the same conversation, -1: none
}

// turnTable is the conversations of an index and where their passages are. It is
// small beside the turns, and is in memory; the index has it as its user data.
type turnTable struct {
	conversations []conversation
	runs          []run    // ascending, without gaps
	followed      followed // how far the changes of the store were taken in

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

// titleTerms are the words that a conversation is found by, besides those of its turns.
func titleTerms(title string) string {
	out := " "
	for _, t := range analysis.Analyze(title) {
		if !t.Stop {
			out += t.Term + " "
		}
	}
	return out
}

// storedTable is what is stored of a turnTable.
type storedTable struct {
	Conversations []conversation
	Runs          []uint32 // of each the conversation and the count
	Followed      followed
}

func (t *turnTable) encode() ([]byte, error) {
	s := storedTable{t.conversations, make([]uint32, 0, 2*len(t.runs)), t.followed}
	for _, r := range t.runs {
		s.Runs = append(s.Runs, r.conversation, r.count)
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(s); err != nil {
		return nil, fmt.Errorf("encode the conversations of the index: %w", err)
	}
	return b.Bytes(), nil
}

var errTable = errors.New("the conversations of the index don't fit it")

// decodeTable reads what encode wrote, for an index with so many passages.
func decodeTable(b []byte, passages uint32) (*turnTable, error) {
	var s storedTable
	if len(b) > 0 {
		if err := gob.NewDecoder(bytes.NewReader(b)).Decode(&s); err != nil {
			return nil, errors.Join(errTable, err)
		}
	}
	t := newTurnTable()
	t.conversations, t.followed = s.Conversations, s.Followed
	for i := range t.conversations {
		c := &t.conversations[i]
		c.lastRun = -1
		if c.Removed {
			continue
		}
		t.numbers[c.UUID] = uint32(i)
		t.count(c, 1)
		if c.Titled == "" { // stored without
			c.Titled = titleTerms(c.Title)
		}
	}
	for pair := range slices.Chunk(s.Runs, 2) {
		if len(pair) < 2 || int(pair[0]) >= len(t.conversations) {
			return nil, errTable
		}
		t.extend(pair[0], pair[1])
		if t.conversations[pair[0]].Removed {
			t.hide(&t.runs[len(t.runs)-1])
		}
	}
	if t.passages() != passages {
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

// extend gives the next passages to a conversation.
func (t *turnTable) extend(n, passages uint32) {
	c, i := &t.conversations[n], int32(len(t.runs))
	if c.lastRun < 0 {
		c.first = t.passages()
	}
	if i > 0 && c.lastRun == i-1 {
		t.runs[i-1].count += passages
		return
	}
	t.runs = append(t.runs, run{first: t.passages(), count: passages, conversation: n, prev: c.lastRun, next: -1})
	if c.lastRun >= 0 {
		t.runs[c.lastRun].next = i
	}
	c.lastRun = i
}

// hide marks the passages of a run as removed.
func (t *turnTable) hide(r *run) {
	if end := int(r.first + r.count); end > len(t.removed) {
		t.removed = append(t.removed, make([]bool, end-len(t.removed))...)
	}
	for i := range r.count {
		t.removed[r.first+i] = true
	}
	t.gone += int(r.count)
}

// isRemoved reports whether a passage was removed.
func (t *turnTable) isRemoved(passage uint32) bool {
	return int(passage) < len(t.removed) && t.removed[passage]
}

// passages is one more than the highest passage.
func (t *turnTable) passages() uint32 {
	if len(t.runs) == 0 {
		return 0
	}
	last := t.runs[len(t.runs)-1]
	return last.first + last.count
}

// live is how many passages were not removed.
func (t *turnTable) live() int { return int(t.passages()) - t.gone }

// put makes a conversation known, or brings what is known of it up to date, and
// returns its number.
func (t *turnTable) put(c conversation) uint32 {
	if n, ok := t.numbers[c.UUID]; ok {
		known := &t.conversations[n]
		if known.Title != c.Title {
			known.Titled = titleTerms(c.Title)
		}
		known.Agent, known.Title, known.Start = c.Agent, c.Title, c.Start
		return n
	}
	n := uint32(len(t.conversations))
	t.numbers[c.UUID] = n
	c.lastRun, c.Titled = -1, titleTerms(c.Title)
	t.conversations = append(t.conversations, c)
	return n
}

// grow records passages that were appended for a conversation.
func (t *turnTable) grow(n, passages uint32, turns int, end, words int64) {
	c := &t.conversations[n]
	t.count(c, -1)
	c.Turns += turns
	c.End = end
	c.Words += words
	t.count(c, 1)
	if passages > 0 {
		t.extend(n, passages)
	}
}

// remove forgets a conversation and hides its passages.
func (t *turnTable) remove(n uint32) {
	c := &t.conversations[n]
	for i := c.lastRun; i >= 0; i = t.runs[i].prev {
		t.hide(&t.runs[i])
	}
	t.count(c, -1)
	delete(t.numbers, c.UUID)
	*c = conversation{Removed: true, lastRun: c.lastRun}
}

// runOf returns the run that a passage lies in.
func (t *turnTable) runOf(passage uint32) int32 {
	return int32(sort.Search(len(t.runs), func(i int) bool { return t.runs[i].first > passage })) - 1
}

// noPassage stands for a neighbour that there is not.
const noPassage = ^uint32(0)

// beside returns the passages before and behind one in its conversation.
func (t *turnTable) beside(passage uint32) (prev, next uint32) {
	r := &t.runs[t.runOf(passage)]
	prev, next = noPassage, noPassage
	switch {
	case passage > r.first:
		prev = passage - 1
	case r.prev >= 0:
		p := &t.runs[r.prev]
		prev = p.first + p.count - 1
	}
	switch {
	case passage+1 < r.first+r.count:
		next = passage + 1
	case r.next >= 0:
		next = t.runs[r.next].first
	}
	return prev, next
}
