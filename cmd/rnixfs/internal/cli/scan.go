package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/daemon"
	"github.com/rnixfs/rnixfs/kernel/memory/config"
	"github.com/rnixfs/rnixfs/kernel/scanner"
	"github.com/rnixfs/rnixfs/kernel/scanner/eval"
)

type scanFlags struct {
	eval, baseline, kinds bool
	without               []string
	rules                 string
	pii, defaults, binary bool
}

func (a *app) scanCmd() *cobra.Command {
	var flags scanFlags
	cmd := &cobra.Command{
		Use:   "scan [FILE...]",
		Short: "Look for secrets and poison in files, or in standard input",
		Long: `scan judges texts as the mount judges what is to be remembered, and prints
where it found what: never the secret itself. Its exit code is 0 if nothing was
found that would be rejected, and 9 if something was. What is looked for, and what
becomes of it, is said by the keys scanner.* of memory.yaml; --defaults leaves them
aside. Files with a NUL byte in their first 8 KiB are binary, and passed over.

With --eval the files are labelled rows, JSON lines of {"text", "label": "pos" or
"neg", "category"}: it prints what share of them is flagged, by category, with the
defaults.`,
		Example: `  git log -p | rnixfs scan
  rnixfs scan --eval rows.jsonl --baseline`,
		RunE: func(c *cobra.Command, args []string) error {
			s, err := a.scanner(c.Context(), flags)
			if err != nil {
				return err
			}
			if flags.eval {
				return a.scanEval(c.Context(), s, args, flags)
			}
			return a.scanFiles(c.Context(), s, args, flags.binary)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&flags.defaults, "defaults", false, "scan as without a memory.yaml")
	f.BoolVar(&flags.binary, "binary", false, "scan binary files, too")
	f.StringVar(&flags.rules, "rules", "", "a file of rules of your own, in gitleaks' format, in the place of scanner.rules")
	f.BoolVar(&flags.pii, "pii", false, "look for addresses and numbers of cards, accounts and telephones, too")
	f.BoolVar(&flags.eval, "eval", false, "measure on labelled rows")
	f.BoolVar(&flags.baseline, "baseline", false, "with --eval: plain gitleaks beside it")
	f.BoolVar(&flags.kinds, "kinds", false, "with --eval: the kinds of each category, too")
	f.StringSliceVar(&flags.without, "without", []string{"pii"}, "with --eval: categories, by how they begin, that the sums leave out")
	return cmd
}

// scanner is the one that a write here meets, but for what the flags say.
func (a *app) scanner(ctx context.Context, flags scanFlags) (*scanner.Scanner, error) {
	loaded := &config.Loaded{Config: config.Default()}
	if !flags.defaults && !flags.eval {
		paths, err := daemon.UserPaths()
		if err != nil {
			return nil, err
		}
		if loaded, err = config.Working(ctx, daemon.ConfigSources(paths, a.config, "")); err != nil {
			return nil, withExit(exitConfig, err)
		}
		a.warn(loaded)
	}
	c := loaded.Config.Scanner
	if flags.pii {
		c.PII = config.ScanReject
	}
	if flags.rules != "" {
		c.Rules = flags.rules
	}
	s, err := scanner.New(daemon.ScannerOptions(c))
	if err != nil && flags.rules == "" {
		err = withExit(exitConfig, daemon.ScannerProblem(loaded, err))
	}
	return s, err
}

// eachInput calls do with each file, or with standard input, which is also "-".
func (a *app) eachInput(args []string, do func(name string, r io.Reader) error) error {
	if len(args) == 0 {
		return do("-", a.in)
	}
	for _, name := range args {
		if name == "-" {
			if err := do(name, a.in); err != nil {
				return err
			}
			continue
		}
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		err = do(name, f)
		_ = f.Close() // it was only read
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// found is one finding as scan prints it.
type found struct {
	File string `json:"file"`
	scanner.Finding
}

// binaryHead is how much of a file tells whether it is binary.
const binaryHead = 8 << 10

// isBinary goes by what git and grep go by: no text has a NUL byte.
func isBinary(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), binaryHead)], 0) >= 0
}

func (a *app) scanFiles(ctx context.Context, s *scanner.Scanner, args []string, binary bool) error {
	bad, skipped := false, 0
	err := a.eachInput(args, func(name string, r io.Reader) error {
		text, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		if name != "-" && !binary && isBinary(text) {
			skipped++
			return nil
		}
		return s.ScanLong(ctx, scanner.Field{Text: string(text)}, func(f scanner.Finding) error {
			bad = bad || f.Action == scanner.Reject
			return a.showFinding(found{name, f})
		})
	})
	if skipped > 0 {
		fmt.Fprintf(a.err, "rnixfs: binary files passed over: %d; --binary scans them\n", skipped)
	}
	if err == nil && bad {
		return withExit(exitFound, nil)
	}
	return err
}

func (a *app) showFinding(f found) error {
	if a.json {
		return json.NewEncoder(a.out).Encode(f)
	}
	_, err := fmt.Fprintf(a.out, "%s:%d:%d: %s (%s, %s): %s\n", f.File, f.Line, f.Column, f.Rule, f.Category, f.Action, f.Preview)
	return err
}

func (a *app) scanEval(ctx context.Context, s *scanner.Scanner, args []string, flags scanFlags) error {
	var rows []eval.Row
	err := a.eachInput(args, func(_ string, r io.Reader) error {
		more, err := eval.ReadRows(r)
		rows = append(rows, more...)
		return err
	})
	if err != nil {
		return err
	}
	opts := eval.Options{Without: flags.without}
	if flags.baseline {
		if opts.Baseline, err = eval.Plain(); err != nil {
			return err
		}
	}
	rep, err := eval.Measure(ctx, rows, func(ctx context.Context, text string) (bool, error) {
		rep, err := s.Scan(ctx, []scanner.Field{{Text: text}})
		return len(rep.Findings) > 0, err
	}, opts)
	if err != nil {
		return err
	}
	if a.json {
		return json.NewEncoder(a.out).Encode(rep)
	}
	return showEval(a.out, rep, flags.kinds)
}

func showEval(w io.Writer, rep eval.Report, kinds bool) error {
	list := rep.Groups
	if kinds {
		list = rep.Kinds
	}
	for _, t := range append(list, rep.Totals...) {
		what, name := "recall", t.Category
		if t.Label == "neg" {
			what = "false alarms"
		}
		if name == "" {
			name = "ALL"
		}
		line := fmt.Sprintf("%-12s  %-34s %6d rows  %6.2f %%", what, name, t.Rows, t.Share())
		if rep.Baseline != nil {
			line += fmt.Sprintf("   gitleaks %6.2f %%", t.BaselineShare())
		}
		if t.Refused > 0 {
			line += fmt.Sprintf("   (%d refused)", t.Refused)
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	err := showLatency(w, "time a row", rep.Latency)
	if err == nil && rep.Baseline != nil {
		err = showLatency(w, "gitleaks", *rep.Baseline)
	}
	return err
}

func showLatency(w io.Writer, what string, l eval.Latency) error {
	_, err := fmt.Fprintf(w, "%-12s  p50 %v, p99 %v, longest %v\n", what, l.P50.Round(time.Microsecond), l.P99.Round(time.Microsecond), l.Max.Round(time.Microsecond))
	return err
}
