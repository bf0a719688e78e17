package daemon

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
)

// ConversationFormat reads the history of one kind of agent.
type ConversationFormat interface {
	Name() string
	// Read yields conversations; a long one in several parts. An error that the
	// importer's skipped knows does not end it.
	Read(ctx context.Context, path string) iter.Seq2[process.Transcript, error]
	// Find returns where the agent keeps its history.
	Find(home string, env func(string) string) ([]string, error)
}

// ConversationFormats is what an import needs to know of other tools' histories.
type ConversationFormats struct {
	All    []ConversationFormat
	Detect func(path string) (ConversationFormat, error)
	// Skipped says of an error that it is a record that was passed over, of what
	// kind, and how many of them.
	Skipped func(error) (kind string, n int, ok bool)
}

// ImportOptions say what to import.
type ImportOptions struct {
	Paths   []string // files, or folders that are searched for them
	All     bool     // wherever the agents known keep their histories
	Project string   // the project of every conversation; "": each one's own
	Here    string   // the project of conversations that name no directory; "" is the home project
	DryRun  bool     // say what would be done, and keep nothing
	Force   bool     // read files that have not changed since they were imported
	// Progress, if any, is called in between. It must not block.
	Progress func(done, files int, s *ImportSummary)
}

// ImportSummary is what an import did.
type ImportSummary struct {
	DryRun        bool                `json:"dry_run,omitempty"`
	Interrupted   bool                `json:"interrupted,omitempty"`
	Files         ImportFiles         `json:"files"`
	Conversations ImportConversations `json:"conversations"`
	Turns         int                 `json:"turns_added"`
	Masked        int                 `json:"turns_masked"` // of Turns: something in them was masked
	Skipped       map[string]int      `json:"records_skipped,omitempty"`
	Failures      []ImportFailure     `json:"failures,omitempty"`
	Unknown       []string            `json:"unknown_files,omitempty"` // of no kind that is known: those of Files.Unknown
}

// ImportFiles counts files by what became of them.
type ImportFiles struct {
	Read      int `json:"read"`
	Unchanged int `json:"unchanged"` // not read: they are as they were last time
	Unknown   int `json:"unknown"`   // in a folder that was searched, and of no kind that is known
	Failed    int `json:"failed"`
}

// ImportConversations counts the conversations of the files that were read.
type ImportConversations struct {
	New       int `json:"new"`
	Updated   int `json:"updated"`   // got more turns
	Unchanged int `json:"unchanged"` // all turns were there
	Removed   int `json:"removed"`   // were removed here before, and stay so
}

// ImportFailure is a file that could not be imported, or not whole.
type ImportFailure struct {
	Path  string `json:"path"`
	Error string `json:"error"`
}

// Import brings the conversations of other tools' histories into the store. Doing
// it again adds nothing. When the context ends, what was done so far is kept, and
// the summary says that it was interrupted.
func (k *Kernel) Import(ctx context.Context, opts ImportOptions) (ImportSummary, error) {
	store, err := k.Conversations(uint32(os.Getuid()))
	if err != nil {
		return ImportSummary{}, err
	}
	im := &importer{
		ImportOptions: opts, formats: conversationFormats(), store: store,
		uid: uint32(os.Getuid()), ledgerFile: filepath.Join(k.Paths.Data, "imports.json"),
		projectOf: Project,
	}
	err = im.run(ctx)
	return im.sum, err
}

// saveEvery is how often the ledger is kept during an import.
const saveEvery = 5 * time.Second

// source is one thing to read.
type source struct {
	path   string
	format ConversationFormat
}

type importer struct {
	ImportOptions
	formats    ConversationFormats
	store      *process.Store
	uid        uint32
	ledgerFile string
	projectOf  func(dir string) (string, bool)

	ledger *ledger
	sum    ImportSummary
}

func (im *importer) run(ctx context.Context) error {
	im.sum = ImportSummary{DryRun: im.DryRun, Skipped: map[string]int{}}
	im.ledger = readLedger(im.ledgerFile)
	sources, err := im.find(ctx)
	if err != nil {
		return err
	}
	saved := time.Now()
	for i, src := range sources {
		if im.Progress != nil {
			im.Progress(i, len(sources), &im.sum)
		}
		if err = im.one(ctx, src); err != nil {
			break
		}
		// Who is killed reads these files again, and no more.
		if now := time.Now(); !im.DryRun && now.Sub(saved) > saveEvery {
			saved, err = now, im.ledger.write()
		}
		if err != nil {
			break
		}
	}
	if ctx.Err() != nil {
		im.sum.Interrupted, err = true, nil
	}
	if !im.DryRun {
		err = errors.Join(err, im.ledger.write())
	}
	return err
}

// find lists what there is to read, each path once.
func (im *importer) find(ctx context.Context) ([]source, error) {
	var out []source
	for _, path := range im.Paths {
		found, err := im.below(ctx, path)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	if im.All {
		found, err := im.everywhere()
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(out, func(s source) bool {
		again := seen[s.path]
		seen[s.path] = true
		return again
	}), nil
}

func (im *importer) everywhere() ([]source, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, memory.Errorf(memory.KindInvalid, "import", "find the home directory: %w", err)
	}
	var out []source
	for _, f := range im.formats.All {
		paths, err := f.Find(home, os.Getenv)
		if err != nil {
			im.failed(f.Name(), err) // what was found is imported all the same
		}
		for _, path := range paths {
			out = append(out, source{path, f})
		}
	}
	return out, nil
}

// below lists what is to be read at a path that was named: a file, or what is
// known of a folder. A file of no kind that is known is a failure where it was
// named, and passed over where it was found.
func (im *importer) below(ctx context.Context, path string) ([]source, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, memory.Errorf(memory.KindInvalid, "import", "%w", err)
	}
	fi, err := os.Stat(path)
	if err != nil {
		im.failed(path, err)
		return nil, nil
	}
	f, err := im.formats.Detect(path)
	switch {
	case err == nil:
		return []source{{path, f}}, nil
	case !fi.IsDir():
		im.failed(path, err)
		return nil, nil
	}
	var out []source
	err = filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return fs.SkipAll // run says that it was interrupted
		case err != nil:
			im.failed(path, err)
			return nil
		case !d.Type().IsRegular(): // links are not followed: they may lead in circles
			return nil
		}
		if f, err := im.formats.Detect(path); err == nil {
			out = append(out, source{path, f})
		} else {
			im.sum.Files.Unknown++
			im.sum.Unknown = append(im.sum.Unknown, path)
		}
		return nil
	})
	return out, err
}

func (im *importer) failed(path string, err error) {
	im.sum.Files.Failed++
	im.sum.Failures = append(im.sum.Failures, ImportFailure{Path: path, Error: importReason(err)})
}

// importReason is what to tell of an error. The person who imports may read the
// files: paths are theirs to see.
func importReason(err error) string {
	var e *memory.Error
	if errors.As(err, &e) {
		return e.Reason()
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}
