package recalleval

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

var turnForm = regexp.MustCompile(`^([^#]+)/[^/]+#[0-9]+$`)

var kinds = []string{"fix", "decision", "command", "when", "where", "error", "day", "open", "instruction", "reason"}

// TestWorkRows holds what the figures rest on: rows are whole, short and once there, and
// enough of each sort. A row is named by its id, for a third must not be read.
func TestWorkRows(t *testing.T) {
	rows, err := workRows()
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	spread, nothing, unseen := 0, 0, 0
	for _, r := range rows {
		if ids[r.id()] {
			t.Errorf("%s is there twice", r.id())
		}
		ids[r.id()] = true
		if !slices.Contains(kinds, r.Kind) || projects[r.Project] == nil {
			t.Errorf("%s: kind %q, project %q", r.id(), r.Kind, r.Project)
		}
		for text, most := range map[string]int{r.Question.Question: 200, r.Answer: 400} {
			if n := utf8.RuneCountInString(text); n == 0 || n > most || strings.Contains(text, "\n") {
				t.Errorf("%s: a text of %d characters, of at most %d on a line", r.id(), n, most)
			}
		}
		once := map[string]bool{}
		for _, e := range r.Evidence {
			once[e] = true
			m := turnForm.FindStringSubmatch(e)
			if m == nil || !slices.Contains(projects[r.Project], m[1]) {
				t.Errorf("%s: %q is no turn of %s", r.id(), e, r.Project)
			}
		}
		if len(once) != len(r.Evidence) || r.Spread && len(once) < 2 {
			t.Errorf("%s: %d turns of %d, spread %t", r.id(), len(once), len(r.Evidence), r.Spread)
		}
		if r.Spread {
			spread++
		}
		if len(r.Evidence) == 0 {
			nothing++
		}
		if r.Unseen {
			unseen++
		}
	}
	if len(rows) < 150 || spread < 30 || nothing < 20 || unseen < len(rows)/4 {
		t.Errorf("%d rows, %d spread, %d without an answer, %d unseen", len(rows), spread, nothing, unseen)
	}
}

// maxRun is how many words in a row a question or its answer may share with a turn of
// its evidence: a name or a command, no sentence.
const maxRun = 15

// TestWork measures the device on the questions about work, and holds that each turn of
// the evidence is there and was not copied. The floors are a little below what was
// measured, so that a change that costs quality is seen.
func TestWork(t *testing.T) {
	data := os.Getenv("RNIXFS_EVAL_DATA")
	if data == "" {
		t.Skip("RNIXFS_EVAL_DATA is not set")
	}
	set, err := Work(t.Context(), data, true)
	if err != nil {
		t.Fatal(err)
	}
	turns := map[string]string{}
	for _, c := range set.Conversations {
		for _, s := range c.Sessions {
			for _, turn := range s.Turns {
				turns[turn.ID] = turn.Content
			}
		}
	}
	rows, err := workRows()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		for _, e := range r.Evidence {
			turn, ok := turns[e]
			if !ok {
				t.Errorf("%s: there is no turn %s", r.id(), e)
			}
			if n := max(sharedRun(r.Question.Question, turn), sharedRun(r.Answer, turn)); n > maxRun {
				t.Errorf("%s shares %d words in a row with %s", r.id(), n, e)
			}
		}
	}
	report, err := Recall(t.Context(), set)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.asked) != report.Categories["tuned"].Questions+report.Categories["tuned"].Unanswerable {
		t.Errorf("%d questions are shown", len(report.asked))
	}
	var out bytes.Buffer
	PrintAsked(&out, []Named{{"rnixfs", report}})
	for _, r := range rows {
		if r.Unseen && strings.Contains(out.String(), r.Question.Question) {
			t.Errorf("%s is shown", r.id())
		}
	}
	for part, floor := range map[string]float64{"tuned": 0.42} {
		if m := report.Categories[part]; m.Hit5 < floor {
			t.Errorf("%s: hit@5 %.3f is below %.3f", part, m.Hit5, floor)
		}
	}
}

// sharedRun is the most words in a row of a that b has, too.
func sharedRun(a, b string) int {
	words := func(s string) []string {
		return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	}
	list, text, most := words(a), " "+strings.Join(words(b), " ")+" ", 0
	for i := range list {
		for i+most < len(list) && strings.Contains(text, " "+strings.Join(list[i:i+most+1], " ")+" ") {
			most++
		}
	}
	return most
}
