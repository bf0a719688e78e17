package writeback

import "sync"

// statements are the statements of the texts that were asked for last: making one
// costs many times what comparing it does, and each job compares with all that is
// remembered. It is safe for concurrent use.
//
// A statement depends on its text alone and is never changed, so that what is found
// here is what would be made anew, whatever became of the entry that had the text.
type statements struct {
	most int // bound of size; of what is held, it is half

	mu   sync.Mutex
	used map[string]*statement // by text; guarded by mu
	past map[string]*statement // those that used was before it was full; guarded by mu
	size int                   // of used; guarded by mu
}

// maxStatements is for as many as a user's memory, and the texts removed from it,
// have by default, in bytes.
const maxStatements = 8 << 20

// of returns the statement of a text.
func (c *statements) of(text string) *statement {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.used[text]; s != nil {
		return s
	}
	s := c.past[text]
	if s == nil {
		s = newStatement(text)
	}
	size := sizeOf(text)
	if size > c.most {
		return s
	}
	if c.used == nil || c.size+size > c.most {
		c.used, c.past, c.size = map[string]*statement{}, c.used, 0
	}
	c.used[text] = s
	c.size += size
	return s
}

// sizeOf is about what the statement of a text takes, with the text, in bytes.
func sizeOf(text string) int { return 700 + 5*len(text) }
