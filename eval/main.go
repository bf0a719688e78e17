// Command eval measures how good rnixfs is on labelled data. It is no part of the
// program that users run.
//
//	go run ./eval recall [--baseline] [--verbose] FILE...
//	go run ./eval recall --work [--data DIR] [--unseen] [--baseline] [--verbose]
//	go run ./eval scan [--baseline] [--kinds] [--without CATEGORIES] [--rules FILE] [--pii] [FILE...]
//	go run ./eval scan --data DIR [--show]
//	go run ./eval train [--negatives DIRS] [--rows DIR] [--out DIR]
//	go run ./eval writeback [--data DIR] [--by rules|model] [--verbose]
//	go run ./eval writeback [--data DIR] --prompts DIR | --answers DIR [--record FILE]
//
// What the figures mean stands in the comments of the packages below this one.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
)

// evaluation is one subcommand: it declares its flags, and returns what runs once
// they are parsed.
type evaluation func(flags *flag.FlagSet) func(ctx context.Context, args []string) error

var evaluations = map[string]evaluation{"recall": recall, "scan": scan, "train": train, "writeback": writeback}

func main() {
	if err := run(os.Args[1:]); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "eval:", err)
		}
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 || evaluations[args[0]] == nil {
		return errors.New("say what to measure: recall, scan, train or writeback; --help after it shows its flags")
	}
	flags := flag.NewFlagSet("eval "+args[0], flag.ContinueOnError)
	measure := evaluations[args[0]](flags)
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	return measure(context.Background(), flags.Args())
}
