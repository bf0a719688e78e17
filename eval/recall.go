package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"

	"github.com/rnixfs/rnixfs/eval/recalleval"
)

func recall(flags *flag.FlagSet) func(context.Context, []string) error {
	baseline := flags.Bool("baseline", false, "measure SQLite FTS5 and plain bleve on the same data, too")
	results := flags.String("results", "", "write what became of each question to this file, a JSON object a line")
	asJSON := flags.Bool("json", false, "print JSON")
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
		named, err := measureRecall(ctx, all, *baseline, *results)
		if err != nil {
			return err
		}
		if !*asJSON {
			return recalleval.Print(os.Stdout, named)
		}
		object := map[string]*recalleval.Report{}
		for _, n := range named {
			object[n.Name] = n.Report
		}
		return printJSON(object)
	}
}

func measureRecall(ctx context.Context, set *recalleval.Set, baseline bool, results string) ([]recalleval.Named, error) {
	each, done := func(recalleval.Answer) error { return nil }, func() error { return nil }
	if results != "" {
		var err error
		if each, done, err = answersTo(results); err != nil {
			return nil, err
		}
	}
	ours, err := recalleval.Recall(ctx, set, each)
	if err := errors.Join(err, done()); err != nil {
		return nil, err
	}
	named := []recalleval.Named{{Name: "rnixfs", Report: ours}}
	if !baseline {
		return named, nil
	}
	fts5, err := recalleval.FTS5(ctx, set)
	if err != nil {
		return nil, err
	}
	plain, err := recalleval.Bleve(ctx, set)
	return append(named, recalleval.Named{Name: "fts5", Report: fts5}, recalleval.Named{Name: "bleve", Report: plain}), err
}

// answersTo returns what writes answers to a file, and what ends that.
func answersTo(name string) (each func(recalleval.Answer) error, done func() error, err error) {
	f, err := os.Create(name)
	if err != nil {
		return nil, nil, err
	}
	w := bufio.NewWriter(f)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return func(answer recalleval.Answer) error { return encoder.Encode(answer) },
		func() error { return errors.Join(w.Flush(), f.Close()) }, nil
}
