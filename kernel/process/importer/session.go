package importer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/process/transcript"
)

// Importer brings conversations of one user into a store.
type Importer struct {
	Store *process.Store
	UID   uint32
	Home  string // the user's home directory, where agents keep their histories
	// FindProject returns the root of the project that a directory lies in.
	FindProject func(dir string) (root string, ok bool)
	// Ledger is the file that remembers which files were imported.
	Ledger string
	// Name is a path as it is kept and shown, or a hash of what the scanner would not have
	// stored of it; nil: the path.
	Name func(label, text string) string

	formats []transcript.Format // nil: all of package transcript
	detect  func(path string) (transcript.Format, error)
}

// Options say what to import.
type Options struct {
	Paths   []string // files, or folders that are searched for them
	All     bool     // wherever the known agents keep their histories
	Project string   // the project of every conversation; "": each one's own
	Here    string   // the project of conversations that name no directory; "" is the home project
	DryRun  bool     // say what would be done, and keep nothing
	Force   bool     // read files that have not changed since they were imported
	// Progress, if any, is called in between. It must not block.
	Progress func(done, files int, s *Summary)
}

// Summary is what an import did.
type Summary struct {
	DryRun        bool           `json:"dry_run,omitempty"`
	Interrupted   bool           `json:"interrupted,omitempty"`
	Files         Files          `json:"files"`
	Conversations Conversations  `json:"conversations"`
	Turns         int            `json:"turns_added"`
	Masked        int            `json:"turns_masked"` // of Turns: something in them was masked
	Skipped       map[string]int `json:"records_skipped,omitempty"`
	Failures      []Failure      `json:"failures,omitempty"`
	Unknown       []string       `json:"unknown_files,omitempty"` // of no known kind: those of Files.Unknown
}

// Files counts files by what became of them.
type Files struct {
	Read      int `json:"read"`
	Unchanged int `json:"unchanged"` // not read: they are as they were last time
	Unknown   int `json:"unknown"`   // in a folder that was searched, and of no known kind
	Failed    int `json:"failed"`
}

// Conversations counts the conversations of the files that were read.
type Conversations struct {
	New       int `json:"new"`
	Updated   int `json:"updated"`   // got more turns
	Unchanged int `json:"unchanged"` // all turns were there
	Removed   int `json:"removed"`   // were removed here before, and stay so
}

// Failure is a file that could not be imported, or not whole.
type Failure struct {
	Path  string `json:"path"`
	Error string `json:"error"`
}

// session is one import at work.
type session struct {
	*Importer
	Options
	ledger *ledger
	sum    Summary
}

func (im *Importer) session(opts Options) *session {
	return &session{
		Importer: im, Options: opts, ledger: &ledger{},
		sum: Summary{DryRun: opts.DryRun, Skipped: map[string]int{}},
	}
}

// ProjectOf returns the project of a conversation that was held in a directory:
// the project that the directory lies in; the home project for a directory that is
// there and in none; the directory itself where it is not there.
func ProjectOf(dir string, find func(dir string) (root string, ok bool)) string {
	if !filepath.IsAbs(dir) {
		return ""
	}
	dir = filepath.Clean(dir)
	if root, ok := find(dir); ok {
		return root
	}
	if fi, err := os.Stat(dir); err == nil && fi.IsDir() {
		return ""
	}
	return dir
}

func (im *Importer) known() []transcript.Format {
	if im.formats != nil {
		return im.formats
	}
	return transcript.Formats()
}

func (im *Importer) formatOf(path string) (transcript.Format, error) {
	if im.detect != nil {
		return im.detect(path)
	}
	return transcript.Detect(path)
}

func (s *session) failed(path string, err error) {
	s.sum.Files.Failed++
	s.sum.Failures = append(s.sum.Failures, Failure{Path: s.name(path), Error: s.name(reason(err))})
}

func (s *session) name(text string) string {
	if s.Name == nil {
		return text
	}
	return s.Importer.Name("", text)
}

// reason is the text of an error for the person who imports, who may see the paths.
func reason(err error) string {
	if e, ok := errors.AsType[*memory.Error](err); ok {
		return e.Reason()
	}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err.Error()
	}
	return err.Error()
}
