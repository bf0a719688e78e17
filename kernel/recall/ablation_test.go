package recall_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/recall"
	"github.com/rnixfs/rnixfs/kernel/recall/eval"
)

func TestX(t *testing.T) {
	spec := os.Getenv("SPEC")
	if spec == "" {
		t.Skip()
	}
	s, err := eval.Read("/work/shared/data/locomo/locomo7.json")
	if err != nil {
		t.Fatal(err)
	}
	tune, held := &eval.Set{Conversations: s.Conversations[:4]}, &eval.Set{Conversations: s.Conversations[4:]}
	for _, line := range strings.Split(spec, ";") {
		recall.WithTuning(func(tu *recall.Tuning) {
			for _, kv := range strings.Fields(line) {
				k, v, _ := strings.Cut(kv, "=")
				x, err := strconv.ParseFloat(v, 64)
				if err != nil {
					panic(err)
				}
				tu.Set(k, x)
			}
		}, func() {
			out := fmt.Sprintf("%-40s", line)
			for _, part := range []*eval.Set{tune, held} {
				r, err := eval.Recall(t.Context(), part, nil)
				if err != nil {
					t.Fatal(err)
				}
				out += fmt.Sprintf(" | %.1f %.1f %.1f %.4f n%.3f s %.1f %.1f", 100*r.Hit1, 100*r.Hit5, 100*r.Hit10, r.MRR, r.NDCG10, 100*r.SessionHit1, 100*r.SessionHit5)
			}
			fmt.Println(out)
		})
	}
}
