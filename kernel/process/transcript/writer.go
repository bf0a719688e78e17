package transcript

import (
	"cmp"
	"hash/fnv"
	"iter"
	"slices"
	"strconv"

	"github.com/rnixfs/rnixfs/kernel/process"
)

const opRead = "read history"

// A chunk ends with the turn that brings it to one of these.
var (
	chunkTurns = 512
	chunkBytes = 4 << 20
)

// writer hands the turns of a file to the caller in chunks, and counts those that
// it leaves out.
type writer struct {
	yield   func(process.Transcript, error) bool
	proc    process.Conversation
	turns   []process.Turn
	size    int
	next    int // the ordinal of the next turn that has no id of its own
	seen    map[uint64]struct{}
	told    process.Conversation // as last handed over
	heard   string               // the first request, shortened: the title of a conversation without one
	skipped skips
	stopped bool // the caller wants no more
}

// read runs f with a writer, and hands over what f leaves in it. It is the body
// of every Read.
func read(f func(w *writer) error) iter.Seq2[process.Transcript, error] {
	return func(yield func(process.Transcript, error) bool) {
		w := &writer{yield: yield, skipped: skips{}}
		w.begin(process.Conversation{})
		err := f(w)
		w.flush()
		for _, skip := range w.skipped.errors() {
			w.fail(skip)
		}
		if err != nil {
			w.fail(err)
		}
	}
}

func (w *writer) fail(err error) {
	w.stopped = w.stopped || !w.yield(process.Transcript{}, err)
}

// begin ends the conversation before and starts another.
func (w *writer) begin(p process.Conversation) {
	w.flush()
	w.proc, w.told = p, process.Conversation{}
	w.seen, w.next, w.heard = map[uint64]struct{}{}, 0, ""
}

// add keeps a turn. One without an id gets one of its ordinal; one without
// content, or whose id was there, is not kept. It returns false when the caller
// wants no more.
func (w *writer) add(t process.Turn) bool {
	if t.Content == "" || w.stopped {
		return !w.stopped
	}
	if t.ID == "" {
		t.ID = ordinal(w.proc.External, w.next)
		w.next++
	}
	t.ID = handle(t.ID)
	h := fnv.New64a()
	_, _ = h.Write([]byte(t.ID))
	if _, there := w.seen[h.Sum64()]; there {
		w.skipped.add(skipDuplicate, 1)
		return true
	}
	w.seen[h.Sum64()] = struct{}{}
	if t.Tool = short(t.Tool, maxName); t.Tool == "" && t.Role == process.RoleTool {
		t.Tool = "tool"
	}
	if t.Time = sound(t.Time); !t.Time.IsZero() {
		if w.proc.Start.IsZero() || t.Time.Before(w.proc.Start) {
			w.proc.Start = t.Time
		}
		if t.Time.After(w.proc.End) {
			w.proc.End = t.Time
		}
	}
	if w.heard == "" && t.Role == process.RoleUser {
		w.heard = titleOf(t.Content)
	}
	w.turns = append(w.turns, t)
	w.size += len(t.Content)
	if len(w.turns) >= chunkTurns || w.size >= chunkBytes {
		w.flush()
	}
	return !w.stopped
}

// ordinal is the id of the n-th record of a conversation.
func ordinal(external string, n int) string {
	return external + "-" + strconv.Itoa(n)
}

// flush hands over what there is: turns, or news about a conversation that began.
func (w *writer) flush() {
	w.proc.Start, w.proc.End = sound(w.proc.Start), sound(w.proc.End)
	began := w.told != process.Conversation{}
	if w.stopped || len(w.turns) == 0 && (!began || w.proc == w.told) {
		return
	}
	c := process.Transcript{Conversation: w.proc, Turns: slices.Clone(w.turns)}
	c.Title = cmp.Or(c.Title, w.heard)
	w.turns, w.size, w.told = w.turns[:0], 0, w.proc
	w.stopped = !w.yield(c, nil)
}
