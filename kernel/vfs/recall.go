package vfs

import (
	"cmp"
	"context"
	"os"
	"slices"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
	"github.com/rnixfs/rnixfs/kernel/recall"
	"github.com/rnixfs/rnixfs/kernel/writeback"
)

// RecallSettings is the part of the configuration that the recall device obeys.
type RecallSettings struct {
	Enabled    bool
	MaxResults int                               // when the request names no number
	Model      func(uid uint32) *writeback.Model // that summarizes; nil, or returns nil: nobody is asked
	Deadline   time.Duration                     // of a request
}

// ConversationsFunc returns the index of the conversations of a caller's project,
// nil when there are none; it is released after the search. behind reports that more
// turns are being indexed.
type ConversationsFunc func(ctx context.Context, caller memory.Caller) (index *recall.Conversations, behind bool, err error)

// KnownFunc reports whether the caller's project has a conversation with the uuid,
// and of the agent; "" stands for any.
type KnownFunc func(ctx context.Context, caller memory.Caller, process, agent string) bool

// RecallOptions are the parts of a recall device.
type RecallOptions struct {
	Store         *store.Store
	Engine        *recall.Engine
	Conversations ConversationsFunc // nil: there are none
	Library       LibraryFunc       // of documents
	Known         KnownFunc         // nil: nothing is said of names that nobody has
	// Elsewhere are other projects of a caller's user that have conversations. Only people
	// hear of them.
	Elsewhere func(ctx context.Context, caller memory.Caller) []Elsewhere
	Settings  func() RecallSettings
	Project   ProjectFunc
}

// recallDevice searches the entries of the caller's project and of all projects, and
// the conversations of its project; never the profile.
type recallDevice struct {
	writable
	RecallOptions
}

// NewRecall returns the recall device.
func NewRecall(opts RecallOptions) Device {
	return &recallDevice{
		RecallOptions: opts,
		writable:      helpOf("recall"),
	}
}

func (d *recallDevice) Read(context.Context, memory.Caller) []byte {
	return d.help.encode("no search performed yet")
}

func (d *recallDevice) Exec(ctx context.Context, caller memory.Caller, request []byte) Result {
	var req recallRequest
	if err := memory.DecodeStrict(request, &req); err != nil {
		return d.refuse(ctx, caller, err)
	}
	reply, err := d.find(ctx, caller, req)
	if err != nil {
		return d.refuse(ctx, caller, err)
	}
	if req.Summarize && reply.Count > 0 {
		d.summarize(ctx, caller, req.Query, reply)
	}
	return Result{Body: encode(reply), OK: true}
}

func (d *recallDevice) refuse(_ context.Context, _ memory.Caller, err error) Result {
	return Failure(err, encode(struct {
		failure
		Results []RecallResult `json:"results"`
		Count   int            `json:"count"`
	}{failureOf(err), []RecallResult{}, 0}))
}

// find answers a request: it opens what can be searched, searches it, and shows what
// was found.
func (d *recallDevice) find(ctx context.Context, caller memory.Caller, req recallRequest) (*RecallReply, error) {
	set := d.Settings()
	if !set.Enabled {
		return nil, memory.Errorf(memory.KindReadOnly, "recall", "recall is switched off in memory.yaml (recall.enabled)")
	}
	q, unread, err := d.query(ctx, &caller, req, set)
	if err != nil {
		return nil, err
	}
	release := func() {}
	entries := searchesEntries(&q)
	if entries {
		var closed []Unread
		release, closed, err = d.open(ctx, &q)
		unread = append(unread, closed...)
	}
	defer release()
	defer releaseConversations(&q)
	behind, cerr := d.addConversations(ctx, caller, req.Scope, &q)
	if cerr != nil {
		unread = append(unread, unreadOf(recall.SourceConversation, "", cerr))
	}
	reading, kerr := d.addKnowledge(ctx, caller, &q)
	if kerr != nil {
		unread = append(unread, unreadOf(recall.SourceKnowledge, "", kerr))
	}
	if err := cmp.Or(err, cerr, kerr); err != nil && len(q.Conversations) == 0 && (len(q.Scopes) == 0 || !entries) {
		return nil, err
	}
	found, again, err := d.search(ctx, caller, req.Scope, &q)
	if err != nil {
		return nil, err
	}
	behind = behind || again || reading
	reply := &RecallReply{OK: true, Results: []RecallResult{}, Count: len(found.Hits), Total: max(found.Total, len(found.Hits)), Behind: behind, Meaning: found.Meaning, Unread: unread, found: &found}
	withheld := len(found.Hits) > 0 && (req.Explain || len(found.Missing) > 0) && d.Store.Withhold(ctx, req.Query)
	if len(found.Hits) > 0 && !withheld {
		reply.Missing = found.Missing
	}
	for _, h := range found.Hits {
		if withheld && req.Explain {
			h.Explanation.Withhold()
		}
		reply.Results = append(reply.Results, resultOf(h))
	}
	if len(found.Hits) == 0 {
		reply.Hint = d.unknown(ctx, caller, req)
		d.nothing(ctx, caller, &q, reply)
	}
	return reply, nil
}

// search runs a query. A damaged index of conversations is built anew, and may be behind
// then.
func (d *recallDevice) search(ctx context.Context, caller memory.Caller, scope string, q *recall.Query) (found recall.Results, behind bool, err error) {
	q.ByWords = int(caller.UID) != os.Getuid() // the server is that of the user who mounted
	found, err = d.Engine.Search(ctx, *q)
	if err != nil && len(q.Conversations) > 0 && q.Conversations[0].Damaged() {
		var more bool
		if behind, err = d.addConversations(ctx, caller, scope, q); err == nil {
			more, err = d.addKnowledge(ctx, caller, q)
		}
		if behind = behind || more; err == nil {
			found, err = d.Engine.Search(ctx, *q)
		}
	}
	return found, behind, err
}

// open opens the scopes of a query, so that the engine hears of their entries, and of
// what other processes have changed, and keeps them open until release is called.
// Those that can't be read are left out of it; the error is that of the first.
func (d *recallDevice) open(ctx context.Context, q *recall.Query) (release func(), unread []Unread, err error) {
	var held []func()
	q.Scopes = slices.DeleteFunc(q.Scopes, func(id memory.ScopeID) bool {
		free, fault := d.Store.Hold(ctx, id)
		if fault == nil {
			held = append(held, free)
			_, fault = d.Store.Reader(id).Load(ctx)
		}
		if fault != nil {
			unread = append(unread, unreadOf(recall.SourceMemory, id.Scope, fault))
		}
		err = cmp.Or(err, fault)
		return fault != nil
	})
	return func() {
		for _, free := range held {
			free()
		}
	}, unread, err
}

// nothing says what was searched, and what else there is at the caller's right.
func (d *recallDevice) nothing(ctx context.Context, caller memory.Caller, q *recall.Query, reply *RecallReply) {
	reply.Searched = &Searched{Project: caller.Project}
	for _, id := range q.Scopes {
		if !searchesEntries(q) {
			break
		}
		if v, err := d.Store.Reader(id).Load(ctx); err == nil {
			reply.Searched.Entries += len(v.Entries)
		}
	}
	for _, c := range q.Conversations {
		reply.Searched.Conversations += len(c.UUIDs())
	}
	if d.Elsewhere != nil && caller.Trust == memory.TrustHuman && !caller.Alone {
		reply.Elsewhere = d.Elsewhere(ctx, caller)
	}
}

func searchesEntries(q *recall.Query) bool {
	return len(q.Sources) == 0 || slices.Contains(q.Sources, recall.SourceMemory)
}

// unknown names the filter of a request that no turn of the project can pass, if there
// is one.
func (d *recallDevice) unknown(ctx context.Context, caller memory.Caller, req recallRequest) string {
	switch {
	case d.Known == nil:
	case req.Process != "" && !d.Known(ctx, caller, req.Process, ""):
		return "process: no conversation of this project has that uuid; rnixfs processes lists them"
	case req.Agent != "" && !d.Known(ctx, caller, "", req.Agent):
		return "agent: no conversation of this project is of that agent; rnixfs processes lists them"
	}
	return ""
}

// addConversations adds the conversations of the project, unless the request asks for
// another scope, or for entries alone.
func (d *recallDevice) addConversations(ctx context.Context, caller memory.Caller, scope string, q *recall.Query) (behind bool, err error) {
	project := scope == "" || scope == "all" || scope == "project" || scope == string(memory.ScopeProject)
	if d.Conversations == nil || !project || len(q.Sources) > 0 && !slices.Contains(q.Sources, recall.SourceConversation) {
		return false, nil
	}
	if _, err := caller.In(); err != nil {
		return false, err
	}
	releaseConversations(q)
	index, behind, err := d.Conversations(ctx, caller)
	if index != nil {
		q.Conversations = []*recall.Conversations{index}
	}
	return behind, err
}

// addKnowledge adds the documents, where they are asked for.
func (d *recallDevice) addKnowledge(ctx context.Context, caller memory.Caller, q *recall.Query) (behind bool, err error) {
	if d.Library == nil || !slices.Contains(q.Sources, recall.SourceKnowledge) {
		return false, nil
	}
	library, err := d.Library(caller)
	if err != nil {
		return false, err
	}
	index, behind, err := library.Index(ctx)
	if index != nil {
		q.Conversations = append(q.Conversations, index)
	}
	return behind, err
}

func releaseConversations(q *recall.Query) {
	for _, c := range q.Conversations {
		c.Release()
	}
	q.Conversations = nil
}
