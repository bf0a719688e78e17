package eval_test

import (
	"os"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/writeback/eval"
)

func TestFloor(t *testing.T) {
	data := os.Getenv("RNIXFS_EVAL_DATA")
	if data == "" {
		t.Skip("RNIXFS_EVAL_DATA names no folder of conversations")
	}
	split := os.Getenv("SPLIT")
	if split == "" {
		split = "train"
	}
	r, err := eval.Measure(t.Context(), eval.Options{Data: data, Split: split})
	if err != nil {
		t.Fatal(err)
	}
	eval.Print(os.Stdout, r, true)
	if os.Getenv("HITS") != "" {
		for _, f := range r.Hits {
			println("HIT", f.Conversation, f.Category, f.Content)
		}
	}
}
