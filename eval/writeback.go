package main

import (
	"context"
	"flag"
	"os"

	"github.com/rnixfs/rnixfs/eval/writebackeval"
)

func writeback(flags *flag.FlagSet) func(context.Context, []string) error {
	var opts writebackeval.Options
	flags.StringVar(&opts.Labels, "labels", "", "a file of labels to use instead of the built-in ones")
	flags.StringVar(&opts.Data, "data", os.Getenv("RNIXFS_EVAL_DATA"), "the folder of the conversations")
	flags.StringVar(&opts.Split, "split", writebackeval.All, "train, test, other, unseen (test and other), all, or agents")
	verbose := flags.Bool("verbose", false, "list what was missed and what was wrong")
	asJSON := flags.Bool("json", false, "print JSON")
	return func(ctx context.Context, _ []string) error {
		r, err := writebackeval.Measure(ctx, opts)
		if err != nil {
			return err
		}
		if *asJSON {
			return printJSON(r)
		}
		return writebackeval.Print(os.Stdout, r, *verbose)
	}
}
