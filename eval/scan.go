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
	data := flags.String("data", "", "a folder: count the turns and paragraphs in it that each rule fires on")
	show := flags.Bool("show", false, "with --data, each finding, masked")
	return func(ctx context.Context, files []string) error {
		opts := scanner.Options{RulesFile: *rules, Policy: scanner.DefaultPolicy()}
		if *pii {
			opts.Policy[scanner.CategoryPII] = scanner.Reject
		}
		s, err := scanner.New(opts)
		if err != nil {
			return err
		}
		if *data != "" {
			return scanFolder(ctx, *data, s, *show)
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
		return scaneval.Print(os.Stdout, rep, *kinds)
	}
}

func scanFolder(ctx context.Context, dir string, s *scanner.Scanner, show bool) error {
	var each func(string, scanner.Finding)
	if show {
		each = func(path string, f scanner.Finding) {
			fmt.Printf("%s: %d: %s (%s): %s\n", path, f.Line, f.Rule, f.View, f.Preview)
		}
	}
	n, err := scaneval.Folder(ctx, dir, s, each)
	if err != nil {
		return err
	}
	return scaneval.PrintFound(os.Stdout, n)
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
