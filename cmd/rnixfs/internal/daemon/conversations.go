package daemon

import (
	"context"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/recall"
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
	s, err := process.Open(k.Paths.Conversations(uid), process.Options{UID: uid, Redact: k.Gate.RedactLong})
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
	return k.indexes.Index(ctx, store, caller.Project)
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
		return 0 // the indexes' own
	}
	return 30 * time.Second
}

// bootID names this run of the machine; "" where the kernel does not say.
func bootID() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
}
