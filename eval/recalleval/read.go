package recalleval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
)

const (
	maxFileBytes = 1 << 30
	maxProblems  = 5 // of a file, in an error
)

// Set is a labelled set of conversations.
type Set struct{ Conversations []Conversation }

// Conversation is what is known of one person or one group: sessions, and
// questions about them.
type Conversation struct {
	ID        string
	Sessions  []process.Transcript // of each sitting, UUID, Start and Turns, and what else is known
	Questions []Question
}

// Question is asked of a conversation; the turns of the evidence answer it, and with
// no evidence nothing does.
type Question struct {
	Question   string
	Categories []string // what it is counted in, besides all
	Evidence   []string // ids of turns; those that there are not are found by nobody
	// AnyTurn: where a turn of the evidence is, any turn of its session will do.
	AnyTurn bool
	// Unseen: it is counted, and never shown.
	Unseen bool
}

// Read reads a file of either form. Errors are KindInvalid, KindTooBig and
// KindNotFound.
func Read(path string) (*Set, error) {
	const op = "read evaluation data"
	f, err := os.Open(path)
	if err != nil {
		kind := memory.KindInternal
		if os.IsNotExist(err) {
			kind = memory.KindNotFound
		}
		return nil, memory.Errorf(kind, op, "%w", err)
	}
	defer func() { _ = f.Close() }()
	raw, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	switch {
	case err != nil:
		return nil, memory.Errorf(memory.KindInternal, op, "%w", err)
	case len(raw) > maxFileBytes:
		return nil, memory.Errorf(memory.KindTooBig, op, "%s: over %d bytes", path, maxFileBytes)
	}
	set, err := Parse(raw)
	if err != nil {
		return nil, memory.Errorf(memory.KindInvalid, op, "%s: %w", path, err)
	}
	return set, nil
}

// Parse reads either form: LoCoMo's is a list of samples or one of them, the
// neutral one an object with conversations.
func Parse(raw []byte) (*Set, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return nil, fmt.Errorf("it is empty")
	}
	var set *Set
	var err error
	if raw[0] == '[' {
		var samples []locomoSample
		if err := json.Unmarshal(raw, &samples); err != nil {
			return nil, fmt.Errorf("a list that is not LoCoMo's: %w", err)
		}
		set, err = fromLocomo(samples)
	} else {
		set, err = parseObject(raw)
	}
	if err != nil {
		return nil, err
	}
	if err := set.check(); err != nil {
		return nil, err
	}
	return set, nil
}

func parseObject(raw []byte) (*Set, error) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(raw, &keys); err != nil {
		return nil, err
	}
	switch {
	case keys["conversations"] != nil:
		return parseNeutral(raw)
	case keys["qa"] != nil && keys["conversation"] != nil:
		var sample locomoSample
		if err := json.Unmarshal(raw, &sample); err != nil {
			return nil, err
		}
		return fromLocomo([]locomoSample{sample})
	}
	return nil, fmt.Errorf("neither LoCoMo (qa and conversation) nor an object with conversations")
}

// check finds what would make the figures wrong.
func (s *Set) check() error {
	var problems []string
	questions := 0
	for _, c := range s.Conversations {
		ids := map[string]bool{}
		for _, session := range c.Sessions {
			for _, t := range session.Turns {
				if t.ID == "" || ids[t.ID] {
					problems = append(problems, fmt.Sprintf("conversation %s: turn id %q is empty or there twice", c.ID, t.ID))
				}
				ids[t.ID] = true
			}
		}
		questions += len(c.Questions)
	}
	if len(problems) > 0 {
		more := ""
		if n := len(problems) - maxProblems; n > 0 {
			problems, more = problems[:maxProblems], fmt.Sprintf(" and %d more", n)
		}
		return fmt.Errorf("%s%s", strings.Join(problems, "; "), more)
	}
	if questions == 0 {
		return fmt.Errorf("no question")
	}
	return nil
}
