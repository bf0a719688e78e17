package vfs

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/recall"
)

// contextRequest is the contract of the context device.
type contextRequest struct {
	Task      *string  `json:"task,omitempty"`
	MaxTokens int      `json:"max_tokens,omitempty"`
	Scopes    []string `json:"scopes,omitempty"` // of scopes, conversation, knowledge; default all scopes
	K         int      `json:"k,omitempty"`      // most chunks; 0: any number
	Agent     string   `json:"agent,omitempty"`
	Project   string   `json:"project,omitempty"`
	Road      string   `json:"road,omitempty"` // mcp: for a caller who has its tools alone
}

// contextReply is what the context device answers.
type contextReply struct {
	OK          bool     `json:"ok"`
	Context     string   `json:"context"`
	Chunks      []chunk  `json:"chunks"` // the best first
	TotalTokens int      `json:"total_tokens"`
	Sources     []string `json:"sources"` // of the chunks
	Unread      []Unread `json:"unread,omitempty"`
	Hint        string   `json:"hint,omitempty"`
}

// chunk is an entry, a turn, or a section of a document, that is shown for a task, or may be.
type chunk struct {
	Source    string  `json:"source"` // a scope, conversation, knowledge
	Key       string  `json:"key,omitempty"`
	UUID      string  `json:"uuid,omitempty"`
	Turn      int     `json:"turn,omitempty"` // of the conversation that UUID names
	URI       string  `json:"uri,omitempty"`  // of a document
	Relevance float64 `json:"relevance"`
	Tokens    int     `json:"tokens"`
	Text      string  `json:"text"`

	entry *memory.Entry
	text  string // in full
	line  string // as it is shown, "" until it is
}

const (
	taskTokens    = 4000 // of a request that does not say
	maxTaskTokens = 32000
	maxTaskFound  = 200 // results of the search that are looked at
	recentEntries = 3   // of each scope that are looked at though the search did not find them
	minTokens     = 8   // of a chunk
	maxMisses     = 200 // that are tried in vain before the room counts as full
	// foundWeight is what the search says of a chunk's relevance. It is more than half,
	// so that the best result comes before all that was not found, however new.
	foundWeight = 0.6
)

// check refuses a request that is out of range.
func (r *contextRequest) check() error {
	var reason string
	switch {
	case r.Task == nil || strings.TrimSpace(*r.Task) == "":
		reason = "task is required"
	case r.MaxTokens < 0 || r.MaxTokens > maxTaskTokens:
		reason = "max_tokens must be from 0, which stands for 4000, to 32000"
	case r.K < 0:
		reason = "k must be 0, for any number, or more"
	case len(*r.Task) > maxQueryBytes:
		return memory.Errorf(memory.KindTooBig, "context", "task is %d bytes; at most %d", len(*r.Task), maxQueryBytes)
	default:
		return nil
	}
	return memory.Errorf(memory.KindInvalid, "context", "%s", reason)
}

// assemble answers a request: gather, rank, fit.
func (d *contextDevice) assemble(ctx context.Context, caller memory.Caller, req contextRequest) (*contextReply, error) {
	if err := req.check(); err != nil {
		return nil, err
	}
	scopes, also, err := d.scopes(ctx, caller, req.Scopes)
	if err != nil {
		return nil, err
	}
	set := d.settings(ctx, caller)
	b := d.block(ctx, caller, &set, cmp.Or(req.MaxTokens, taskTokens))
	found, unread, err := d.find(ctx, caller, *req.Task, scopes, also)
	if err != nil {
		return nil, err
	}
	for _, scope := range scopes {
		entries, fault := d.list(ctx, caller, scope)
		if fault != nil {
			unread = append(unread, unreadOf(recall.SourceMemory, scope, fault))
			err = cmp.Or(err, fault)
			continue
		}
		b.sections = append(b.sections, section{scope: scope, entries: entries})
	}
	if err != nil && len(b.sections) == 0 && len(also) == 0 {
		return nil, err
	}
	reply := &contextReply{OK: true, Chunks: []chunk{}, Sources: []string{}, Unread: unread}
	open, end := b.frame("", true)
	list := b.gather(found)
	shown := b.fit(list, b.budget-memory.Tokens(open+end), req.K)
	switch {
	case len(shown) > 0:
		body := ""
		for _, c := range shown {
			body += c.line
			if !slices.Contains(reply.Sources, c.Source) {
				reply.Sources = append(reply.Sources, c.Source)
			}
		}
		reply.Context, reply.Chunks = open+body+end, shown
	case len(list) > 0:
		reply.Hint = fmt.Sprintf("nothing fits: what stands around the chunks has %d tokens", memory.Tokens(open+end))
	}
	reply.TotalTokens = memory.Tokens(reply.Context)
	return reply, nil
}

// kept are the scopes that a request names, and what else it names; or else the profile, and
// all that searches find and have something.
func (d *recallDevice) kept(ctx context.Context, caller memory.Caller, names []string) (scopes []memory.Scope, also []recall.Source, err error) {
	table := d.Store.Policies(ctx, caller)
	for _, name := range names {
		scope := table.Named(cmp.Or(scopeWords[name], memory.Scope(name)))
		source := recall.Source(name)
		switch _, known := table[scope]; {
		case source == recall.SourceConversation || source == recall.SourceKnowledge:
			also = append(also, source)
		case !known:
			known := strings.ReplaceAll(strings.Trim(fmt.Sprint(table.Scopes()), "[]"), " ", ", ")
			return nil, nil, memory.Errorf(memory.KindInvalid, "context", "unknown scope: %s; known are %s, conversation, knowledge", memory.QuoteName(name), known)
		case !slices.Contains(scopes, scope):
			scopes = append(scopes, scope)
		}
	}
	if len(names) > 0 {
		return scopes, also, nil
	}
	for _, scope := range table.Scopes() {
		id, err := memory.Resolve(caller, scope, table[scope])
		if !table[scope].Recall && scope != memory.ScopeUser {
			continue
		}
		if memory.KindOf(err) == memory.KindDenied || err == nil && d.Store.Exists(id, table[scope]) {
			scopes = append(scopes, scope) // one that is denied is told as unread
		}
	}
	return scopes, nil, nil
}

// forTask searches scopes and other sources for a task. It finds nothing where the search is
// switched off.
func (d *recallDevice) forTask(ctx context.Context, caller memory.Caller, task string, scopes []memory.Scope, also []recall.Source) (hits []recall.Hit, unread []Unread, err error) {
	if !d.Settings().Enabled {
		return nil, nil, nil
	}
	q := recall.Query{Text: task, Max: maxTaskFound, Sources: append(also, recall.SourceMemory)}
	table := d.Store.Policies(ctx, caller)
	for _, scope := range scopes {
		if id, err := d.Store.Resolve(ctx, caller, scope); err == nil && table[scope].Recall {
			q.Scopes = append(q.Scopes, id)
		}
	}
	release, _, _ := d.open(ctx, &q) // who lists the scope tells why it can't be read
	defer release()
	defer releaseConversations(&q)
	if _, err := d.addConversations(ctx, caller, "", &q); err != nil {
		unread = append(unread, unreadOf(recall.SourceConversation, "", err))
	}
	if _, err := d.addKnowledge(ctx, caller, &q); err != nil {
		unread = append(unread, unreadOf(recall.SourceKnowledge, "", err))
	}
	found, _, err := d.search(ctx, caller, "", &q)
	return found.Hits, unread, err
}
