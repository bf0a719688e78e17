package recall

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// TestTurnLog brings a table back from its log, and from the log of the table.
func TestTurnLog(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		table, log := newTurnTable(), &turnLog{}
		for range rapid.IntRange(0, 30).Draw(rt, "steps") {
			uuid := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "uuid")
			if o, ok := table.ordinals[uuid]; ok && rapid.IntRange(0, 4).Draw(rt, "remove") == 0 {
				table.remove(o)
				log.remove(o)
				continue
			}
			h := heldProcess{uuid: uuid, title: rapid.String().Draw(rt, "title"), start: int64(rapid.IntRange(0, 9).Draw(rt, "start"))}
			o := table.describe(h)
			log.describe(&h)
			turns, passages := rapid.IntRange(1, 3).Draw(rt, "turns"), uint32(rapid.IntRange(0, 5).Draw(rt, "passages"))
			end := table.processes[o].end + 10
			table.grow(o, passages, turns, end, int64(passages)*7)
			log.grow(o, passages, turns, end, int64(passages)*7)
		}
		again, err := replay(log.pending)
		must(rt, err)
		whole := &turnLog{}
		table.record(whole)
		short, err := replay(whole.pending)
		must(rt, err)
		for what, got := range map[string]*turnTable{"log": again, "rewritten log": short} {
			if !reflect.DeepEqual(got.ordinals, table.ordinals) || got.slots() != table.slots() || got.live != table.live {
				rt.Fatalf("%s: %+v, want %+v", what, got, table)
			}
			for slot := range table.slots() {
				ap, an := table.beside(slot)
				bp, bn := got.beside(slot)
				if ap != bp || an != bn {
					rt.Fatalf("%s: beside %d are %d and %d, want %d and %d", what, slot, bp, bn, ap, an)
				}
			}
			for _, o := range table.ordinals {
				a, b := table.processes[o], got.processes[o]
				a.firstRun, a.lastRun, b.firstRun, b.lastRun = 0, 0, 0, 0
				if a != b {
					rt.Fatalf("%s: process %+v, want %+v", what, b, a)
				}
			}
		}
		for n := range log.pending { // cut off anywhere, it is an error or a shorter log
			if _, err := replay(log.pending[:n]); err != nil && err != errLog {
				rt.Fatal(err)
			}
		}
	})
}

// TestTurnLogFile keeps a log over flushes and a rewriting, and refuses one that
// was changed.
func TestTurnLogFile(t *testing.T) {
	dir := t.TempDir()
	table, log := newTurnTable(), &turnLog{dir: dir}
	var mark []byte
	for _, uuid := range []string{"a", "b", "c"} {
		h := heldProcess{uuid: uuid}
		o := table.describe(h)
		log.describe(&h)
		table.grow(o, 2, 1, 10, 5)
		log.grow(o, 2, 1, 10, 5)
		if uuid == "c" {
			must(t, log.rewrite(table))
			log.pending = nil
		}
		var err error
		if mark, err = log.flush(table); err != nil {
			t.Fatal(err)
		}
		log.drop()
	}
	must(t, log.close())
	name := filepath.Join(dir, logName(log.generation))
	raw, err := os.ReadFile(name)
	must(t, err)
	must(t, os.WriteFile(name, append(bytes.Clone(raw), "written before a crash"...), 0o600))
	l, got, err := readLog(dir, mark)
	if err != nil || len(got.ordinals) != 3 || got.slots() != 6 {
		t.Fatalf("%+v, %v", got, err)
	}
	must(t, l.close())
	for what, b := range map[string][]byte{"changed": append([]byte{9}, raw[1:]...), "short": raw[:3]} {
		must(t, os.WriteFile(name, b, 0o600))
		if _, _, err := readLog(dir, mark); err == nil {
			t.Errorf("a log that is %s was taken", what)
		}
	}
}
