package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rnixfs/rnixfs/eval/scaneval"
)

func train(flags *flag.FlagSet) func(context.Context, []string) error {
	rows := flags.String("rows", "eval/scaneval/rows", "the folder of the labelled rows")
	out := flags.String("out", "kernel/scanner/rules", "the folder of the weights")
	alarms := flags.Float64("alarms", 0.00003, "the share of the texts left out of the training that may be refused")
	negatives := flags.String("negatives", "", "folders of texts that steer nobody, divided by commas; without any, only the words around acts are learnt")
	return func(ctx context.Context, _ []string) error {
		acts, err := rowsOf(*rows, "guard_*.jsonl")
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(*out, "guard.weights"), scaneval.TrainGuard(acts), 0o644); err != nil || *negatives == "" { //nolint:gosec // embedded, and no secret
			return err
		}
		labelled, err := rowsOf(*rows, "sense_*.jsonl")
		if err != nil {
			return err
		}
		for _, r := range acts { // who forbids or reports an act steers nobody
			if r.Label == "neg" {
				labelled = append(labelled, r)
			}
		}
		weights, err := scaneval.Train(ctx, os.Stdout, labelled, strings.Split(*negatives, ","), *alarms)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(*out, "poison.weights"), weights, 0o644) //nolint:gosec // embedded, and no secret
	}
}

func rowsOf(dir, pattern string) ([]scaneval.Row, error) {
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(files) == 0 {
		return nil, errors.Join(err, fmt.Errorf("no %s in %s", pattern, dir))
	}
	return readRows(files)
}
