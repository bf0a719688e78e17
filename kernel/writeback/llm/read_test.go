package llm

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

const decided = `{"action":"add","worth":3,"category":"decision","scope":"project","text":"The old heater is never kept: it burns the glaze.","said":[{"turn":3,"quote":"the \"old\" heater burns the glaze"}],"reason":"it cost a batch"}`

func ops(operations ...string) string {
	return `{"operations":[` + strings.Join(operations, ",") + `]}`
}

func keptOf(a Answer) (texts []string) {
	for _, op := range a.Operations {
		texts = append(texts, op.Content)
	}
	return texts
}

func TestRead(t *testing.T) {
	want := []Operation{{
		Action: memory.ActionAdd, Content: "The old heater is never kept: it burns the glaze.", Scope: memory.ScopeProject, Category: "decision",
		Importance: 0.9, Turns: []string{"c"}, Quotes: []string{`the "old" heater burns the glaze`}, Reason: "it cost a batch",
	}}
	for name, answer := range map[string]string{
		"plain":              ops(decided),
		"fenced":             "Here it is:\n```json\n" + ops(decided) + "\n```\nAnything else?",
		"thoughts":           "<think>What about {\"operations\":[1]}? {no}</think>\n" + ops(decided),
		"thoughts of ollama": "Thinking...\n{\"operations\":[]}\n...done thinking.\n\n" + ops(decided),
		"braces in prose":    "I looked at {{.Turns}} and {\"a\": 1} {" + ops(decided) + " }",
		"a draft before":     ops() + "\nNo, wait:\n" + ops(decided),
		"trailing commas":    strings.Replace(ops(decided+","), `"}],"reason"`, `",},],"reason"`, 1),
		"a bad one beside":   ops(`5`, `"x"`, `{"action":7}`, decided, `null`),
		"turn as a string":   ops(strings.Replace(decided, `"turn":3`, `"turn":"3"`, 1)),
		"turn with a mark":   ops(strings.Replace(decided, `"turn":3`, `"turn":"#3"`, 1)),
		"turn in a list":     ops(strings.Replace(decided, `"turn":3`, `"turn":["3"]`, 1)),
		"turn of recall":     ops(strings.Replace(decided, `"turn":3`, `"turn":"0191f7c3-1111-7000-8000-3a3b3c3d0002#3"`, 1)),
		"one place, no list": ops(strings.NewReplacer(`[{"turn"`, `{"turn"`, `"}]`, `"}`).Replace(decided)),
		"flat":               ops(strings.NewReplacer(`"said":[{"turn":3,`, `"turns":["3"],`, `"}],"reason"`, `","reason"`).Replace(decided)),
		"worth as a string":  ops(strings.Replace(decided, `"worth":3`, `"worth":"3"`, 1)),
		"a false quote too":  ops(strings.Replace(decided, `"said":[`, `"said":[{"turn":1,"quote":"never said"},`, 1)),
		"typographic":        ops(strings.Replace(decided, `the \"old\" heater burns`, `the „old”   heater\n burns`, 1)),
	} {
		got, err := Read(answer, question())
		if name == "typographic" && len(got.Operations) == 1 {
			got.Operations[0].Quotes = want[0].Quotes
		}
		if diff := cmp.Diff(want, got.Operations); diff != "" || err != nil {
			t.Errorf("%s: %v %v\n%s", name, err, got.Dropped, diff)
		}
	}
}

// TestReadDrops drops what was not asked for, and says why.
func TestReadDrops(t *testing.T) {
	change := func(pairs ...string) string { return ops(strings.NewReplacer(pairs...).Replace(decided)) }
	for why, answer := range map[string]string{
		"worth":      change(`"worth":3`, `"worth":2`),
		"malformed":  change(`"action":"add"`, `"action":"guess"`),
		"empty":      change("The old heater is never kept: it burns the glaze.", "  "),
		"too_long":   change("The old heater", strings.Repeat("very ", 120)),
		"redacted":   change("The old heater", "[redacted:password]"),
		"unknown_id": change(`"action":"add"`, `"action":"remove","id":"K9"`),
		"unquoted":   change("burns", "heats"),
		"known":      change(`"turn":3,"quote":"the \"old\" heater burns the glaze"`, `"turn":1,"quote":"Make the kiln faster"`),
	} {
		got, err := Read(answer, question())
		if err != nil || len(got.Operations) != 0 || got.Dropped[why] != 1 {
			t.Errorf("%s: %v, %v", why, got, err)
		}
	}
	for name, said := range map[string]string{
		"another turn": `{"turn":2,"quote":"burns the glaze"}`, "no such turn": `{"turn":99,"quote":"burns the glaze"}`,
		"no turn": `{"quote":"burns the glaze"}`, "no quote": `{"turn":3}`, "a letter": `{"turn":3,"quote":"e"}`,
		"another case": `{"turn":3,"quote":"Burns the glaze"}`, "huge number": `{"turn":99999999999999999999,"quote":"burns"}`,
	} {
		got, err := Read(ops(`{"action":"add","text":"x","said":[`+said+`]}`), question())
		if err != nil || len(got.Operations) != 0 || got.Dropped["unquoted"] != 1 || len(got.Dropped) != 1 {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestReadFails(t *testing.T) {
	for name, answer := range map[string]string{
		"nothing": "", "prose": "I'd rather not.", "a list": "[]", "another object": `{"entries":[]}`, "null": `{"operations":null}`,
		"truncated": ops(decided)[:150], "in thoughts alone": "<think>" + ops(decided) + "</think>", "HTML": "<html>{}</html>",
		"braces": strings.Repeat(`{"a":`, 100000), "wrong type": `{"operations":"none"}`,
	} {
		if got, err := Read(answer, question()); memory.KindOf(err) != memory.KindInvalid || err == nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if got, err := Read(`{"operations":[]}`, question()); err != nil || len(got.Operations) != 0 {
		t.Errorf("nothing to keep: %v, %v", got, err)
	}
}

// TestReadChanges names known entries by the names that the prompt gave them.
func TestReadChanges(t *testing.T) {
	said := `"said":[{"turn":3,"quote":"burns the glaze"}]`
	got, err := Read(ops(
		`{"action":"update","id":"K1","text":"The heater is new.","worth":"high","scope":"user","category":"weather",`+said+`}`,
		`{"action":"remove","id":"[K2]","worth":3,"scope":"global",`+said+`}`,
		`{"action":"replace","id":"id-2","text":"Use wood.",`+said+`}`,
		`{"action":"remove","id":1,`+said+`}`,
	), question())
	if err != nil {
		t.Fatal(err)
	}
	turns, quotes := []string{"c"}, []string{"burns the glaze"}
	want := []Operation{
		{memory.ActionRemove, "id-2", "", memory.ScopeGlobal, "fact", 0.88, turns, quotes, ""},
		{memory.ActionReplace, "id-1", "The heater is new.", memory.ScopeUser, "fact", 0.6, turns, quotes, ""},
		{memory.ActionReplace, "id-2", "Use wood.", memory.ScopeProject, "fact", 0.56, turns, quotes, ""},
		{memory.ActionRemove, "id-1", "", memory.ScopeProject, "fact", 0.54, turns, quotes, ""},
	}
	if diff := cmp.Diff(want, got.Operations); diff != "" {
		t.Error(diff)
	}
}

func TestReadMost(t *testing.T) {
	var all []string
	for i := range 30 {
		all = append(all, strings.NewReplacer("The old heater", fmt.Sprintf("Heater %d", i), `"worth":3`, []string{`"worth":3`, `"worth":"?"`}[i%2]).Replace(decided))
	}
	q := question()
	q.Most = 15
	got, err := Read(ops(all...), q)
	if err != nil || got.Dropped["most"] != 15 || slices.ContainsFunc(got.Operations, func(o Operation) bool { return o.Importance < 0.5 }) {
		t.Errorf("%v, %v, %v", keptOf(got), got.Dropped, err)
	}
}

func TestReadSummary(t *testing.T) {
	answer := `{"operations":[],"summary":{"title":"Kiln","asked":"Make it\nfaster.","done":"Nothing.","learned":"","open":["the heater"]}}`
	got, err := Read(answer, question())
	want := memory.Summary{Title: "Kiln", Asked: "Make it faster.", Done: "Nothing.", Open: `["the heater"]`, Files: "heat.go", Ended: "exit 1 (error)"}
	if diff := cmp.Diff(want, got.Summary); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	q := question()
	for _, answer := range []string{`{"operations":[]}`, `{"operations":[],"summary":"x"}`, `{"operations":[],"summary":{"title":"x"}}`} {
		if got, err := Read(answer, q); err != nil || got.Summary != (memory.Summary{}) {
			t.Errorf("%s: %v, %v", answer, got.Summary, err)
		}
	}
	q.Session = false
	if got, err = Read(answer, q); err != nil || got.Summary != (memory.Summary{}) {
		t.Errorf("a summary that nobody wants: %v, %v", got.Summary, err)
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{ops(decided), "<think>{</think>" + ops(decided+","), `{"operations":[{"action":"remove","id":"K1","said":{"turn":[1],"quote":"Make the kiln"}}]}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		q := question()
		got, err := Read(answer, q)
		if err != nil && len(got.Operations) > 0 {
			t.Errorf("operations beside %v", err)
		}
		for _, op := range got.Operations {
			raw, _ := json.Marshal(op)
			if len(op.Turns) == 0 || len(op.Turns) != len(op.Quotes) || op.Scope == "" || op.Category == "" || (op.ID == "") != (op.Action == memory.ActionAdd) ||
				!slices.ContainsFunc(op.Turns, func(id string) bool { return id > "b" }) {
				t.Errorf("%s", raw)
			}
			for i, id := range op.Turns {
				at := strings.Index("abcdefg", id)
				if !strings.Contains(folded(q.Conversation.Turns[at].Content), folded(op.Quotes[i])) {
					t.Errorf("%s", raw)
				}
			}
		}
	})
}
