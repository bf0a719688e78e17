package llm

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/rnixfs/rnixfs/kernel/durable"
	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Budget bounds the tokens of a day, of all programs together that have the same
// file. What is spent is on disk before it is spent. A nil Budget bounds nothing.
type Budget struct {
	File string           // made when it is first needed
	Max  int              // tokens from midnight to midnight, UTC; 0: none may be spent
	Now  func() time.Time // default time.Now
}

// spent is what the file holds.
type spent struct {
	Day    string    `json:"day"` // 2027-01-31
	Tokens int       `json:"tokens"`
	Until  time.Time `json:"until,omitzero"` // nobody is asked before
}

// spend takes an estimate before it asks, and puts right afterwards what was spent: a
// server that was not reached, or that refused, has cost nothing. It asks nobody when
// there are not as many tokens left.
func (b *Budget) spend(estimate int, ask func() (text string, used int, err error)) (string, error) {
	if b != nil {
		if err := b.change(func(s *spent) error {
			switch {
			case b.now().Before(s.Until):
				return memory.Errorf(memory.KindUnavailable, opAsk, "the server wants to be left alone until %s", s.Until.Format(time.RFC3339))
			case s.Tokens+estimate > b.Max:
				return memory.Errorf(memory.KindOverLimit, opAsk, "the budget of the day (llm.max_tokens_per_day) is spent")
			}
			s.Tokens += estimate
			return nil
		}); err != nil {
			return "", err
		}
	}
	text, used, err := ask()
	switch kind := memory.KindOf(err); {
	case err == nil && used > 0:
		b.settle(used-estimate, 0)
	case err != nil && (kind == memory.KindUnavailable || kind == memory.KindDenied):
		b.settle(-estimate, 0)
	}
	return text, err
}

// settle corrects what was taken by an estimate, and has nobody asked for a while, as
// the server wants it. That it fails costs a few tokens, or a question too many.
func (b *Budget) settle(more int, pause time.Duration) {
	if b == nil {
		return
	}
	_ = b.change(func(s *spent) error {
		s.Tokens = max(0, s.Tokens+more)
		if pause > 0 {
			s.Until = b.now().Add(pause).UTC().Truncate(time.Second)
		}
		return nil
	})
}

func (b *Budget) now() time.Time {
	if b.Now != nil {
		return b.Now()
	}
	return time.Now()
}

func (b *Budget) today(raw []byte) spent {
	var s spent
	day := b.now().UTC().Format(time.DateOnly)
	if json.Unmarshal(raw, &s) != nil || s.Day != day {
		return spent{Day: day, Until: s.Until}
	}
	return s
}

// change applies fn under the lock of all programs, durably.
func (b *Budget) change(fn func(*spent) error) error {
	err := durable.MkdirAll(filepath.Dir(b.File))
	if err == nil {
		err = durable.WithLock(context.Background(), b.File+".lock", func() error { // held by nobody for long
			raw, _ := os.ReadFile(b.File) // none: nothing was spent
			s := b.today(raw)
			if err := fn(&s); err != nil {
				return err
			}
			return durable.ReplaceJSON(b.File, s)
		})
	}
	var m *memory.Error
	if err != nil && !errors.As(err, &m) {
		return memory.Errorf(memory.KindInternal, opAsk, "the budget can't be kept: %w", err)
	}
	return err
}
