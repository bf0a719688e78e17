package scaneval_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/rnixfs/rnixfs/eval/scaneval"
)

func TestMeasure(t *testing.T) {
	rows, err := scaneval.ReadRows(strings.NewReader(`{"text":"a bad one","label":"pos","category":"x/one"}

{"text":"another","label":"pos","category":"x/two"}
{"text":"huge","label":"pos","category":"left out"}
{"text":"bad luck","label":"neg","category":"prose","source":"s"}
`))
	if err != nil || len(rows) != 4 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	judge := func(_ context.Context, text string) (bool, error) {
		if text == "huge" {
			return false, errors.New("too large")
		}
		return strings.Contains(text, "bad"), nil
	}
	rep, err := scaneval.Measure(t.Context(), rows, judge, scaneval.Options{Baseline: judge, Without: []string{"left"}})
	if err != nil {
		t.Fatal(err)
	}
	want := []scaneval.Tally{
		{Label: "pos", Category: "", Rows: 2, Flagged: 1, Baseline: 1},
		{Label: "neg", Category: "", Rows: 1, Flagged: 1, Baseline: 1},
	}
	if len(rep.Totals) != 2 || rep.Totals[0] != want[0] || rep.Totals[1] != want[1] {
		t.Errorf("totals: %+v, want %+v", rep.Totals, want)
	}
	if len(rep.Kinds) != 4 || len(rep.Groups) != 3 || rep.Groups[0].Refused != 1 || rep.Groups[1].Share() != 50 {
		t.Errorf("kinds %+v, groups %+v", rep.Kinds, rep.Groups)
	}
}

func TestReadRowsRefuses(t *testing.T) {
	for _, bad := range []string{"not json", `{"text":"a"}`, `{"label":"maybe"}`} {
		if _, err := scaneval.ReadRows(strings.NewReader("{\"label\":\"pos\"}\n" + bad)); err == nil || !strings.Contains(err.Error(), "line 2") || strings.Contains(err.Error(), bad) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestPlainFindsWhatGitleaksFinds(t *testing.T) {
	plain, err := scaneval.Plain()
	if err != nil {
		t.Fatal(err)
	}
	token := "gh" + "p_" + "x7Kq2Vn9Lw4Rt6Yb1Mz8Hc3Jd5Gf0PsAeUoQ"
	for text, want := range map[string]bool{token: true, token + " # gitleaks:allow": false, "a word": false} {
		if got, err := plain(t.Context(), text); got != want || err != nil {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}
