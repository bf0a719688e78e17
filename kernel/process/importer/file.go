package importer

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/process/transcript"
)

// file is the import of one file.
type file struct {
	*session
	src    source
	wanted func(process.Conversation) bool // nil: all of the conversations
	by     map[string]*conversation        // by uuid
	skips  []string                        // what the reader passed over
}

// conversation is the progress of one conversation of a file.
type conversation struct {
	process.Conversation
	ordinals process.Ordinals
	seen     bool // has had turns: a later part of it is not new
	isNew    bool
	added    int
	removed  bool
	last     time.Time // of its newest turn
}

// file imports a file. Its error ends the whole import; failures of the file alone
// are in the summary.
func (s *session) file(ctx context.Context, src source) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	state, regular := stateOf(src.path)
	if regular && !s.Force && s.ledger.unchanged(s.name(src.path), state) {
		s.sum.Files.Unchanged++
		return nil
	}
	f := &file{session: s, src: src, by: map[string]*conversation{}}
	err := f.read(ctx, state.Modified)
	f.count()
	if err != nil {
		if ctx.Err() == nil {
			s.failed(src.path, err)
		}
		return fatal(ctx, err)
	}
	if s.sum.Files.Read++; len(f.by) == 0 { // told here once, and by the doctor until the file changes
		s.sum.Files.Read--
		state.Empty = s.name(strings.Join(append([]string{"of the kind " + src.format.Name() + ", and nothing that was said is in it"}, f.skips...), "; "))
		s.failed(src.path, errors.New(state.Empty))
	}
	if regular && !s.DryRun {
		s.ledger.note(s.name(src.path), state)
	}
	return nil
}

// fatal returns an error after which no other file can be imported, either.
func fatal(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if memory.KindOf(err) == memory.KindUnavailable || errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) || errors.Is(err, unix.EROFS) {
		return err
	}
	return nil
}

// read keeps the conversations of the file, which was last modified at a time.
func (f *file) read(ctx context.Context, modified time.Time) error {
	for part, err := range f.src.format.Read(ctx, f.src.path) {
		var skip *transcript.Skip
		switch {
		case errors.As(err, &skip):
			f.sum.Skipped[skip.Kind] += skip.Count
			f.skips = append(f.skips, skip.Error())
		case err != nil:
			return err
		default:
			if err := f.keep(ctx, part); err != nil {
				return err
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return f.end(ctx, modified)
}

// keep keeps a conversation, or a part of one.
func (f *file) keep(ctx context.Context, part process.Transcript) error {
	turns := f.fit(part.Turns)
	p := f.own(part.Conversation)
	if f.wanted != nil && !f.wanted(p) {
		return nil
	}
	if len(turns) == 0 && f.by[p.UUID] == nil {
		return nil // nothing was said; a later part of one may have news of its title
	}
	c, err := f.begin(ctx, p)
	if err != nil || c.removed {
		return err
	}
	c.ordinals.Set(turns)
	for len(turns) > 0 {
		n := batch(turns)
		if err := f.append(ctx, c, turns[:n]); err != nil {
			return err
		}
		turns = turns[n:]
	}
	return nil
}

// fit leaves out the turns that can't be kept.
func (f *file) fit(turns []process.Turn) []process.Turn {
	out := make([]process.Turn, 0, len(turns))
	for _, t := range turns {
		switch {
		case !t.Role.Valid():
			f.sum.Skipped["turn of an unknown role"]++
		case len(t.Content) > process.MaxContent/2: // escaped, it must fit on a line
			f.sum.Skipped["turn that is too long"]++
		default:
			out = append(out, t)
		}
	}
	return out
}

// own is a conversation as it is called here.
func (f *file) own(p process.Conversation) process.Conversation {
	p.UID, p.Trust = f.UID, memory.TrustImported
	p.Agent = cmp.Or(p.Agent, f.src.format.Name())
	p.External = cmp.Or(p.External, f.src.path)
	p.UUID = process.ID(p.UID, p.Agent, p.External)
	if p.Parent != "" { // as the agent calls it
		p.Parent = process.ID(p.UID, p.Agent, p.Parent)
	}
	p.Project = f.projectOf(p.Project)
	return p
}

// projectOf is the project of a conversation that was held in a directory.
func (s *session) projectOf(dir string) string {
	switch {
	case s.Project != "":
		return s.Project
	case dir == "" || dir[0] != '/':
		return s.Here
	}
	return ProjectOf(dir, s.FindProject)
}

// begin makes a conversation, or takes up the one that is there.
func (f *file) begin(ctx context.Context, p process.Conversation) (*conversation, error) {
	c := f.by[p.UUID]
	if c == nil {
		c = &conversation{}
		f.by[p.UUID] = c
	}
	if p.End.After(c.last) {
		c.last = p.End
	}
	// The end is told when all of the conversation is there.
	p.End, p.ExitCode, p.ExitReason = time.Time{}, nil, ""
	var err error
	if f.DryRun {
		err = f.preview(ctx, &p)
	} else {
		p, err = f.Store.Begin(ctx, p)
	}
	if errors.Is(err, process.ErrRemoved) {
		c.removed = true
		return c, nil
	}
	c.Conversation = p
	return c, err
}

// preview finds where a conversation lies without making it.
func (f *file) preview(ctx context.Context, p *process.Conversation) error {
	project, err := f.Store.Find(ctx, p.UUID)
	if err == nil {
		p.Project = project
	}
	if memory.KindOf(err) == memory.KindNotFound && !errors.Is(err, process.ErrRemoved) {
		return nil
	}
	return err
}

// The bounds of one call of Append, which is one flush of the disk.
const (
	batchTurns = 256
	batchBytes = 4 << 20
)

func batch(turns []process.Turn) int {
	size := 0
	for i, t := range turns {
		if size += len(t.Content); i > 0 && (size > batchBytes || i >= batchTurns) {
			return i
		}
	}
	return len(turns)
}

func (f *file) append(ctx context.Context, c *conversation, turns []process.Turn) error {
	keep := f.Store.Append
	if f.DryRun {
		keep = f.Store.Plan
	}
	res, err := keep(ctx, c.Project, c.UUID, turns)
	if err != nil {
		return err
	}
	if !c.seen {
		c.seen, c.isNew = true, res.Turns == res.Added && res.Added > 0
	}
	c.added += res.Added
	f.sum.Turns += res.Added
	f.sum.Masked += res.Masked
	for _, t := range turns {
		if t.Time.After(c.last) {
			c.last = t.Time
		}
	}
	return nil
}

// end tells when the conversations ended: by what the history says, else with
// their last turn, else with their file. A conversation that was recorded while it
// ran has a better end.
func (f *file) end(ctx context.Context, modified time.Time) error {
	for uuid, c := range f.by {
		if c.last.IsZero() && c.End.IsZero() {
			c.last = modified
		}
		if f.DryRun || c.removed || c.Trust != memory.TrustImported || !c.last.After(c.End) {
			continue
		}
		if err := f.Store.End(ctx, c.Project, uuid, process.End{Time: c.last, Reason: "imported"}); err != nil {
			return err
		}
	}
	return nil
}

func (f *file) count() {
	n := &f.sum.Conversations
	for _, c := range f.by {
		switch {
		case c.removed:
			n.Removed++
		case !c.seen:
		case c.isNew:
			n.New++
		case c.added > 0:
			n.Updated++
		default:
			n.Unchanged++
		}
	}
}
