package recall

import (
	"sort"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// heldProcess is what is known of a process whose turns are in the index.
type heldProcess struct {
	uuid, agent, title string
	start              int64 // seconds since 1970, 0 when unknown
	turns              int   // in the index: numbers 0 to turns-1
	end                int64 // offset behind the last of them
	words              int64 // of all its passages
	removed            bool
	firstRun, lastRun  int32 // -1: none
}

// run is a range of slots that belong to one process: the turns of a process
// that runs alone, or is read from a history, are one run. Turns of processes
// that run at the same time interleave.
type run struct {
	first, count uint32
	process      uint32
	prev, next   int32 // runs of the same process, -1: none
}

// turnTable is the processes of an index and where their slots are. It is small
// beside the turns, and is in memory.
type turnTable struct {
	processes []heldProcess
	ordinals  map[string]uint32 // of the processes that were not removed
	runs      []run             // ascending, without gaps
	live      int               // processes that have turns
}

func newTurnTable() *turnTable { return &turnTable{ordinals: map[string]uint32{}} }

// reserve makes room for about n processes: growing by and by moves all of them.
func (t *turnTable) reserve(n int) {
	t.processes, t.runs = make([]heldProcess, 0, n), make([]run, 0, n)
	t.ordinals = make(map[string]uint32, n)
}

// slots is one more than the highest slot that the table knows.
func (t *turnTable) slots() uint32 {
	if len(t.runs) == 0 {
		return 0
	}
	last := t.runs[len(t.runs)-1]
	return last.first + last.count
}

// describe makes a process known, or brings what is known of it up to date, and
// returns its ordinal.
func (t *turnTable) describe(p heldProcess) uint32 {
	o, ok := t.ordinals[p.uuid]
	if !ok {
		o = uint32(len(t.processes))
		t.ordinals[p.uuid] = o
		p.firstRun, p.lastRun = -1, -1
		t.processes = append(t.processes, p)
		return o
	}
	h := &t.processes[o]
	h.agent, h.title, h.start = p.agent, p.title, p.start
	return o
}

// grow records passages that were appended for a process.
func (t *turnTable) grow(o uint32, passages uint32, turns int, end, words int64) {
	h := &t.processes[o]
	if h.turns == 0 && turns > 0 {
		t.live++
	}
	h.turns += turns
	h.end = end
	h.words += words
	if passages == 0 {
		return
	}
	last := int32(len(t.runs)) - 1
	if last >= 0 && h.lastRun == last {
		t.runs[last].count += passages
		return
	}
	r := run{first: t.slots(), count: passages, process: o, prev: h.lastRun, next: -1}
	if h.lastRun >= 0 {
		t.runs[h.lastRun].next = last + 1
	} else {
		h.firstRun = last + 1
	}
	h.lastRun = last + 1
	t.runs = append(t.runs, r)
}

// remove forgets a process and returns its slots.
func (t *turnTable) remove(o uint32) []uint32 {
	h := &t.processes[o]
	var slots []uint32
	for i := h.firstRun; i >= 0; i = t.runs[i].next {
		for s := range t.runs[i].count {
			slots = append(slots, t.runs[i].first+s)
		}
	}
	if h.turns > 0 {
		t.live--
	}
	delete(t.ordinals, h.uuid)
	*h = heldProcess{removed: true, firstRun: h.firstRun, lastRun: h.lastRun}
	return slots
}

// runOf returns the run that a slot lies in.
func (t *turnTable) runOf(slot uint32) int32 {
	return int32(sort.Search(len(t.runs), func(i int) bool { return t.runs[i].first > slot })) - 1
}

// noSlot stands for a neighbour that there is not.
const noSlot = ^uint32(0)

// beside returns the passages before and behind a slot in its process.
func (t *turnTable) beside(slot uint32) (prev, next uint32) {
	r := &t.runs[t.runOf(slot)]
	prev, next = noSlot, noSlot
	switch {
	case slot > r.first:
		prev = slot - 1
	case r.prev >= 0:
		p := &t.runs[r.prev]
		prev = p.first + p.count - 1
	}
	switch {
	case slot+1 < r.first+r.count:
		next = slot + 1
	case r.next >= 0:
		next = t.runs[r.next].first
	}
	return prev, next
}

func describe(p *process.Conversation) heldProcess {
	return heldProcess{uuid: p.UUID, agent: p.Agent, title: p.Title, start: rowTime(p.Start)}
}
