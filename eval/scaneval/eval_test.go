package scaneval_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rnixfs/rnixfs/eval/scaneval"
	"github.com/rnixfs/rnixfs/kernel/scanner"
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

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"notes.md":   "A plain paragraph.\n\nThe db password is Tr0ub4dor&3x\n\n\n\nAnother.\n",
		"image.bin":  "\x00the db password is Tr0ub4dor&3x",
		"talk.jsonl": `{"role":"user","content":"pw: Tr0ub4dor&3x\n\nand more"}` + "\n" + `{"role":"assistant","content":"noted"}` + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := scanner.New(scanner.Options{})
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	n, err := scaneval.Folder(t.Context(), dir, s, func(_ string, f scanner.Finding) {
		if shown++; strings.Contains(f.Preview, "Tr0u") {
			t.Errorf("%s shows the value", f.Preview)
		}
	})
	if err != nil || n.Texts != 5 || n.Flagged != 2 || n.Rules["rnix-password-prose"] != 2 || shown < 2 {
		t.Errorf("%+v, %d shown, %v", n, shown, err)
	}
	var out strings.Builder
	if err := scaneval.PrintFound(&out, n); err != nil || !strings.Contains(out.String(), "2 of 5 texts  400.000 in 1,000") {
		t.Errorf("%v: %s", err, &out)
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
