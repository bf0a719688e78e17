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
	Day    string `json:"day"` // 2027-01-31
	Tokens int    `json:"tokens"`
}

// take spends tokens, or says that there are not as many left.
func (b *Budget) take(tokens int) error {
	if b == nil {
		return nil
	}
	return b.change(func(s *spent) error {
		if s.Tokens+tokens > b.Max {
			return memory.Errorf(memory.KindOverLimit, opAsk, "the budget of the day (llm.max_tokens_per_day) is spent")
		}
		s.Tokens += tokens
		return nil
	})
}

// settle corrects what was taken by an estimate. That it fails costs a few tokens
// of the budget.
func (b *Budget) settle(more int) {
	if b == nil || more == 0 {
		return
	}
	_ = b.change(func(s *spent) error {
		s.Tokens = max(0, s.Tokens+more)
		return nil
	})
}

// Spent is what was spent today.
func (b *Budget) Spent() int {
	raw, err := os.ReadFile(b.File)
	if err != nil {
		return 0
	}
	return b.today(raw).Tokens
}

func (b *Budget) today(raw []byte) spent {
	now := b.Now
	if now == nil {
		now = time.Now
	}
	var s spent
	day := now().UTC().Format(time.DateOnly)
	if json.Unmarshal(raw, &s) != nil || s.Day != day {
		return spent{Day: day}
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
