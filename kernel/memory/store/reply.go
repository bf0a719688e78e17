package store

import (
	"cmp"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Reply is the answer to a [Request].
type Reply struct {
	OK      bool   `json:"ok"`
	Message string `json:"message,omitempty"`
	Failure
	Warnings  []memory.Finding `json:"warnings,omitempty"` // what was masked, or let through with a warning
	Target    memory.Scope     `json:"target,omitempty"`
	Folder    string           `json:"folder,omitempty"` // add, capacity: where the target's files lie
	ID        string           `json:"id,omitempty"`
	Key       string           `json:"key,omitempty"`
	Revision  int64            `json:"revision,omitempty"`
	Duplicate string           `json:"duplicate_of,omitempty"` // add: id of an older entry with the same content
	Evicted   []string         `json:"evicted,omitempty"`      // ids that made room
	Replayed  bool             `json:"replayed,omitempty"`     // answered from an earlier request with this idempotency key
	Snapshot  *string          `json:"snapshot,omitempty"`
	Entry     *memory.Entry    `json:"entry,omitempty"`
	Page
	Count   *int             `json:"count,omitempty"` // list, history, capacity: how many there are in all
	History *[]memory.Record `json:"history,omitempty"`
	Results []Applied        `json:"results,omitempty"` // batch, in the order of its ops; also, a target each
	Room
	did memory.Action // to the one entry
}

// Failure is why a request failed.
type Failure struct {
	Code     string           `json:"code,omitempty"`  // Kind.Code
	Error    string           `json:"error,omitempty"` // why
	Hint     string           `json:"hint,omitempty"`  // what to do about it
	Findings []memory.Finding `json:"findings,omitempty"`
}

// Room is how much of a scope is used, in runes of content; every reply has it.
type Room struct {
	Used       int `json:"used"`
	Limit      int `json:"limit"`
	Remaining  int `json:"remaining"`
	EntryLimit int `json:"entry_limit,omitempty"` // most entries, where the policy bounds them
}

func roomOf(used int, policy memory.Policy) Room {
	return Room{used, policy.Runes, max(policy.Runes-used, 0), policy.Entries}
}

// Applied is what one operation of a batch did.
type Applied struct {
	Target   memory.Scope  `json:"target,omitempty"` // with also
	Action   memory.Action `json:"action"`
	ID       string        `json:"id"`
	Key      string        `json:"key"`
	Revision int64         `json:"revision"`
}

// job is a request on its way, with the reply that it fills.
type job struct {
	s      *Store
	req    Request
	id     memory.ScopeID
	policy memory.Policy
	actor  memory.Source
	person bool      // a person asks
	dry    bool      // nothing is to be done
	said   time.Time // when a person said it in a conversation
	also   []job     // the same request, for further scopes
	reply  *Reply

	imported bool          // from another system: see Import
	trial    *memory.State // what the import changes in place of the scope
}

// fail makes r the reply to a request that failed.
func (r *Reply) fail(err error) {
	k := memory.KindOf(err)
	r.OK, r.Code, r.Error = false, k.Code(), memory.ReasonOf(err)
	if e, ok := errors.AsType[*memory.Error](err); ok {
		r.Findings, r.Hint = e.Findings, e.Hint
	}
	switch k {
	case memory.KindRejected:
		r.Hint = "store where the secret lives (a vault path, the name of a variable), not the secret"
		if len(r.Findings) > 0 && r.Findings[0].Hint != "" {
			r.Hint = r.Findings[0].Hint
		}
		r.Hint += "; for a false alarm, reword it, or ask the person to allow it: rnixfs allow --last, in a terminal of theirs"
	case memory.KindOverLimit:
		r.Hint = "remove or shorten entries (action list shows them), or raise the limit in memory.yaml"
	case memory.KindConflict:
		if strings.Contains(r.Error, "expected_revision") {
			r.Hint = "read the entry again (action get) and decide on its newest revision"
		}
	case memory.KindNotFound:
		if r.Hint != "" {
			break
		}
		r.Hint = "action list shows the entries of this target with their ids and keys; old must equal a whole text"
	}
}

// describe says what a change did, in the words of the reference system.
func describe(reply *Reply, req Request, res memory.Result) {
	reply.Replayed = res.Replayed
	var own []memory.Step
	for _, st := range res.Steps {
		switch st.Action {
		case memory.ActionEvict:
			reply.Evicted = append(reply.Evicted, st.Before.ID)
		case memory.ActionExpire, memory.ActionArchive:
		default:
			own = append(own, st)
		}
	}
	if req.Action == string(memory.ActionClear) {
		n := len(own)
		reply.Count, reply.Message = &n, entries(n)+" removed from "+string(reply.Target)
		return
	}
	for _, st := range own {
		e := cmp.Or(st.After, st.Before)
		reply.Results = append(reply.Results, Applied{Action: st.Action, ID: e.ID, Key: e.Key, Revision: e.Revision})
	}
	if req.Action == actionBatch {
		reply.Message = "batch of " + strconv.Itoa(len(own)) + " applied to " + string(reply.Target)
		return
	}
	reply.did = memory.Action(req.Action)
	if len(reply.Results) == 1 {
		a := reply.Results[0]
		reply.ID, reply.Key, reply.Revision, reply.Results = a.ID, a.Key, a.Revision, nil
		reply.Duplicate, reply.did = own[0].Duplicate, a.Action
	}
	reply.Message = message(reply.did, reply.Target)
}

// entries says how many entries there are.
func entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return strconv.Itoa(n) + " entries"
}

func message(a memory.Action, scope memory.Scope) string {
	verb := map[memory.Action][2]string{
		memory.ActionAdd:     {"added", "to"},
		memory.ActionReplace: {"replaced", "in"},
		memory.ActionRemove:  {"removed", "from"},
		memory.ActionRestore: {"restored", "in"},
		memory.ActionAppend:  {"extended", "in"},
	}[a]
	if scope == memory.ScopeUser {
		return "user profile entry " + verb[0]
	}
	return "entry " + verb[0] + " " + verb[1] + " " + string(scope)
}
