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
	"github.com/rnixfs/rnixfs/kernel/writeback/spool"
)

const opTranscript = "import transcript"

// importerOf returns what brings the transcripts of a user's jobs into the store.
// A job of another user than this process's can't name one: it would be read with
// the rights of this process.
func (k *Kernel) importerOf(uid uint32) func(context.Context, spool.Job) ([]process.Conversation, error) {
	if int(uid) != os.Getuid() {
		return nil
	}
	return func(ctx context.Context, job spool.Job) ([]process.Conversation, error) {
		store, err := k.Conversations(uid)
		if err != nil {
			return nil, err
		}
		im := &importer{
			ImportOptions: ImportOptions{Force: true}, formats: conversationFormats(), store: store, uid: uid,
			projectOf: Project, sum: ImportSummary{Skipped: map[string]int{}}, ledger: &ledger{},
		}
		im.Here = im.project(job.Project)
		if job.Transcript != "" {
			return im.transcript(ctx, job.Transcript, nil)
		}
		return im.search(ctx, job)
	}
}

// projectOfDir is the project of what is learned from conversations in a directory,
// as an import has it.
func projectOfDir(dir string) string { return (&importer{projectOf: Project}).project(dir) }

// transcript imports one file, or those of its conversations that are wanted, and
// returns them.
func (im *importer) transcript(ctx context.Context, path string, wanted func(process.Conversation) bool) ([]process.Conversation, error) {
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
	f := &fileImport{importer: im, src: source{path, format}, wanted: wanted, talks: map[string]*imported{}}
	err = f.read(ctx)
	if err == nil {
		err = f.end(ctx, fi.ModTime())
	}
	if err != nil {
		return nil, memory.Errorf(memory.KindOf(err), opTranscript, "the transcript could not be imported: %s", memory.ReasonOf(err))
	}
	var out []process.Conversation
	for _, talk := range f.talks {
		if talk.removed || !talk.seen {
			continue
		}
		p, err := im.store.Conversation(ctx, talk.process.Project, talk.process.UUID)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b process.Conversation) int {
		return cmp.Or(a.Start.Compare(b.Start), cmp.Compare(a.UUID, b.UUID))
	})
	return out, nil
}

// searchSlack is how long after its end a run's conversation may begin by the clock
// of who wrote it down.
const searchSlack = time.Minute

// search finds the conversations of a run that did not say where its transcript
// is: those that the agent kept while it ran, of the same project.
func (im *importer) search(ctx context.Context, job spool.Job) ([]process.Conversation, error) {
	i := slices.IndexFunc(im.formats.All, func(f ConversationFormat) bool { return f.Name() == job.Agent })
	if i < 0 {
		return nil, memory.Errorf(memory.KindInvalid, opTranscript, "where this agent keeps its conversations is not known")
	}
	paths, err := histories(im.formats.All[i], job)
	if err != nil && len(paths) == 0 {
		return nil, memory.Errorf(memory.KindNotFound, opTranscript, "the agent's conversations can't be found")
	}
	start := job.Start.Truncate(time.Second) // Aider's times have no more
	wanted := func(p process.Conversation) bool {
		return p.Project == im.Here && (job.External == "" || p.External == job.External) &&
			(job.End.IsZero() || !p.Start.After(job.End.Add(searchSlack)))
	}
	var out []process.Conversation
	for _, path := range paths {
		// A later time says nothing: another run may have added to the same file.
		if fi, err := os.Stat(path); err != nil || fi.ModTime().Before(start) {
			continue
		}
		list, err := im.transcript(ctx, path, wanted)
		if err != nil {
			return nil, err
		}
		for _, p := range list {
			if p.Project == im.Here && !p.End.Before(start) {
				out = append(out, p)
			}
		}
	}
	return out, nil
}

// histories are the files in which an agent kept its conversations, where it ran:
// this process may have been started elsewhere, with another environment. Aider keeps
// them at the root of the repository or, without one, in the working directory.
func histories(format ConversationFormat, job spool.Job) ([]string, error) {
	getenv := os.Getenv
	if job.Places != nil {
		getenv = func(name string) string { return job.Places[name] }
	}
	home := getenv("HOME")
	if home == "" {
		home, _ = Home()
	}
	if home == "" {
		return nil, memory.Errorf(memory.KindInvalid, opTranscript, "there is no home directory to search")
	}
	var all []string
	var failed error
	for _, dir := range []string{job.Project, repository(job.Project)} {
		paths, err := format.Find(home, func(name string) string {
			if name == "PWD" {
				return dir
			}
			return getenv(name)
		})
		all, failed = append(all, paths...), cmp.Or(failed, err)
	}
	slices.Sort(all)
	return slices.Compact(all), failed
}

// repository is the working tree that a directory lies in, else itself.
func repository(dir string) string {
	for at := dir; filepath.IsAbs(at) && at != "/"; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, ".git")); err == nil {
			return at
		}
	}
	return dir
}
