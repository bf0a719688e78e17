package main

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"

	"github.com/rnixfs/rnixfs/eval/scaneval"
)

func train(flags *flag.FlagSet) func(context.Context, []string) error {
	rows := flags.String("rows", "eval/scaneval/rows", "the folder of the labelled rows")
	out := flags.String("out", "kernel/scanner/rules/poison.weights", "the file of the weights")
	alarms := flags.Float64("alarms", 0.00002, "the share of the texts left out of the training that may be refused")
	negatives := flags.String("negatives", "", "folders of texts that steer nobody, divided by commas")
	return func(ctx context.Context, _ []string) error {
		files, err := filepath.Glob(filepath.Join(*rows, "sense_*.jsonl"))
		if err != nil || len(files) == 0 || *negatives == "" {
			return errors.Join(err, errors.New("name a folder with sense_*.jsonl, and folders of --negatives"))
		}
		labelled, err := readRows(files)
		if err != nil {
			return err
		}
		weights, err := scaneval.Train(ctx, os.Stdout, labelled, strings.Split(*negatives, ","), *alarms)
		if err != nil {
			return err
		}
		return os.WriteFile(*out, weights, 0o644) //nolint:gosec // embedded, and no secret
	}
}
