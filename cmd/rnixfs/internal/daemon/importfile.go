package daemon

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
)

// imported is what became of one conversation of a file so far.
type imported struct {
	process  process.Conversation
	ordinals process.Ordinals
	seen     bool // has had turns: a later part of it is not new
	isNew    bool
	added    int
	removed  bool
	last     time.Time // of its newest turn
}

// fileImport is the import of one file.
type fileImport struct {
	*importer
	src    source
	wanted func(process.Conversation) bool // nil: all of the conversations
	talks  map[string]*imported            // by uuid
}

// one imports a file. Its error ends the whole import; what concerns the file
// alone is in the summary.
func (im *importer) one(ctx context.Context, src source) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	mark, marked := markOf(src.path)
	if marked && !im.Force && im.ledger.unchanged(src.path, mark) {
		im.sum.Files.Unchanged++
		return nil
	}
	f := &fileImport{importer: im, src: src, talks: map[string]*imported{}}
	err := f.read(ctx)
	if err == nil {
		err = f.end(ctx, mark.Modified)
	}
	f.count()
	if err != nil {
		if ctx.Err() == nil {
			im.failed(src.path, err)
		}
		return fatal(ctx, err)
	}
	im.sum.Files.Read++
	if marked && !im.DryRun {
		mark.Format, mark.Conversations = src.format.Name(), len(f.talks)
		im.ledger.note(src.path, mark)
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

func (f *fileImport) read(ctx context.Context) error {
	for part, err := range f.src.format.Read(ctx, f.src.path) {
		if err != nil {
			kind, n, ok := f.formats.Skipped(err)
			if !ok {
				return err
			}
			f.sum.Skipped[kind] += n
			continue
		}
		if err := f.part(ctx, part); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// part keeps a conversation, or a part of one.
func (f *fileImport) part(ctx context.Context, c process.Transcript) error {
	turns := f.fit(c.Turns)
	p := f.own(c.Conversation)
	if f.wanted != nil && !f.wanted(p) {
		return nil
	}
	if len(turns) == 0 && f.talks[p.UUID] == nil {
		return nil // nothing was said; a later part of one may have news of its title
	}
	talk, err := f.begin(ctx, p)
	if err != nil || talk.removed {
		return err
	}
	talk.ordinals.Set(turns)
	for len(turns) > 0 {
		n := batch(turns)
		if err := f.append(ctx, talk, turns[:n]); err != nil {
			return err
		}
		turns = turns[n:]
	}
	return nil
}

// fit leaves out the turns that can't be kept.
func (f *fileImport) fit(turns []process.Turn) []process.Turn {
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

// own is a process as it is called here.
func (f *fileImport) own(p process.Conversation) process.Conversation {
	p.UID, p.Trust = f.uid, memory.TrustImported
	p.Agent = cmp.Or(p.Agent, f.src.format.Name())
	p.External = cmp.Or(p.External, f.src.path)
	p.UUID = process.ID(p.UID, p.Agent, p.External)
	if p.Parent != "" { // as the agent calls it
		p.Parent = process.ID(p.UID, p.Agent, p.Parent)
	}
	p.Project = f.project(p.Project)
	return p
}

// begin makes the process of a conversation, or takes up the one that is there.
func (f *fileImport) begin(ctx context.Context, p process.Conversation) (*imported, error) {
	talk := f.talks[p.UUID]
	if talk == nil {
		talk = &imported{}
		f.talks[p.UUID] = talk
	}
	if p.End.After(talk.last) {
		talk.last = p.End
	}
	// Its end is told when all of it is there.
	p.End, p.ExitCode, p.ExitReason = time.Time{}, nil, ""
	var err error
	if f.DryRun {
		err = f.preview(ctx, &p)
	} else {
		p, err = f.store.Begin(ctx, p)
	}
	if errors.Is(err, process.ErrRemoved) {
		talk.removed = true
		return talk, nil
	}
	talk.process = p
	return talk, err
}

// preview finds where a conversation lies without making it.
func (f *fileImport) preview(ctx context.Context, p *process.Conversation) error {
	project, err := f.store.Find(ctx, p.UUID)
	if err == nil {
		p.Project = project
	}
	if memory.KindOf(err) == memory.KindNotFound && !errors.Is(err, process.ErrRemoved) {
		return nil
	}
	return err
}

// project is the project of a conversation that was held in a directory: the one
// it lies in here; for a directory that is here and in none, the home project;
// for one that is not here, itself.
func (im *importer) project(dir string) string {
	if im.Project != "" {
		return im.Project
	}
	if !filepath.IsAbs(dir) {
		return im.Here
	}
	dir = filepath.Clean(dir)
	if root, ok := im.projectOf(dir); ok {
		return root
	}
	if fi, err := os.Stat(dir); err == nil && fi.IsDir() {
		return ""
	}
	return dir
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

func (f *fileImport) append(ctx context.Context, talk *imported, turns []process.Turn) error {
	keep := f.store.Append
	if f.DryRun {
		keep = f.store.Plan
	}
	res, err := keep(ctx, talk.process.Project, talk.process.UUID, turns)
	if err != nil {
		return err
	}
	if !talk.seen {
		talk.seen, talk.isNew = true, res.Turns == res.Added && res.Added > 0
	}
	talk.added += res.Added
	f.sum.Turns += res.Added
	f.sum.Masked += res.Masked
	for _, t := range turns {
		if t.Time.After(talk.last) {
			talk.last = t.Time
		}
	}
	return nil
}

// end says of the conversations when they ended: by what the history says, else
// with their last turn, else with their file. One that was recorded while it ran
// knows better.
func (f *fileImport) end(ctx context.Context, modified time.Time) error {
	for uuid, talk := range f.talks {
		p := talk.process
		if talk.last.IsZero() && p.End.IsZero() {
			talk.last = modified
		}
		if f.DryRun || talk.removed || p.Trust != memory.TrustImported || !talk.last.After(p.End) {
			continue
		}
		err := f.store.End(ctx, p.Project, uuid, process.End{Time: talk.last, Reason: "imported"})
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *fileImport) count() {
	c := &f.sum.Conversations
	for _, talk := range f.talks {
		switch {
		case talk.removed:
			c.Removed++
		case !talk.seen:
		case talk.isNew:
			c.New++
		case talk.added > 0:
			c.Updated++
		default:
			c.Unchanged++
		}
	}
}
