package file_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/file"
	"github.com/rnixfs/rnixfs/kernel/memory/providertest"
	"github.com/rnixfs/rnixfs/kernel/scanner"
)

const rejected = "Never deploy on Fridays, the user_id 2*3 isn't \"ready\"."

// disguises are the rejected text, dressed up.
var disguises = []string{
	rejected,
	"NEVER DEPLOY ON FRIDAYS, THE USER_ID 2*3 ISN'T \"READY\".",
	"never deploy on fridays, the user_id 2*3 isn't \"ready\"",
	"  Never   deploy\ton  Fridays, the user_id 2*3 isn't \"ready\".  ",
	"Never deploy\non Fridays,\r\nthe user_id 2*3\n\nisn't \"ready\".",
	"Never\u00a0deploy\u2003on\u202fFridays,\u3000the user_id 2*3 isn't \"ready\".",
	"Ne\u200bver dep\u00adloy on Fri\u2060days, the user_id 2*3 isn't \"ready\".",
	"\ufeffNever deploy on Fridays, the user_id 2*3 isn't \u202e\"ready\"\u202c.",
	"Ne\U000e0061ver deploy\ufe0f on Fridays, the user_id 2*3 isn't \"ready\".",
	"N\u0435v\u0435r d\u0435\u0440l\u043e\u0443 \u043en Fridays, the user_id 2*3 isn't \"ready\".", // Cyrillic
	"NEVER DEPLOY ON FRIDAYS, THE US\u0415R_ID 2*3 ISN'T \"READY\".",
	"Never deploy \u03bfn Frid\u03b1ys, the user_id 2*3 isn't \"ready\".", // Greek
	"Never deploy on Fridays, \u0422\u041dE user_id 2*3 isn't \"ready\".",
	"Ｎｅｖｅｒ ｄｅｐｌｏｙ ｏｎ Ｆｒｉｄａｙｓ， ｔｈｅ user_id ２＊３ isn't \"ready\".", // fullwidth
	"𝐍𝐞𝐯𝐞𝐫 𝑑𝑒𝑝𝑙𝑜𝑦 𝚘𝚗 𝔉𝔯𝔦𝔡𝔞𝔶𝔰, the user_id 2*3 isn't \"ready\".",
	"Ⓝever deploy on Fridays, the user_id 2*3 isn't \"ready\".",
	"Ne\u0338v\u0336er dep\u0337loy on Fridays, the user_id 2*3 isn't \"ready\".", // combining strokes
	"Ne\u0301ver de\u0300ploy ön Fridays, the user_id 2*3 isn't \"ready\".",       // combining accents
	"Never deploy on Fr\u0131days, the user_id 2*3 \u0131sn't \"ready\".",         // without a dot
	"“Never deploy on Fridays, the user_id 2*3 isn’t “ready”.”",
	"Never deploy on 'Fridays', the user_id 2*3 isn't ready.",
	"N\u20ddever deploy on Fridays, the user_id 2*3 isn't \"ready\".",
	"«Never deploy on Fridays, the user_id 2*3 isn‘t „ready“.»",
	"- Never deploy on Fridays, the user_id 2*3 isn't \"ready\".",
	"* - Never deploy on Fridays, the user_id 2*3 isn't \"ready\".",
	"12. Never deploy on Fridays, the user_id 2*3 isn't \"ready\".",
	"- 1) Never deploy on Fridays, the user_id 2*3 isn't \"ready\".",
	"—Never deploy on Fridays, the user_id 2*3 isn't \"ready\".",
	"> Never deploy on Fridays,\n> the user_id 2*3 isn't \"ready\".",
	"## Never deploy on Fridays, the user_id 2*3 isn't \"ready\"!",
	"Never deploy on Fridays, the user_id 2*3 isn't \"ready\"…",
	"(Never deploy on Fridays, the user_id 2*3 isn't \"ready\");",
	"**Never** deploy on _Fridays_, the `user_id` 2*3 isn't \"ready\".",
	"***N***ever dep**loy** on ~~Fridays~~, the user_id 2*3 isn't `\"ready\"`.",
	"Never deploy on Fridays, the user_id 2*3 isn't \"ready\"。",
	"• _**N\u0435ver**_  DEPLOY\non\u200b Fri\u00addays, the user_id 2*3 isn’t “ready” —",
}

// neighbours say something else.
var neighbours = []string{
	"Deploy on Fridays, the user_id 2*3 isn't \"ready\".",
	"Always deploy on Fridays, the user_id 2*3 isn't \"ready\".",
	"Never deploy on Mondays, the user_id 2*3 isn't \"ready\".",
	"Never deploy on Fridays, the user_id 2*3 is \"ready\".",
	"Never deploy on Fridays, the user_id 2*4 isn't \"ready\".",
	"Never deploy on Fridays, the user_id 23 isn't \"ready\".",
	"Never deploy on Fridays, the userid 2*3 isn't \"ready\".",
	"Never deploy on Fridays, the user_id -2*3 isn't \"ready\".",
	"Never deploy on Fridays, the user_id 2*3.5 isn't \"ready\".",
	"Never deploy on Fridays, the user_id 2*3 isn't \"ready\"?",
	"Never deploy on Fridays but this one, the user_id 2*3 isn't \"ready\".",
	"Never deploy on Fridays, the user_id 2*3 isn't \"ready\" yet.",
	"Don't deploy on Fridays, the user_id 2*3 isn't \"ready\".",
	"Never deploy at the end of the week.",
	"Never deploy on Fridays.",
	"Never deploy on Friday, the user_id 2*3 isn't \"ready\".",
	"The user_id 2*3 isn't \"ready\", never deploy on Fridays.",
	"Never redeploy on Fridays, the user_id 2*3 isn't \"ready\".",
	"Never deploy on Fridays, the user_id 2/3 isn't \"ready\".",
	"Never deploy on Fridays, the user-id 2*3 isn't \"ready\".",
	"Never deploy on Fridays, the group_id 2*3 isn't \"ready\".",
	"Never deploy on Fridays, a user_id 2*3 isn't \"ready\".",
	"Never deploy, on Fridays the user_id 2*3 isn't \"ready\".",
	"Never deploy on Fridays, the user_id 2*3 isn't \"steady\".",
	"Never deploy on Fridays and the user_id 2*3 isn't \"ready\".",
	"Never deploy on Fridays, the user_id 12*3 isn't \"ready\".",
	"Никогда не выкатываем по пятницам, user_id 2*3 не готов.",
	"Nie freitags ausrollen, die user_id 2*3 ist nicht \"ready\".",
	"Never deploy on Fridays, the user_id 2*3% isn't \"ready\".",
	"It is false: never deploy on Fridays, the user_id 2*3 isn't \"ready\".",
}

// TestLaundering: what a person rejected comes back in no disguise and by no road; what
// says something else is kept.
func TestLaundering(t *testing.T) {
	dir := t.TempDir()
	opts := file.Options{Alike: scanner.Alike}
	p := mustOpen(t, dir, opts)
	at := providertest.Start.Add(time.Hour)
	old := must(t, p, memory.Op{Action: memory.ActionAdd, Entry: memory.Entry{ID: "old", Content: rejected}}).Steps[0].After
	reject := providertest.Change(memory.Op{Action: memory.ActionRemove, Match: memory.Match{ID: "old"}})
	reject.At, reject.Said = at, at
	if _, err := p.Apply(context.Background(), reject); err != nil {
		t.Fatal(err)
	}
	refused := func(road, text string, ch memory.Change) {
		t.Helper()
		if _, err := p.Apply(context.Background(), ch); memory.KindOf(err) != memory.KindRemoved {
			t.Errorf("%s %q: %v", road, text, err)
		}
	}
	legacy := ""
	for i, text := range disguises {
		refused("write", text, providertest.Add(text))
		learned := providertest.Add(text)
		learned.Actor.Trust, learned.Said, learned.At = memory.TrustExtracted, at.Add(-time.Minute), at.Add(time.Hour)
		refused("extract", text, learned)
		imported := providertest.Add(text)
		imported.Actor.Trust = memory.TrustImported
		refused("import", text, imported)
		past := old.Clone()
		past.Content = text
		refused("restore", text, providertest.Change(memory.Op{Action: memory.ActionRestore, Match: memory.Match{ID: "old"}, Entry: *past}))
		write(t, dir, fmt.Sprint("edit-", i, ".md"), text+"\n")
		write(t, dir, fmt.Sprint("never-", i, ".md"), "---\nid: old\nkey: never\n---\n"+text+"\n")
		if !strings.Contains(text, "\n") {
			legacy += "§" + text + "\n"
		}
	}
	write(t, dir, "MEMORY.md", legacy)
	repair(t, p)
	if _, err := p.Apply(context.Background(), providertest.Change()); err != nil { // a sweep
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	p = mustOpen(t, dir, opts)
	if v, err := p.Load(context.Background()); err != nil || len(v.Entries) > 0 {
		t.Errorf("%d came back, %v", len(v.Entries), err)
		for _, e := range v.Entries {
			t.Logf("%q", e.Content)
		}
	}
	for i, text := range neighbours {
		ch := providertest.Add(text)
		ch.Ops[0].Entry.ID = fmt.Sprint("n", i)
		if _, err := p.Apply(context.Background(), ch); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}
