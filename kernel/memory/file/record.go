package file

import (
	"bytes"
	"encoding/json"
	"errors"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/yamldoc"
)

// record is one change as journal.jsonl and .wal have it. Its fields are on
// users' disks: names are never changed, only added.
type record struct {
	Seq            int64         `json:"seq"`
	Time           time.Time     `json:"time"`
	Actor          memory.Source `json:"actor,omitzero"`
	Action         memory.Action `json:"action"` // of its first step
	IdempotencyKey string        `json:"idempotency_key,omitempty"`
	Digest         string        `json:"digest,omitempty"`
	Used           int           `json:"used"` // runes after the change
	Steps          []recordStep  `json:"steps"`

	// Of a line that stands for changes which are in no journal any more. It has
	// no steps.
	Lost int64  `json:"lost,omitempty"` // how many changes, the one numbered Seq the last of them
	Kept string `json:"kept,omitempty"` // the file that the damaged journal is kept in
}

// actionLost is the action of a line with Lost.
const actionLost memory.Action = "lost"

// recordStep is one entry's part. Of several steps on one file the last holds.
type recordStep struct {
	Action memory.Action `json:"action"`
	File   string        `json:"file"`           // its file after the step; before it, for one that is gone
	From   string        `json:"from,omitempty"` // its file before, when that was another
	Left   string        `json:"left,omitempty"` // as From, where another entry has that file now
	Hash   string        `json:"hash,omitempty"` // of the file's bytes; none when the entry is gone
	Says   string        `json:"says,omitempty"` // of an edit: the id in the file, where it is another entry's
	Before *memory.Entry `json:"before,omitempty"`
	After  *memory.Entry `json:"after,omitempty"`
}

// named is the id that the file of a step names, as far as the step tells.
func (s recordStep) named() string {
	if s.Says != "" || s.After == nil {
		return s.Says
	}
	return s.After.ID
}

// first is the number of the first change that the record stands for.
func (r *record) first() int64 { return r.Seq - max(r.Lost, 1) + 1 }

func (r *record) steps() []memory.Step {
	steps := make([]memory.Step, len(r.Steps))
	for i, s := range r.Steps {
		steps[i] = memory.Step{Action: s.Action, Before: s.Before, After: s.After, By: r.Actor, At: r.Time}
	}
	return steps
}

func (r *record) result() memory.Result {
	return memory.Result{Sequence: r.Seq, Steps: r.steps(), Used: r.Used}
}

// line is the record as one line of JSON with its newline, sealed.
func (r *record) line(k key) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return nil, err
	}
	if b.Len() > maxLine/2 {
		return nil, memory.Errorf(memory.KindTooBig, string(r.Action), "the change is too large for the journal; make it in several")
	}
	line := bytes.TrimSuffix(b.Bytes(), []byte("}\n"))
	return append(line, k.tail(line)...), nil
}

const maxLine = 32 << 20 // bytes of a line of a journal

var errRecord = errors.New("not a journal line")

// parseRecord reads a line that was sealed with the key.
func parseRecord(k key, line []byte) (*record, error) {
	if !k.sealed(line) {
		return nil, errRecord
	}
	var r record
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	if err := dec.Decode(&r); err != nil {
		return nil, errors.Join(errRecord, err)
	}
	if dec.More() || r.Seq <= 0 || r.Lost < 0 || r.Lost > r.Seq || (len(r.Steps) == 0) != (r.Lost > 0) {
		return nil, errRecord
	}
	for i := range r.Steps {
		s := &r.Steps[i]
		if s.Before == nil && s.After == nil || !isEntryName(s.File) || bytes.ContainsRune([]byte(s.File+s.From+s.Left), '/') {
			return nil, errRecord
		}
		for _, e := range []*memory.Entry{s.Before, s.After} {
			if e == nil {
				continue
			}
			if e.ID == "" || e.Key == "" {
				return nil, errRecord
			}
			numbers(e.Metadata)
			numbers(e.Extra)
		}
	}
	return &r, nil
}

// numbers makes JSON's numbers those of yamldoc, so that an entry is the same
// from its file and from the journal.
func numbers(m map[string]any) map[string]any {
	for k, v := range m {
		m[k] = number(v)
	}
	return m
}

func number(v any) any {
	switch x := v.(type) {
	case json.Number:
		return yamldoc.Number(string(x))
	case map[string]any:
		return numbers(x)
	case []any:
		for i := range x {
			x[i] = number(x[i])
		}
	}
	return v
}
