package process

import (
	"context"
	"runtime"
	"strings"
	"sync"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Redactor returns a text without its secrets, and whether it had any. An error
// means that the text could not be judged: it is not kept.
type Redactor func(ctx context.Context, text string) (clean string, masked bool, err error)

// cleaner takes the secrets out of texts before they are stored.
type cleaner struct {
	redact Redactor // nil: nothing is taken

	mu    sync.Mutex
	small map[string]redacted // guarded by mu
}

// redacted is the result of cleaning a text.
type redacted struct {
	text   string
	masked bool
}

// clean runs one text through the redactor. Invalid UTF-8 is replaced first.
func (c *cleaner) clean(ctx context.Context, text string) (redacted, error) {
	if text == "" {
		return redacted{}, nil
	}
	if c.redact == nil {
		return redacted{}, memory.Errorf(memory.KindUnavailable, "redact", "there is no scanner, so nothing is stored")
	}
	out, masked, err := c.redact(ctx, strings.ToValidUTF8(text, "\uFFFD"))
	if err != nil {
		return redacted{}, failure("redact", err)
	}
	return redacted{strings.ToValidUTF8(out, "\uFFFD"), masked}, nil
}

// The cache is for names of tools, models and branches, which recur.
const (
	maxSmall  = 128  // bytes of a text worth keeping
	maxSmalls = 1024 // texts
)

// cleanSmall is clean with a cache.
func (c *cleaner) cleanSmall(ctx context.Context, text string) (redacted, error) {
	c.mu.Lock()
	known, ok := c.small[text]
	c.mu.Unlock()
	if ok || text == "" {
		return known, nil
	}
	r, err := c.clean(ctx, text)
	if err == nil && len(text) <= maxSmall {
		c.mu.Lock()
		if c.small == nil || len(c.small) >= maxSmalls {
			c.small = map[string]redacted{}
		}
		c.small[text] = r
		c.mu.Unlock()
	}
	return r, err
}

// cleanTurns redacts the texts of turns in place, side by side, and returns the ids
// of those that had something masked.
func (c *cleaner) cleanTurns(ctx context.Context, turns []Turn) (map[string]bool, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	masked := make([]bool, len(turns))
	workers := min(runtime.GOMAXPROCS(0), 4, len(turns))
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(turns) && ctx.Err() == nil; i += workers {
				var err error
				if masked[i], err = c.cleanTurn(ctx, &turns[i]); err != nil {
					cancel(err) // the first one counts
				}
			}
		})
	}
	wg.Wait()
	ids := map[string]bool{}
	for i, t := range turns {
		if masked[i] {
			ids[t.ID] = true
		}
	}
	return ids, context.Cause(ctx)
}

func (c *cleaner) cleanTurn(ctx context.Context, t *Turn) (masked bool, err error) {
	content, err := c.clean(ctx, t.Content)
	if err != nil {
		return false, err
	}
	tool, err := c.cleanSmall(ctx, t.Tool)
	if err != nil {
		return false, err
	}
	t.Content, t.Tool = content.text, tool.text
	return content.masked || tool.masked, nil
}

// cleanDescription redacts the texts of a description.
func (c *cleaner) cleanDescription(ctx context.Context, p *Conversation) error {
	for _, field := range []*string{&p.Agent, &p.External, &p.Title, &p.Branch, &p.Model, &p.ExitReason} {
		r, err := c.cleanSmall(ctx, *field)
		if err != nil {
			return err
		}
		*field = r.text
	}
	return nil
}
