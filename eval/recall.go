package main

import (
	"context"
	"errors"
	"flag"
	"os"

	"github.com/rnixfs/rnixfs/eval/recalleval"
)

func recall(flags *flag.FlagSet) func(context.Context, []string) error {
	baseline := flags.Bool("baseline", false, "measure SQLite FTS5 and plain bleve on the same data, too")
	return func(ctx context.Context, files []string) error {
		if len(files) == 0 {
			return errors.New("name the files of labelled conversations")
		}
		all := &recalleval.Set{}
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
		return recalleval.Print(os.Stdout, named)
	}
}
