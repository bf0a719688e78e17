package main

import (
	"context"
	"flag"
	"os"

	"github.com/rnixfs/rnixfs/eval/writebackeval"
)

func writeback(flags *flag.FlagSet) func(context.Context, []string) error {
	data := flags.String("data", os.Getenv("RNIXFS_EVAL_DATA"), "the folder of the conversations")
	by := flags.String("by", writebackeval.ByRules, "who extracts: rules, or model (its recorded answers)")
	prompts := flags.String("prompts", "", "write the prompt of each conversation to a file CONVERSATION.HASH.txt in this folder")
	answers := flags.String("answers", "", "record the answers CONVERSATION.HASH.json of this folder, and print each entry for a judge")
	record := flags.String("record", "eval/writebackeval/testdata/answers.jsonl", "where --answers records them")
	verbose := flags.Bool("verbose", false, "list what was missed and what was wrong")
	return func(ctx context.Context, _ []string) error {
		switch {
		case *prompts != "":
			return writebackeval.WritePrompts(ctx, os.Stdout, *data, *prompts)
		case *answers != "":
			return writebackeval.TakeAnswers(ctx, os.Stdout, *data, *answers, *record)
		}
		r, err := writebackeval.Measure(ctx, *data, *by)
		if err != nil {
			return err
		}
		return writebackeval.Print(os.Stdout, r, *verbose)
	}
}
