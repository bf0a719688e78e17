package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/rnixfs/rnixfs/eval/scaneval"
	"github.com/rnixfs/rnixfs/kernel/scanner"
)

func scan(flags *flag.FlagSet) func(context.Context, []string) error {
	baseline := flags.Bool("baseline", false, "plain gitleaks beside it")
	kinds := flags.Bool("kinds", false, "the kinds of each category, too")
	without := flags.String("without", "pii", "categories, by how they begin and divided by commas, that the sums leave out")
	rules := flags.String("rules", "", "a file of rules of your own, in gitleaks' format")
	pii := flags.Bool("pii", false, "look for addresses and numbers of cards, accounts and telephones, too")
	asJSON := flags.Bool("json", false, "print JSON")
	return func(ctx context.Context, files []string) error {
		opts := scanner.Options{RulesFile: *rules, Policy: scanner.DefaultPolicy()}
		if *pii {
			opts.Policy[scanner.CategoryPII] = scanner.Reject
		}
		s, err := scanner.New(opts)
		if err != nil {
			return err
		}
		rows, err := readRows(files)
		if err != nil {
			return err
		}
		measured := scaneval.Options{Without: strings.Split(*without, ",")}
		if *baseline {
			if measured.Baseline, err = scaneval.Plain(); err != nil {
				return err
			}
		}
		rep, err := scaneval.Measure(ctx, rows, func(ctx context.Context, text string) (bool, error) {
			rep, err := s.Scan(ctx, []scanner.Field{{Text: text}})
			return len(rep.Findings) > 0, err
		}, measured)
		if err != nil {
			return err
		}
		if *asJSON {
			return printJSON(rep)
		}
		return scaneval.Print(os.Stdout, rep, *kinds)
	}
}

// readRows reads the rows of the files, or of standard input where none is named.
func readRows(files []string) ([]scaneval.Row, error) {
	if len(files) == 0 {
		return scaneval.ReadRows(os.Stdin)
	}
	var rows []scaneval.Row
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		more, err := scaneval.ReadRows(f)
		_ = f.Close() // it was only read
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		rows = append(rows, more...)
	}
	return rows, nil
}
