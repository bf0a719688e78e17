package exchange

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
)

// formats are the readers by the names of their systems.
var formats = map[string]func(context.Context, *source) error{
	"rnix": readRnix, "infraware": readInfraware, "a3s": readA3S, "aios": readAIOS, "cao": readCAO,
	"claude-memory": readFolder, "mcp-memory": readGraph, "json": readLines, "markdown": readPages,
}

// Formats returns the names of the formats that can be read.
func Formats() []string { return slices.Sorted(maps.Keys(formats)) }

// item is an entry of another system, as the request that adds it. A target that is not
// set is the import's.
type item struct {
	store.Request
	said time.Time // when it was written there; zero: not known
	at   string    // where it was read
}

// Options of an import.
type Options struct {
	From   string // a format
	Path   string
	Scope  memory.Scope // of all entries; "": what the files say, else the project's
	DryRun bool
}

// Report is what became of the entries of an import.
type Report struct {
	From    string `json:"from"`
	DryRun  bool   `json:"dry_run,omitempty"`
	Taken   int    `json:"taken"`
	Present int    `json:"present"`           // were there already
	Differ  []Note `json:"differ,omitempty"`  // there is another text under their key, which stays
	Refused []Note `json:"refused,omitempty"` // by the scanner, a limit, ...
	Unread  []Note `json:"unread,omitempty"`  // not understood, or nobody's here
}

// Note is one thing that was not taken in.
type Note struct {
	At     string `json:"at"`
	Target string `json:"target,omitempty"`
	Code   string `json:"code,omitempty"`
	Rule   string `json:"rule,omitempty"` // of the scanner
	Reason string `json:"reason"`
}

// Import takes in what is at a path for a caller. The error is one of reading the path
// itself.
func Import(ctx context.Context, s *store.Store, caller memory.Caller, opts Options) (Report, error) {
	in := intake{s, caller, opts, map[memory.ScopeID]*memory.State{}, Report{From: opts.From, DryRun: opts.DryRun}}
	read := formats[opts.From]
	if read == nil {
		return in.report, memory.Errorf(memory.KindInvalid, "import", "unknown format %s; it is one of %s", memory.QuoteName(opts.From), strings.Join(Formats(), ", "))
	}
	path, err := filepath.EvalSymlinks(opts.Path)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	_, federated := s.Policies(ctx, caller)[scopeFederated]
	src := &source{path: path, project: caller.Project, all: opts.Scope != "", federated: federated}
	if err == nil {
		err = read(ctx, src)
	}
	if err != nil {
		return in.report, fmt.Errorf("import: %w", err)
	}
	if len(src.items)+len(src.unread) == 0 {
		src.skip(filepath.Base(path), "nothing is there that "+opts.From+" reads")
	}
	in.report.Unread = src.unread
	for i := range src.items {
		if ctx.Err() != nil {
			return in.report, errors.New("import: interrupted; what was taken in is kept, and the same command goes on")
		}
		in.take(ctx, src.items[i])
	}
	return in.report, nil
}

// intake is an import on its way.
type intake struct {
	store  *store.Store
	caller memory.Caller
	opts   Options
	dry    map[memory.ScopeID]*memory.State // the scopes as they would be
	report Report
}

func (in *intake) take(ctx context.Context, it *item) {
	switch {
	case in.opts.Scope != "":
		it.Target, it.Agent = string(in.opts.Scope), ""
	case it.Target == "":
		it.Target = string(memory.ScopeProject)
	}
	reply, err := in.ask(ctx, it)
	note := Note{At: it.at, Target: it.Target, Code: memory.KindOf(err).Code(), Reason: memory.ReasonOf(err)}
	switch {
	case err == nil && reply.Replayed:
		in.report.Present++
	case err == nil:
		in.report.Taken++
	case memory.KindOf(err) == memory.KindExists:
		in.report.Differ = append(in.report.Differ, note)
	default:
		if len(reply.Findings) > 0 {
			note.Rule = reply.Findings[0].Rule
		}
		in.report.Refused = append(in.report.Refused, note)
	}
}

func (in *intake) ask(ctx context.Context, it *item) (reply store.Reply, err error) {
	caller, table := in.caller, in.store.Policies(ctx, in.caller)
	caller.Agent = it.Agent
	scope := table.Named(memory.Scope(it.Target))
	id, err := in.store.Resolve(ctx, caller, scope)
	if err != nil {
		return reply, err
	}
	if in.opts.DryRun && in.dry[id] == nil {
		v, err := in.store.Reader(id).Load(ctx)
		if err != nil {
			return reply, err
		}
		in.dry[id] = memory.NewState(v.Entries, v.Sequence)
	}
	it.Action = string(memory.ActionAdd)
	if !it.said.IsZero() {
		it.note(memory.SaidKey, it.said.UTC().Format(time.RFC3339))
	}
	return in.store.Import(ctx, caller, id, it.Request, in.dry[id])
}

// note puts a value into the metadata, unless there is one of that name.
func (it *item) note(name string, value any) {
	if it.Metadata == nil {
		it.Metadata = &map[string]any{}
	}
	if _, there := (*it.Metadata)[name]; !there {
		(*it.Metadata)[name] = value
	}
}
