package daemon

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/recall"
	"github.com/rnixfs/rnixfs/kernel/scanner"
)

// conversations are the stores of past and running processes, one a user.
type conversations struct {
	mu     sync.Mutex
	stores map[uint32]*process.Store
}

// Conversations returns the store of a user's conversations.
func (k *Kernel) Conversations(uid uint32) (*process.Store, error) {
	c := &k.conversations
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.stores[uid]; s != nil {
		return s, nil
	}
	s, err := process.Open(k.Paths.Conversations(uid), process.Options{UID: uid, Redact: k.gate.cleanConversation})
	if err != nil {
		return nil, err
	}
	if c.stores == nil {
		c.stores = map[uint32]*process.Store{}
	}
	c.stores[uid] = s
	return s, nil
}

// conversationIndex is the index of the conversations of a caller's project.
func (k *Kernel) conversationIndex(ctx context.Context, caller memory.Caller) (*recall.Conversations, bool, error) {
	store, err := k.Conversations(caller.UID)
	if err != nil {
		return nil, false, err
	}
	return k.library.Index(ctx, store, caller.Project)
}

// maxLookedAt bounds the conversations that are opened to find one of an agent.
const maxLookedAt = 2000

// knownConversation implements vfs.KnownFunc. What can't be found out counts as
// known.
func (k *Kernel) knownConversation(ctx context.Context, caller memory.Caller, uuid, agent string) bool {
	store, err := k.Conversations(caller.UID)
	if err != nil {
		return true
	}
	if uuid != "" {
		p, err := store.Conversation(ctx, caller.Project, uuid)
		if kind := memory.KindOf(err); err != nil {
			return kind != memory.KindNotFound && kind != memory.KindInvalid
		}
		return agent == "" || p.Agent == agent
	}
	n := 0
	for p, err := range store.Conversations(ctx, caller.Project) {
		if n++; err != nil || p.Agent == agent || n > maxLookedAt {
			return true
		}
	}
	return false
}

// patience is how long a search waits for conversations that were not indexed yet:
// a program that lives for one request has no later.
func patience(opts Options) time.Duration {
	if opts.Watch {
		return 0 // the library's own
	}
	return 30 * time.Second
}

// bootID names this run of the machine; "" where the kernel does not say.
func bootID() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
}

// Conversations is the folder of a user's conversations. Those of other users, who
// reach this mount by allow_other, lie apart from the owner's.
func (p Paths) Conversations(uid uint32) string {
	if int(uid) == os.Getuid() {
		return p.Data
	}
	return filepath.Join(p.Data, "users", strconv.FormatUint(uint64(uid), 10))
}

// withheld stands for a text of a conversation that the scanner can't judge:
// that one text is not kept, and the conversation is.
const withheld = "[withheld: the scanner could not judge this text]"

const (
	// pieceSize is how much of a long text is judged at once, in bytes: well
	// below the scanner's bound, and its time for one text.
	pieceSize = 96 << 10
	// seamSize is looked at again on both sides of a cut, because a secret may
	// lie across it. A private key of 16384 bits has 13 KiB.
	seamSize = 16 << 10
)

// cleanConversation is the gate as conversations need it: secrets are masked, and
// a text may be long.
func (g *gate) cleanConversation(ctx context.Context, text string) (string, bool, error) {
	s, err := g.wait(ctx)
	if err != nil {
		return "", false, err
	}
	out, err := cleanLong(ctx, s, text)
	var f *scanner.Failure
	switch {
	case err == nil:
		return out, out != text, nil
	case ctx.Err() != nil:
		return "", false, ctx.Err()
	case errors.As(err, &f) && (f.Reason == scanner.ReasonTooLarge || f.Reason == scanner.ReasonEncoding || f.Reason == scanner.ReasonRedaction):
		return withheld, true, nil
	}
	return "", false, scanFailure(err)
}

type masker interface {
	Redact(ctx context.Context, text string) (string, error)
}

// cleanLong redacts a text in pieces, and again around each cut.
func cleanLong(ctx context.Context, s masker, text string) (string, error) {
	if len(text) <= pieceSize {
		return s.Redact(ctx, text)
	}
	var out []byte
	for text != "" {
		n := cut(text)
		piece, err := s.Redact(ctx, text[:n])
		if err != nil {
			return "", err
		}
		text = text[n:]
		left, right := max(len(out)-seamSize, 0), min(seamSize, len(piece))
		for left > 0 && left < len(out) && !utf8.RuneStart(out[left]) {
			left--
		}
		for right < len(piece) && !utf8.RuneStart(piece[right]) {
			right++
		}
		seam := string(out[left:]) + piece[:right]
		if len(out) > 0 {
			if seam, err = s.Redact(ctx, seam); err != nil {
				return "", err
			}
		}
		out = append(append(out[:left], seam...), piece[right:]...)
	}
	return string(out), nil
}

// cut is where the next piece of a text ends: behind a line if one ends in its
// second half, else between two characters.
func cut(text string) int {
	if len(text) <= pieceSize {
		return len(text)
	}
	if i := strings.LastIndexByte(text[:pieceSize], '\n'); i > pieceSize/2 {
		return i + 1
	}
	n := pieceSize
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return max(n, 1)
}
