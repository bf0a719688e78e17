package importer

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/process/transcript"
)

const opRun = "import transcript"

// Run names the conversations of one run of an agent.
type Run struct {
	Agent      string
	External   string // the agent's id of the conversation, if it is known
	Transcript string // absolute path; "": to be found by agent, directory, start and end
	Dir        string // where the agent ran
	Start, End time.Time
	// Places are the variables of the environment that say where the agent keeps its
	// histories; nil: those of this process.
	Places map[string]string
}

// ImportRun brings the conversations of a run into the store and returns them.
func (im *Importer) ImportRun(ctx context.Context, run Run) ([]process.Conversation, error) {
	s := im.session(Options{Force: true, Here: ProjectOf(run.Dir, im.FindProject)})
	if run.Transcript != "" {
		return s.transcript(ctx, run.Transcript, nil)
	}
	return s.search(ctx, run)
}

// transcript imports one file, or those of its conversations that are wanted, and
// returns them.
func (s *session) transcript(ctx context.Context, path string, wanted func(process.Conversation) bool) ([]process.Conversation, error) {
	if !filepath.IsAbs(path) {
		return nil, memory.Errorf(memory.KindInvalid, opRun, "the path of a transcript is absolute")
	}
	fi, err := os.Stat(path)
	if err != nil {
		return nil, memory.Errorf(memory.KindNotFound, opRun, "the transcript is not there")
	}
	format, err := s.formatOf(path)
	if err != nil {
		return nil, memory.Errorf(memory.KindInvalid, opRun, "the transcript is of no kind that is known")
	}
	f := &file{session: s, src: source{path, format}, wanted: wanted, by: map[string]*conversation{}}
	if err := f.read(ctx, fi.ModTime()); err != nil {
		return nil, memory.Errorf(memory.KindOf(err), opRun, "the transcript could not be imported: %s", memory.ReasonOf(err))
	}
	var out []process.Conversation
	for _, c := range f.by {
		if c.removed || !c.seen {
			continue
		}
		p, err := s.Store.Conversation(ctx, c.Project, c.UUID)
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

// searchSlack is how long after the end of a run its conversation may begin by the
// agent's clock.
const searchSlack = time.Minute

// search finds the conversations of a run whose transcript is not named: those of
// the same project that the agent kept while it ran.
func (s *session) search(ctx context.Context, run Run) ([]process.Conversation, error) {
	i := slices.IndexFunc(s.known(), func(f transcript.Format) bool { return f.Name() == run.Agent })
	if i < 0 {
		return nil, memory.Errorf(memory.KindInvalid, opRun, "where this agent keeps its conversations is not known")
	}
	paths, err := s.histories(s.known()[i], run)
	if err != nil && len(paths) == 0 {
		return nil, memory.Errorf(memory.KindNotFound, opRun, "the agent's conversations can't be found")
	}
	start := run.Start.Truncate(time.Second) // Aider's times have no more
	wanted := func(p process.Conversation) bool {
		return p.Project == s.Here && (run.External == "" || p.External == run.External) &&
			(run.End.IsZero() || !p.Start.After(run.End.Add(searchSlack)))
	}
	var out []process.Conversation
	for _, path := range paths {
		// A later time says nothing: another run may have added to the same file.
		if fi, err := os.Stat(path); err != nil || fi.ModTime().Before(start) {
			continue
		}
		list, err := s.transcript(ctx, path, wanted)
		if err != nil {
			return nil, err
		}
		for _, p := range list {
			if p.Project == s.Here && !p.End.Before(start) {
				out = append(out, p)
			}
		}
	}
	return out, nil
}

// histories are the files in which an agent kept its conversations. Aider keeps
// them at the root of the repository or, without one, in the working directory.
func (s *session) histories(format transcript.Format, run Run) ([]string, error) {
	getenv := os.Getenv
	if run.Places != nil {
		getenv = func(name string) string { return run.Places[name] }
	}
	home := cmp.Or(getenv("HOME"), s.Home)
	if home == "" {
		return nil, memory.Errorf(memory.KindInvalid, opRun, "there is no home directory to search")
	}
	var all []string
	var failed error
	for _, dir := range []string{run.Dir, repository(run.Dir)} {
		paths, err := format.Find(home, func(name string) string {
			if name == "PWD" {
				return dir
			}
			return getenv(name)
		})
		all, failed = append(all, paths...), errors.Join(failed, err)
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
