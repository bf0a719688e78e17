package daemon

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/vfs/attest"
	"github.com/rnixfs/rnixfs/kernel/writeback/spool"
)

const opTranscript = "import transcript"

// importerOf returns what brings the transcripts of a user's jobs into the store.
// A job of another user than this process's can't name one: it would be read with
// the rights of this process.
func (k *Kernel) importerOf(uid uint32) func(context.Context, spool.Job) ([]process.Process, error) {
	if int(uid) != os.Getuid() {
		return nil
	}
	return func(ctx context.Context, job spool.Job) ([]process.Process, error) {
		store, err := k.Conversations(uid)
		if err != nil {
			return nil, err
		}
		here := ""
		if filepath.IsAbs(job.Project) {
			here, _ = attest.Project(job.Project)
		}
		im := &importer{
			ImportOptions: ImportOptions{Here: here, Force: true}, formats: conversationFormats(), store: store, uid: uid,
			projectOf: attest.Project, sum: ImportSummary{Skipped: map[string]int{}}, ledger: &ledger{},
		}
		if job.Transcript != "" {
			return im.transcript(ctx, job.Transcript)
		}
		return im.search(ctx, job, here)
	}
}

// transcript imports one file and returns its conversations.
func (im *importer) transcript(ctx context.Context, path string) ([]process.Process, error) {
	if !filepath.IsAbs(path) {
		return nil, memory.Errorf(memory.KindInvalid, opTranscript, "the path of a transcript is absolute")
	}
	fi, err := os.Stat(path)
	if err != nil {
		return nil, memory.Errorf(memory.KindNotFound, opTranscript, "the transcript is not there")
	}
	format, err := im.formats.Detect(path)
	if err != nil {
		return nil, memory.Errorf(memory.KindInvalid, opTranscript, "the transcript is of no kind that is known")
	}
	f := &fileImport{importer: im, src: source{path, format}, talks: map[string]*imported{}}
	err = f.read(ctx)
	if err == nil {
		err = f.end(ctx, fi.ModTime())
	}
	if err != nil {
		return nil, memory.Errorf(memory.KindOf(err), opTranscript, "the transcript could not be imported: %s", memory.ReasonOf(err))
	}
	var out []process.Process
	for _, talk := range f.talks {
		if talk.removed || !talk.seen {
			continue
		}
		p, err := im.store.Process(ctx, talk.process.Project, talk.process.UUID)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b process.Process) int {
		return cmp.Or(a.Start.Compare(b.Start), cmp.Compare(a.UUID, b.UUID))
	})
	return out, nil
}

// searchSlack is how much later than its run a transcript may be written.
const searchSlack = time.Minute

// search finds the conversations of a run that did not say where its transcript
// is: those that the agent kept while it ran, of the same project.
func (im *importer) search(ctx context.Context, job spool.Job, project string) ([]process.Process, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, memory.Errorf(memory.KindInvalid, opTranscript, "there is no home directory to search")
	}
	i := slices.IndexFunc(im.formats.All, func(f ConversationFormat) bool { return f.Name() == job.Agent })
	if i < 0 {
		return nil, memory.Errorf(memory.KindInvalid, opTranscript, "where this agent keeps its conversations is not known")
	}
	paths, err := im.formats.All[i].Find(home, os.Getenv)
	if err != nil && len(paths) == 0 {
		return nil, memory.Errorf(memory.KindNotFound, opTranscript, "the agent's conversations can't be found")
	}
	var out []process.Process
	for _, path := range paths {
		fi, err := os.Stat(path)
		if err != nil || fi.ModTime().Before(job.Start) || !job.End.IsZero() && fi.ModTime().After(job.End.Add(searchSlack)) {
			continue
		}
		list, err := im.transcript(ctx, path)
		if err != nil {
			return nil, err
		}
		for _, p := range list {
			if p.Project == project && !p.End.Before(job.Start) {
				out = append(out, p)
			}
		}
	}
	return out, nil
}
