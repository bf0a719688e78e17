package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/daemon"
	"github.com/rnixfs/rnixfs/kernel/memory/exchange"
	"github.com/rnixfs/rnixfs/kernel/process/importer"
)

func importCmd(a *app) *cobra.Command {
	var opts importer.Options
	var move exchange.Options
	var verbose bool
	cmd := &cobra.Command{
		Use:   "import [PATH...]",
		Short: "Take in past conversations of other agents' programs",
		Long: `Take in past conversations from the files that other agents' programs keep. Of
what kind a file is, rnixfs finds out by itself; a folder is searched. --all looks
where the programs that are known keep their histories.

Secrets are masked before anything is stored. Each conversation belongs to the
project whose directory it was held in. Importing again adds only what is new; a
conversation that you removed does not come back.

With --from, take in the entries of another memory system instead: each passes the
scanner, is marked as imported, and is left where it is there already.`,
		Example: `  rnixfs import --all --dry-run
  rnixfs import ~/.claude/projects
  rnixfs import --from claude-memory ~/.claude/projects/-home-ada-shop/memory`,
		RunE: func(c *cobra.Command, args []string) error {
			if move.From != "" && (len(args) != 1 || opts.All || opts.Force) || move.From == "" && move.Scope != "" {
				return withExit(exitUsage, errors.New("import: --from takes one path, without --all and --force; --scope goes with it\nsee: rnixfs import --help"))
			}
			if len(args) == 0 && !opts.All {
				return withExit(exitUsage, errors.New("import: name files or folders, or say --all\nsee: rnixfs import --help"))
			}
			if opts.Project != "" {
				dir, err := projectDir(opts.Project)
				if err != nil {
					return err
				}
				opts.Project = dir
			}
			if move.From != "" {
				move.Path, move.DryRun = args[0], opts.DryRun
				return importEntries(c.Context(), a, move, opts.Project)
			}
			opts.Paths, opts.Here = args, daemon.Self().Project
			return importAll(c.Context(), a, opts, verbose)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&opts.All, "all", false, "look where the programs that are known keep their histories")
	f.StringVar(&opts.Project, "project", "", "the project of all the conversations, instead of each one's own")
	f.BoolVar(&opts.DryRun, "dry-run", false, "say what would be taken in, and keep nothing")
	f.StringVar(&move.From, "from", "", "take in entries, not conversations: "+strings.Join(exchange.Formats(), ", "))
	f.StringVar((*string)(&move.Scope), "scope", "", "with --from: the scope of all entries, whatever the files say")
	f.BoolVarP(&verbose, "verbose", "v", false, "name all files of no known kind, not only ten")
	f.BoolVar(&opts.Force, "force", false, "read files again that have not changed since they were imported")
	return cmd
}

func importAll(ctx context.Context, a *app, opts importer.Options, verbose bool) error {
	return a.withOwn(ctx, func(own *daemon.User) error {
		line := newProgress(a.err)
		if line != nil {
			opts.Progress = line.show
		}
		sum, err := own.Importer.Import(ctx, opts)
		line.clear()
		err = errors.Join(err, a.print(sum, func(w io.Writer) {
			showImport(w, &sum)
			listed(a.err, len(sum.Failures), maxFailures, "more; --json lists them", func(i int) string {
				return oneLine(sum.Failures[i].Path, 400) + ": " + oneLine(sum.Failures[i].Error, 400)
			})
			unknown := maxUnknown
			if verbose {
				unknown = len(sum.Unknown)
			}
			listed(a.err, len(sum.Unknown), unknown, "more of no known kind; --verbose names them", func(i int) string {
				return "of no known kind: " + oneLine(sum.Unknown[i], 400)
			})
		}))
		switch {
		case err != nil:
			return err
		case sum.Interrupted:
			return errors.New("import: interrupted; what was taken in is kept, and the same command goes on")
		case sum.Files.Failed > 0:
			return withExit(exitPartly, nil)
		}
		return nil
	})
}

const (
	maxFailures = 20 // shown to a person; --json has them all
	maxUnknown  = 10 // files of no known kind that are named unasked
)

// listed warns of n things, of at most so many by name.
func listed(w io.Writer, n, most int, more string, name func(int) string) {
	for i := range min(n, most) {
		fmt.Fprintf(w, "rnixfs: %s\n", name(i))
	}
	if n > most {
		fmt.Fprintf(w, "rnixfs: and %d %s\n", n-most, more)
	}
}

func showImport(w io.Writer, s *importer.Summary) {
	verb := "taken in"
	if s.DryRun {
		verb = "to be taken in"
	}
	n := s.Conversations
	fmt.Fprintf(w, "conversations: %d new, %d updated, %d unchanged, %d removed before\n", n.New, n.Updated, n.Unchanged, n.Removed)
	fmt.Fprintf(w, "turns: %d %s, %d of them with something masked\n", s.Turns, verb, s.Masked)
	fmt.Fprintf(w, "files: %d read, %d unchanged, %d of no known kind, %d failed\n", s.Files.Read, s.Files.Unchanged, s.Files.Unknown, s.Files.Failed)
	if len(s.Skipped) > 0 {
		var kinds []string
		for _, kind := range slices.Sorted(maps.Keys(s.Skipped)) {
			kinds = append(kinds, fmt.Sprintf("%d %s", s.Skipped[kind], oneLine(kind, 60)))
		}
		fmt.Fprintf(w, "records passed over: %s\n", strings.Join(kinds, ", "))
	}
}

// progress is one line on a terminal that is drawn again and again.
type progress struct {
	out   io.Writer
	drawn time.Time
}

// newProgress returns nil where nobody watches.
func newProgress(w io.Writer) *progress {
	if f, ok := w.(*os.File); ok && isTerminal(f) {
		return &progress{out: w}
	}
	return nil
}

func (p *progress) show(done, files int, s *importer.Summary) {
	if now := time.Now(); now.Sub(p.drawn) > 100*time.Millisecond {
		p.drawn = now
		fmt.Fprintf(p.out, "\r\x1b[K%d of %d files, %d turns", done, files, s.Turns)
	}
}

func (p *progress) clear() {
	if p != nil && !p.drawn.IsZero() {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
