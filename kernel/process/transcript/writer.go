package transcript

import (
	"context"
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

// writer hands the turns of a file to the caller in chunks, and counts what was
// left out.
type writer struct {
	yield   func(process.Transcript, error) bool
	proc    process.Conversation
	turns   []process.Turn
	size    int
	next    int // the ordinal of the next turn that has no id of its own
	seen    map[uint64]struct{}
	told    process.Conversation // as last handed over
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
	w.seen, w.next = map[uint64]struct{}{}, 0
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
	w.turns, w.size, w.told = w.turns[:0], 0, w.proc
	w.stopped = !w.yield(c, nil)
}

// lines reads the lines of a file that decode as objects into T, and counts those
// that do not. The last line may be torn: nothing is said of it.
func lines[T any](ctx context.Context, w *writer, path string, f func(line, *T) bool) error {
	file, err := open(opRead, path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	return eachLine(ctx, file, func(l line) bool {
		record, ok := parse[T](w, l)
		return !ok || f(l, record)
	})
}

// firstLine returns the first line of a file when it is an object by itself, as
// in JSONL, and nil when the file is one document over several lines.
func firstLine[T any](ctx context.Context, path string) (*T, error) {
	file, err := open(opRead, path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	var first *T
	err = eachLine(ctx, file, func(l line) bool {
		if record, ok := parse[T](&writer{skipped: skips{}}, l); ok {
			first = record
		}
		return false
	})
	return first, err
}

func parse[T any](w *writer, l line) (*T, bool) {
	if l.long {
		w.skipped.add(skipTooLong, 1)
		return nil, false
	}
	record := new(T)
	if !isObject(l.text) || decode(l.text, record) != nil {
		if !l.torn {
			w.skipped.add(skipUnparsable, 1)
		}
		return nil, false
	}
	return record, true
}
