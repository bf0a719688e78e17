package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/daemon"
	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/paths"
	"github.com/rnixfs/rnixfs/kernel/config"
	"github.com/rnixfs/rnixfs/kernel/gate"
	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/scanner"
)

type scanFlags struct {
	rules                      string
	pii, defaults, binary, why bool
}

func scanCmd(a *app) *cobra.Command {
	var flags scanFlags
	cmd := &cobra.Command{
		Use:   "scan [FILE...]",
		Short: "Look for secrets and poison in files, or in standard input",
		Long: `scan judges texts as the mount judges what is to be remembered, and prints
where it found what: never the secret itself. Its exit code is 0 if nothing was
found that would be rejected, and 9 if something was. What is looked for, and what
becomes of it, is said by the keys scanner.* of memory.yaml; --defaults leaves them
aside. Files with a NUL byte in their first 8 KiB are binary, and passed over.`,
		Example: `  git log -p | rnixfs scan`,
		RunE: func(c *cobra.Command, args []string) error {
			s, err := newScanner(c.Context(), a, flags)
			if err != nil {
				return err
			}
			return scanFiles(c.Context(), a, s, args, flags)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&flags.defaults, "defaults", false, "scan as without a memory.yaml")
	f.BoolVar(&flags.why, "why", false, "say which words made a rule fire, and what would pass in their place")
	f.BoolVar(&flags.binary, "binary", false, "scan binary files, too")
	f.StringVar(&flags.rules, "rules", "", "a file of rules of your own, in gitleaks' format, in the place of scanner.rules")
	f.BoolVar(&flags.pii, "pii", false, "look for addresses and numbers of cards, accounts and telephones, too")
	return cmd
}

// newScanner makes the one that a write here meets, but for what the flags say.
func newScanner(ctx context.Context, a *app, flags scanFlags) (*scanner.Scanner, error) {
	loaded := &config.Loaded{Config: config.Default()}
	if !flags.defaults {
		var err error
		if loaded, err = a.settings(ctx, ""); err != nil {
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
	p, err := paths.Find()
	if err != nil {
		return nil, err
	}
	opts := gate.Options(c, daemon.FingerprintKey(p))
	opts.Explain = flags.why
	s, err := scanner.New(opts)
	if err != nil && flags.rules == "" {
		err = withExit(exitConfig, gate.Problem(loaded, err))
	}
	return s, err
}

// eachInput calls do with each file, or with standard input, which is also "-".
func eachInput(a *app, args []string, do func(name string, r io.Reader) error) error {
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

// scanned is one finding as scan prints it.
type scanned struct {
	File string `json:"file"`
	scanner.Finding
}

// binaryHead is how much of a file tells whether it is binary.
const binaryHead = 8 << 10

// isBinary goes by what git and grep go by: no text has a NUL byte.
func isBinary(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), binaryHead)], 0) >= 0
}

func scanFiles(ctx context.Context, a *app, s *scanner.Scanner, args []string, flags scanFlags) error {
	bad, skipped := false, 0
	err := eachInput(a, args, func(name string, r io.Reader) error {
		text, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		if name != "-" && !flags.binary && isBinary(text) {
			skipped++
			return nil
		}
		return s.ScanLong(ctx, scanner.Field{Text: string(text)}, func(f scanner.Finding) error {
			bad = bad || f.Action == scanner.Reject
			return showFinding(a, scanned{shown(name), f}, flags.why)
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

func showFinding(a *app, f scanned, why bool) error {
	line := fmt.Sprintf("%s:%d:%d: %s (%s, %s): %s", f.File, f.Line, f.Column, f.Rule, f.Category, f.Action, f.Preview)
	if why {
		line += "\n    it is taken for: " + f.Description
		if f.Keyword != "" {
			line += fmt.Sprintf("\n    looked at for: %q", f.Keyword)
		}
		if f.Words != "" && f.Category == scanner.CategoryUnicode {
			line += fmt.Sprintf("\n    the characters: %+q", f.Words)
		} else if f.Words != "" {
			line += fmt.Sprintf("\n    the words: %q", memory.Cut(f.Words, 200))
		}
		line += "\n    what would pass: " + f.Hint
	}
	return a.say(f, line)
}
