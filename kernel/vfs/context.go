package vfs

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/recall"
)

// ContextSettings is what the context device asks about a caller.
type ContextSettings struct {
	Told         string // how the agent reaches memory; see [Told]
	Now          time.Time
	ProjectFirst bool // the project comes before what is known of all projects
	Table        ContextTable
}

// ContextTable is the table context of memory.yaml. Zero values stand for no bound, and
// for the form that is built in.
type ContextTable struct {
	MaxTokens  int // of what is read
	Chars      int // of the same, with its frame
	ScopeChars int // of the lines of one scope
	ScopeLines int
	Share      memory.Share
	Order      []memory.Scope
	Header     string
	Footer     string
	Line       string // a template, of memory.LineFields
}

// contextDevice shows what an agent should know before it starts: read, how to use
// memory, and what is remembered of the user, of all projects and of this one; asked for
// a task, what of all that is worth knowing for it.
type contextDevice struct {
	writable
	project  ProjectFunc
	scopes   func(ctx context.Context, caller memory.Caller, names []string) (scopes []memory.Scope, also []recall.Source, err error)
	find     func(ctx context.Context, caller memory.Caller, task string, scopes []memory.Scope, also []recall.Source) ([]recall.Hit, []Unread, error)
	list     func(context.Context, memory.Caller, memory.Scope) ([]*memory.Entry, error)
	score    func(context.Context, memory.Caller) memory.Score
	settings func(context.Context, memory.Caller) ContextSettings
}

// NewContext returns the context device. The options are those of the recall device, by
// whose search a task is looked for.
func NewContext(opts RecallOptions, settings func(context.Context, memory.Caller) ContextSettings) Device {
	list := func(ctx context.Context, caller memory.Caller, scope memory.Scope) ([]*memory.Entry, error) {
		id, err := opts.Store.Resolve(ctx, caller, scope)
		if err != nil {
			return nil, err
		}
		v, err := opts.Store.Reader(id).Load(ctx)
		return v.Entries, err
	}
	score := func(ctx context.Context, caller memory.Caller) memory.Score {
		return opts.Store.Policies(ctx, caller)[memory.ScopeProject].Score
	}
	r := &recallDevice{RecallOptions: opts}
	return &contextDevice{writable{help{Device: "context"}}, opts.Project, r.kept, r.forTask, list, score, settings}
}

// Exec answers a request for a task. One that is empty is answered with what a reader is
// shown: for the hooks, to which the reply to a task of their agent would be shown else.
func (d *contextDevice) Exec(ctx context.Context, caller memory.Caller, request []byte) Result {
	var req contextRequest
	if err := memory.DecodeStrict(request, &req); err != nil {
		return Failure(err, nil)
	}
	if err := narrow(&caller, req.Project, d.project); err != nil {
		return Failure(err, nil)
	}
	if req.Road != "" && req.Road != "mcp" {
		return Failure(memory.Errorf(memory.KindInvalid, "context", "unknown road; mcp is one"), nil)
	}
	caller.Agent, caller.Road = req.Agent, cmp.Or(req.Road, caller.Road)
	if req.Task == nil && req.MaxTokens == 0 && req.Scopes == nil && req.K == 0 {
		reply := contextReply{OK: true, Context: string(d.Read(ctx, caller)), Chunks: []chunk{}, Sources: []string{}}
		reply.TotalTokens = memory.Tokens(reply.Context)
		return Result{Body: encode(reply), OK: true, Unkept: true}
	}
	reply, err := d.assemble(ctx, caller, req)
	if err != nil {
		return Failure(err, nil)
	}
	return Result{Body: encode(reply), OK: true}
}

// Read gives the block as text.
func (d *contextDevice) Read(ctx context.Context, caller memory.Caller) []byte {
	set := d.settings(ctx, caller)
	b := d.block(ctx, caller, &set, set.Table.MaxTokens)
	for _, scope := range set.order() {
		s := section{title: cmp.Or(titles[scope], string(scope)), scope: scope}
		var err error
		if s.entries, err = d.list(ctx, caller, s.scope); err != nil && memory.KindOf(err) != memory.KindInvalid { // there is no session, or agent
			s.unread = memory.ReasonOf(err)
		}
		b.sections = append(b.sections, s)
	}
	return []byte(b.render())
}

// ByCommand is a block that names the devices, naming the command of rnixfs in their place.
func ByCommand(block, program string) string {
	_, rest, _ := strings.Cut(block, "guess: cat '")
	mountpoint, _, there := strings.Cut(rest, "/search/WORDS'")
	if !there {
		return block
	}
	return strings.Replace(block, Told(program, mountpoint), Told(program, ""), 1)
}

// At is a block that names the devices below a path, naming another in its place.
func At(block, mountpoint, other string) string {
	return strings.Replace(block, Told("", mountpoint), Told("", other), 1)
}

func (d *contextDevice) block(ctx context.Context, caller memory.Caller, set *ContextSettings, budget int) block {
	return block{ContextTable: set.Table, told: set.Told, budget: budget, score: d.score(ctx, caller), now: set.Now}
}

var titles = map[memory.Scope]string{
	memory.ScopeUser: "The user", memory.ScopeGlobal: "All projects", memory.ScopeProject: "This project",
	memory.ScopeSession: "This session", memory.ScopeAgent: "This agent",
}

// order is the scopes that are shown.
func (s *ContextSettings) order() []memory.Scope {
	switch {
	case len(s.Table.Order) > 0:
		return s.Table.Order
	case s.ProjectFirst:
		return []memory.Scope{memory.ScopeUser, memory.ScopeProject, memory.ScopeGlobal}
	}
	return []memory.Scope{memory.ScopeUser, memory.ScopeGlobal, memory.ScopeProject}
}

// section is the memory of one scope.
type section struct {
	title   string
	scope   memory.Scope
	entries []*memory.Entry
	unread  string // why it can't be read
}

// Told is what an agent is told of memory, in three lines: how it is searched, how
// written, and what is worth writing. program is the command of rnixfs, as a shell reads
// it; mountpoint is where the devices are, "" where they are not mounted.
func Told(program, mountpoint string) string {
	search, write, all := program+` recall "WORDS"`, program+` commit add "FACT"`, "add -g"
	if mountpoint != "" {
		search = "cat '" + mountpoint + "/search/WORDS'"
		write = `echo '{"action":"add","content":"FACT"}' > ` + mountpoint + "/commit"
		all = `with "target":"global_memory"`
	}
	return usage(search, write, all)
}

// The tools of MCP, as those who have nothing else are told of them.
const (
	UsageRecall   = `memory_recall {"query":"WORDS"}`
	UsageRemember = `memory_remember {"text":"FACT"}`
	usageGlobal   = `"scope":"global"`
)

// ToldTools is Told for a caller who has the tools of MCP alone.
func ToldTools() string { return usage(UsageRecall, UsageRemember, usageGlobal) }

func usage(search, write, all string) string {
	return fmt.Sprintf(`You have a memory that lasts from session to session. Search it before you ask or guess: %s
Write what the next session would miss, one fact at a time: %s (%s: for all projects)
Worth writing: what the user corrects, wants always or never, or decides, and why; what failed and what worked instead. Not what the code says; no secrets.
`, search, write, all)
}
