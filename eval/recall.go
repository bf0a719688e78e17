package main

import (
	"context"
	"errors"
	"flag"
	"os"

	"github.com/rnixfs/rnixfs/eval/recalleval"
)

func recall(flags *flag.FlagSet) func(context.Context, []string) error {
	baseline := flags.Bool("baseline", false, "measure SQLite FTS5 and bleve on the same data, too")
	work := flags.Bool("work", false, "ask the questions about work; the conversations lie in --data")
	data := flags.String("data", os.Getenv("RNIXFS_EVAL_DATA"), "the folder of the conversations of --work")
	unseen := flags.Bool("unseen", false, "with --work: also the third that is not looked at, as totals")
	flags.StringVar(&recalleval.Embeddings, "embeddings", "", "the address of a server that makes vectors, for a second look by meaning")
	verbose := flags.Bool("verbose", false, "list the questions, but for the unseen, with the rank of what answers them")
	return func(ctx context.Context, files []string) error {
		if len(files) == 0 && !*work {
			return errors.New("name the files of labelled conversations, or --work")
		}
		all := &recalleval.Set{}
		if *work {
			var err error
			if all, err = recalleval.Work(ctx, *data, *unseen); err != nil {
				return err
			}
		}
		for _, name := range files {
			set, err := recalleval.Read(name)
			if err != nil {
				return err
			}
			all.Conversations = append(all.Conversations, set.Conversations...)
		}
		named := []recalleval.Named{{Name: "rnixfs"}, {Name: "fts5"}, {Name: "bleve"}}
		if !*baseline {
			named = named[:1]
		}
		for i, measure := range []func(context.Context, *recalleval.Set) (*recalleval.Report, error){
			recalleval.Recall, recalleval.FTS5, recalleval.Bleve,
		}[:len(named)] {
			var err error
			if named[i].Report, err = measure(ctx, all); err != nil {
				return err
			}
		}
		if *verbose {
			recalleval.PrintAsked(os.Stdout, named)
		}
		return recalleval.Print(os.Stdout, named)
	}
}
