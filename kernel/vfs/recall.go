package vfs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/recall"
)

// maxQueryBytes bounds the text of a query; longer ones are no questions.
const maxQueryBytes = 16 << 10

// RecallSettings is what of the configuration the recall device obeys.
type RecallSettings struct {
	Enabled    bool
	MaxResults int // when the request names no number
}

// recallRequest is the contract of the recall device.
type recallRequest struct {
	Query      string   `json:"query"`
	MaxResults int      `json:"max_results,omitempty"`
	Summarize  bool     `json:"summarize,omitempty"`
	Scope      string   `json:"scope,omitempty"`   // all (default), project, global
	Sources    []string `json:"sources,omitempty"` // memory, conversation; default both
	Role       string   `json:"role,omitempty"`
	Process    string   `json:"process,omitempty"` // uuid
	Agent      string   `json:"agent,omitempty"`
	Tags       []string `json:"tags,omitempty"`
	Category   string   `json:"category,omitempty"`
	Type       string   `json:"type,omitempty"`
	Since      string   `json:"since,omitempty"` // RFC 3339
	Until      string   `json:"until,omitempty"` // RFC 3339
	Explain    bool     `json:"explain,omitempty"`
	Project    string   `json:"project,omitempty"`
}

type recallReply struct {
	OK      bool           `json:"ok"`
	Results []recallResult `json:"results"`
	Summary string         `json:"summary,omitempty"`
	// Sentences are what Summary is made of, and where each comes from.
	Sentences []summarySentence `json:"summary_sentences,omitempty"`
	Count     int               `json:"count"` // of the results shown
	Total     int               `json:"total"` // of the matches there are
	// Behind: turns of conversations are still being indexed.
	Behind bool `json:"behind,omitempty"`
	// Unread is what could not be searched.
	Unread []unreadSource `json:"unread,omitempty"`
	// Hint says why nothing can be found, where that is known.
	Hint string `json:"hint,omitempty"`
}

type unreadSource struct {
	Source string       `json:"source"` // memory, conversation
	Target memory.Scope `json:"target,omitempty"`
	Code   string       `json:"code"`
	Error  string       `json:"error"`
}

type summarySentence struct {
	Text   string `json:"text"`
	Source string `json:"source,omitempty"`
	UUID   string `json:"uuid,omitempty"`
	Turn   int    `json:"turn,omitempty"`
}

type recallResult struct {
	UUID      string       `json:"uuid"`
	Summary   string       `json:"summary"` // the entry's whole text; of a turn, the snippet
	Timestamp time.Time    `json:"timestamp,omitzero"`
	Source    string       `json:"source"` // memory, conversation
	Target    memory.Scope `json:"target,omitempty"`
	Key       string       `json:"key,omitempty"`
	Turn      int          `json:"turn,omitempty"` // from 1, in the conversation that UUID names
	Role      process.Role `json:"role,omitempty"`
	Title     string       `json:"title,omitempty"`
	Agent     string       `json:"agent,omitempty"`
	Score     float64      `json:"score"`
	Snippet   string       `json:"snippet"`
	Marks     [][2]int     `json:"marks,omitempty"` // where the query's words are in it: bytes, from and to
	Category  string       `json:"category,omitempty"`
	Tags      []string     `json:"tags,omitempty"`
	Trust     memory.Trust `json:"trust,omitempty"`
	Explain   any          `json:"explain,omitempty"`
}

// ConversationsFunc returns the index of the conversations of a caller's project,
// nil when there are none. Behind says that more are being indexed.
type ConversationsFunc func(ctx context.Context, caller memory.Caller) (index *recall.Conversations, behind bool, err error)

// KnownFunc reports whether the caller's project has a conversation with the uuid,
// and of the agent; "" stands for any.
type KnownFunc func(ctx context.Context, caller memory.Caller, process, agent string) bool

// RecallOptions is what a recall device works on.
type RecallOptions struct {
	Store         *store.Store
	Engine        *recall.Engine
	Conversations ConversationsFunc // nil: there are none
	Known         KnownFunc         // nil: nothing is said of names that nobody has
	Summarizer    recall.Summarizer // nil: sentences are taken from the results
	Settings      func() RecallSettings
	Project       ProjectFunc
}

// recallDevice searches what the caller may see: the entries of its project and
// of all projects, and the conversations of its project. The profile is never among
// them.
type recallDevice struct {
	RecallOptions
	help help
}

// NewRecall returns the recall device.
func NewRecall(opts RecallOptions) Device {
	return &recallDevice{
		RecallOptions: opts,
		help: help{
			Device: "recall",
			About:  "searches what is remembered: write one JSON object, then read this file for the results, best first",
			Fields: []fieldHelp{
				{"query", "required; plain words, no syntax"},
				{"max_results", "at most so many (default 20)"},
				{"summarize", "true: also a short digest of the best results"},
				{"scope", `"all" (default: this project and what is global), "project" or "global"`},
				{"sources", `a list of "memory" (entries) and "conversation" (turns); default both`},
				{"role, process, agent", "only turns by that role, of the conversation with that uuid, of that agent"},
				{"tags, category, type", "only entries that have them"},
				{"since, until", "only entries changed, and turns said, in that time (RFC 3339)"},
				{"explain", "true: how each score came about"},
				{"project", "a project inside the caller's own"},
			},
			Example: `echo '{"query":"how do we sign tokens"}' > recall; cat recall`,
		},
	}
}

func (d *recallDevice) Name() string   { return "recall" }
func (d *recallDevice) Writable() bool { return true }

func (d *recallDevice) Read(context.Context, memory.Caller) []byte {
	return d.help.encode("no search performed yet")
}

func (d *recallDevice) Space(context.Context, memory.Caller) (total, free int, ok bool) {
	return 0, 0, false
}

func (d *recallDevice) Exec(ctx context.Context, caller memory.Caller, request []byte) Result {
	reply, err := d.search(ctx, caller, request)
	if err != nil {
		return d.refuse(ctx, caller, err)
	}
	return Result{Body: encode(reply), OK: true}
}

func (d *recallDevice) refuse(_ context.Context, _ memory.Caller, err error) Result {
	return Failure(err, encode(struct {
		failure
		Results []recallResult `json:"results"`
		Count   int            `json:"count"`
	}{failure{Code: memory.KindOf(err).Code(), Error: memory.ReasonOf(err)}, []recallResult{}, 0}))
}

func (d *recallDevice) search(ctx context.Context, caller memory.Caller, request []byte) (*recallReply, error) {
	var req recallRequest
	if err := memory.DecodeStrict(request, &req); err != nil {
		return nil, err
	}
	return d.find(ctx, caller, req)
}

func (d *recallDevice) find(ctx context.Context, caller memory.Caller, req recallRequest) (*recallReply, error) {
	set := d.Settings()
	if !set.Enabled {
		return nil, memory.Errorf(memory.KindReadOnly, "recall", "recall is switched off in memory.yaml (recall.enabled)")
	}
	q, err := d.query(ctx, &caller, req, set)
	if err != nil {
		return nil, err
	}
	release, unread, err := d.open(ctx, &q)
	defer release()
	entries := len(q.Sources) == 0 || slices.Contains(q.Sources, recall.SourceMemory)
	if !entries {
		unread, err = nil, nil
	}
	behind, cerr := d.addConversations(ctx, caller, req.Scope, &q)
	if cerr != nil {
		unread = append(unread, unreadOf(recall.SourceConversation, "", cerr))
	}
	if err := cmp.Or(err, cerr); err != nil && len(q.Conversations) == 0 && (len(q.Scopes) == 0 || !entries) {
		return nil, err
	}
	found, err := d.Engine.Search(ctx, q)
	if err != nil && len(q.Conversations) > 0 && q.Conversations[0].Damaged() {
		if behind, err = d.addConversations(ctx, caller, req.Scope, &q); err == nil { // built anew
			found, err = d.Engine.Search(ctx, q)
		}
	}
	if err != nil {
		return nil, err
	}
	reply := &recallReply{OK: true, Results: []recallResult{}, Count: len(found.Hits), Total: max(found.Total, len(found.Hits)), Behind: behind, Unread: unread}
	for _, h := range found.Hits {
		reply.Results = append(reply.Results, resultOf(h))
	}
	if len(found.Hits) == 0 {
		reply.Hint = d.unknown(ctx, caller, req)
	}
	if req.Summarize {
		if err := d.summarize(ctx, req.Query, found.Hits, reply); err != nil {
			return nil, err
		}
	}
	return reply, nil
}

// open opens the scopes of a query, so that the engine hears of their entries, and of
// what other processes have changed, and keeps them open until release is called.
// Those that can't be read are left out of it; the error is that of the first.
func (d *recallDevice) open(ctx context.Context, q *recall.Query) (release func(), unread []unreadSource, err error) {
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

func unreadOf(source recall.Source, target memory.Scope, err error) unreadSource {
	return unreadSource{string(source), target, memory.KindOf(err).Code(), memory.ReasonOf(err)}
}

// unknown says which filter of a request nothing can pass, whatever is asked for.
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

func (d *recallDevice) summarize(ctx context.Context, query string, hits []recall.Hit, reply *recallReply) error {
	s, err := recall.Fallback{First: d.Summarizer}.Summarize(ctx, query, hits, summaryRunes)
	if err != nil {
		return err
	}
	reply.Summary = s.Text
	for _, x := range s.Sentences {
		out := summarySentence{Text: x.Text, Source: string(x.Source), UUID: x.ID}
		if x.Source == recall.SourceConversation {
			out.Turn = x.Turn + 1
		}
		reply.Sentences = append(reply.Sentences, out)
	}
	return nil
}

// addConversations adds those of the project, unless another scope was asked for, or
// only entries.
func (d *recallDevice) addConversations(ctx context.Context, caller memory.Caller, scope string, q *recall.Query) (behind bool, err error) {
	project := scope == "" || scope == "all" || scope == "project" || scope == string(memory.ScopeProject)
	if d.Conversations == nil || !project || len(q.Sources) > 0 && !slices.Contains(q.Sources, recall.SourceConversation) {
		return false, nil
	}
	index, behind, err := d.Conversations(ctx, caller)
	if index != nil {
		q.Conversations = []*recall.Conversations{index}
	}
	return behind, err
}

// summaryRunes is the budget of a summary.
const summaryRunes = 1200

// query makes the query of a request, and narrows the caller to the project that it
// names.
func (d *recallDevice) query(ctx context.Context, caller *memory.Caller, req recallRequest, set RecallSettings) (recall.Query, error) {
	q := recall.Query{
		Text: req.Query, Max: req.MaxResults, Tags: req.Tags, Category: req.Category, Type: req.Type, Explain: req.Explain,
		Role: process.Role(req.Role), Process: req.Process, Agent: req.Agent,
	}
	for _, name := range req.Sources {
		source := recall.Source(name)
		if source != recall.SourceMemory && source != recall.SourceConversation {
			return q, memory.Errorf(memory.KindInvalid, "recall", `unknown source; it is "memory" or "conversation"`)
		}
		q.Sources = append(q.Sources, source)
	}
	if q.Role != "" && !q.Role.Valid() {
		return q, memory.Errorf(memory.KindInvalid, "recall", `unknown role; it is "user", "assistant", "tool" or "system"`)
	}
	if q.Max <= 0 {
		q.Max = set.MaxResults
	}
	if len(req.Query) > maxQueryBytes {
		return q, memory.Errorf(memory.KindTooBig, "recall", "query is %d bytes; at most %d", len(req.Query), maxQueryBytes)
	}
	project, err := narrow(caller.Project, req.Project, d.Project)
	if err != nil {
		return q, err
	}
	caller.Project = project
	if q.Scopes, err = d.scopes(ctx, *caller, req.Scope); err != nil {
		return q, err
	}
	q.Since, err = timeField("since", req.Since)
	until, err2 := timeField("until", req.Until)
	q.Until = until
	return q, errors.Join(err, err2)
}

// scopes are those that a search is of. A session or an agent that is not known, or
// has no memory, is left out, unless its scope was asked for.
func (d *recallDevice) scopes(ctx context.Context, caller memory.Caller, asked string) (ids []memory.ScopeID, err error) {
	name := memory.Scope(asked)
	switch asked {
	case "all":
		name = ""
	case "project":
		name = memory.ScopeProject
	case "global":
		name = memory.ScopeGlobal
	}
	table := d.Store.Policies(ctx, caller)
	for _, scope := range table.Scopes() {
		if !table[scope].Recall || name != "" && scope != name {
			continue
		}
		id, err := memory.Resolve(caller, scope, table[scope])
		switch {
		case err != nil && name != "":
			return nil, err
		case err == nil && (name != "" || d.Store.Exists(id, table[scope])):
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil, memory.Errorf(memory.KindInvalid, "recall", `unknown scope; it is "all", "project", "global", or a scope of memory.yaml that recall finds`)
	}
	return ids, nil
}

func timeField(name, s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return t, memory.Errorf(memory.KindInvalid, "recall", "%s", fmt.Sprintf(`%s must be a time such as "2027-01-31T00:00:00Z"`, name))
	}
	return t, nil
}

func resultOf(h recall.Hit) recallResult {
	r := recallResult{
		UUID: h.ID, Key: h.Key, Source: string(h.Source), Target: h.Scope.Scope, Score: h.Score,
		Snippet: h.Snippet, Timestamp: h.Timestamp,
	}
	if h.Source == recall.SourceConversation {
		r.Summary, r.Turn, r.Role, r.Title, r.Agent = h.Snippet, h.Turn+1, h.Role, h.Title, h.Agent
	}
	if h.Entry != nil {
		r.Summary, r.Category, r.Tags, r.Trust = h.Entry.Content, h.Entry.Category, h.Entry.Tags, h.Entry.Source.Trust
	}
	for _, m := range h.Marks {
		r.Marks = append(r.Marks, [2]int{m.Start, m.End})
	}
	if h.Explanation != nil {
		r.Explain = h.Explanation
	}
	return r
}
