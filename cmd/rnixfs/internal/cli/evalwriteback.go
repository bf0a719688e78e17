package cli

import (
	"encoding/json"
	"os"

	"github.com/spf13/cobra"

	"github.com/rnixfs/rnixfs/kernel/writeback/eval"
)

func (a *app) evalWritebackCmd() *cobra.Command {
	opts := eval.Options{Data: os.Getenv("RNIXFS_EVAL_DATA"), Split: eval.All}
	verbose := false
	cmd := &cobra.Command{
		Use:   "writeback",
		Short: "Measure what is learned from labelled conversations, by rules",
		Long: `Measure what is learned from labelled conversations, by rules alone. The labels
are part of the program; the conversations are not, and lie in the folder of
--data, by default $RNIXFS_EVAL_DATA. See docs/writeback.md.`,
		Example: `  rnixfs eval writeback --data DIR --split test`,
		Args:    usageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			r, err := eval.Measure(c.Context(), opts)
			if err != nil {
				return err
			}
			if a.json {
				return json.NewEncoder(a.out).Encode(r)
			}
			return eval.Print(a.out, r, verbose)
		},
	}
	f := cmd.Flags()
	f.StringVar(&opts.Labels, "labels", "", "a file of labels to use instead of the built-in ones")
	f.StringVar(&opts.Data, "data", opts.Data, "the folder of the conversations")
	f.StringVar(&opts.Split, "split", opts.Split, "train, test, other, unseen (test and other) or all")
	f.BoolVarP(&verbose, "verbose", "v", false, "list what was missed and what was wrong")
	return cmd
}
