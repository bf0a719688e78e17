package recall

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// TestTurnTable brings a table back from what is stored, and refuses one that was cut or
// belongs to another index.
func TestTurnTable(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		table := newTurnTable()
		for range rapid.IntRange(0, 30).Draw(rt, "steps") {
			uuid := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "uuid")
			if n, ok := table.numbers[uuid]; ok && rapid.IntRange(0, 4).Draw(rt, "remove") == 0 {
				table.remove(n)
				continue
			}
			n := table.put(conversation{UUID: uuid, Title: rapid.String().Draw(rt, "title"), Start: int64(rapid.IntRange(0, 9).Draw(rt, "start"))})
			turns, passages := rapid.IntRange(1, 3).Draw(rt, "turns"), uint32(rapid.IntRange(0, 5).Draw(rt, "passages"))
			table.grow(n, passages, turns, table.conversations[n].End+10, int64(passages)*7)
		}
		data, err := table.encode()
		must(rt, err)
		got, err := decodeTable(data, table.passages())
		must(rt, err)
		if !reflect.DeepEqual(got.numbers, table.numbers) || got.passages() != table.passages() || got.held != table.held ||
			got.words != table.words || got.live() != table.live() {
			rt.Fatalf("%+v, want %+v", got, table)
		}
		for p := range table.passages() {
			ap, an := table.beside(p)
			bp, bn := got.beside(p)
			if ap != bp || an != bn || got.isRemoved(p) != table.isRemoved(p) {
				rt.Fatalf("beside %d are %d and %d, want %d and %d", p, bp, bn, ap, an)
			}
		}
		for _, n := range table.numbers {
			if a, b := table.conversations[n], got.conversations[n]; a != b {
				rt.Fatalf("conversation %+v, want %+v", b, a)
			}
		}
		if _, err := decodeTable(data, table.passages()+1); err == nil {
			rt.Fatal("a table of another index was taken")
		}
		for n := range data {
			if _, err := decodeTable(data[:n], table.passages()); err == nil && table.passages() > 0 {
				rt.Fatalf("a table that was cut at %d of %d was taken", n, len(data))
			}
		}
	})
}
