package vfs

import (
	"cmp"
	"context"
	"errors"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/recall"
)

// maxQueryBytes bounds the text of a query.
const maxQueryBytes = 16 << 10

// recallRequest is the contract of the recall device.
type recallRequest struct {
	Query      string   `json:"query"`
	MaxResults int      `json:"max_results,omitempty"`
	Summarize  bool     `json:"summarize,omitempty"`
	Scope      string   `json:"scope,omitempty"`   // all (default), project, global
	Sources    []string `json:"sources,omitempty"` // memory, conversation, knowledge; default the first two
	Role       string   `json:"role,omitempty"`
	Process    string   `json:"process,omitempty"` // uuid
	Agent      string   `json:"agent,omitempty"`
	Tags       []string `json:"tags,omitempty"`
	Category   string   `json:"category,omitempty"`
	Categories []string `json:"categories,omitempty"` // besides Category
	Type       string   `json:"type,omitempty"`
	Since      string   `json:"since,omitempty"` // RFC 3339
	Until      string   `json:"until,omitempty"` // RFC 3339
	Explain    bool     `json:"explain,omitempty"`
	Project    string   `json:"project,omitempty"`
}

// scopeWords are short names of scopes in requests.
var scopeWords = map[string]memory.Scope{"project": memory.ScopeProject, "global": memory.ScopeGlobal}

// query makes the query of a request, and narrows the caller to the project that it
// names. What can't be searched for this caller is unread.
func (d *recallDevice) query(ctx context.Context, caller *memory.Caller, req recallRequest, set RecallSettings) (q recall.Query, unread []Unread, err error) {
	q = recall.Query{
		Text: req.Query, Max: req.MaxResults, Tags: req.Tags, Categories: req.Categories, Type: req.Type, Explain: req.Explain,
		Role: process.Role(req.Role), Process: req.Process, Agent: req.Agent, Fold: true,
	}
	if req.Category != "" {
		q.Categories = append(q.Categories, req.Category)
	}
	for _, name := range req.Sources {
		source := recall.Source(name)
		if source != recall.SourceMemory && source != recall.SourceConversation && source != recall.SourceKnowledge {
			return q, nil, memory.Errorf(memory.KindInvalid, "recall", `unknown source; it is "memory", "conversation" or "knowledge"`)
		}
		q.Sources = append(q.Sources, source)
	}
	if q.Role != "" && !q.Role.Valid() {
		return q, nil, memory.Errorf(memory.KindInvalid, "recall", `unknown role; it is "user", "assistant", "tool" or "system"`)
	}
	if q.Max <= 0 {
		q.Max = set.MaxResults
	}
	if len(req.Query) > maxQueryBytes {
		return q, nil, memory.Errorf(memory.KindTooBig, "recall", "query is %d bytes; at most %d", len(req.Query), maxQueryBytes)
	}
	if err := narrow(caller, req.Project, d.Project); err != nil {
		return q, nil, err
	}
	if q.Scopes, unread, err = d.scopes(ctx, *caller, req.Scope); err != nil {
		return q, nil, err
	}
	q.Since, err = memory.ParseTime("recall", "since", req.Since)
	until, err2 := memory.ParseTime("recall", "until", req.Until)
	q.Until = until
	return q, unread, errors.Join(err, err2)
}

// scopes are those that a search is of. A session or an agent that is not known, or
// has no memory, is left out, unless its scope was asked for; so is the project of a
// caller that can't be seen, as unread: what is global is the user's wherever they are.
func (d *recallDevice) scopes(ctx context.Context, caller memory.Caller, asked string) (ids []memory.ScopeID, unread []Unread, err error) {
	name := cmp.Or(scopeWords[asked], memory.Scope(asked))
	if asked == "all" {
		name = ""
	}
	table := d.Store.Policies(ctx, caller)
	name = table.Named(name)
	for _, scope := range table.Scopes() {
		if !table[scope].Recall || name != "" && scope != name {
			continue
		}
		id, err := memory.Resolve(caller, scope, table[scope])
		switch {
		case err != nil && name != "":
			return nil, nil, err
		case memory.KindOf(err) == memory.KindDenied:
			unread = append(unread, unreadOf(recall.SourceMemory, scope, err))
		case err == nil && (name != "" || d.Store.Exists(id, table[scope])):
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil, nil, memory.Errorf(memory.KindInvalid, "recall", `unknown scope; it is "all", "project", "global", or a scope of memory.yaml that recall finds`)
	}
	return ids, unread, nil
}
