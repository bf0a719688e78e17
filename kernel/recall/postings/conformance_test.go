package postings

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func testOptions(dir string) Options {
	return Options{
		Dir: dir, Fields: []string{"text", "around"}, NoPositions: []bool{false, true},
		RowSize: 8, Fingerprint: "test",
		tailBytes: 4 << 10,
	}
}

func mustOpen(t fataler, opts Options) Index {
	t.Helper()
	ix, err := Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	return ix
}

type fataler interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// vocabulary has terms that are common, rare, empty, and not text at all.
var vocabulary = []string{"", "a", "b", "be", "bee", "\x00", "\xff\xfe", "日本", "z"}

// lengths are the usual ones and the ends of what a norm holds.
var lengths = []uint32{0, 1, 60, 126, 127, 128, longNorm - 2, longNorm - 1, longNorm, 1<<32 - 1}

// document draws one, some of whose terms stand too often or too far apart to be
// packed.
func document(t *rapid.T, slot int) Document {
	d := Document{Row: binary.LittleEndian.AppendUint64(nil, uint64(slot)*7919)}
	for f := range rapid.IntRange(0, 2).Draw(t, "fields") {
		terms := rapid.SliceOfNDistinct(rapid.SampledFrom(vocabulary), 0, 5, rapid.ID[string]).Draw(t, fmt.Sprint("terms", f))
		var field []Term
		for _, text := range terms {
			far := rapid.SampledFrom([]uint32{3, 100, 1 << 20, 1<<32 - 1}).Draw(t, "far")
			at := rapid.SliceOfN(rapid.Uint32Range(0, far), 1, 12).Draw(t, "positions")
			slices.Sort(at)
			field = append(field, Term{text, at})
		}
		d.Fields = append(d.Fields, field)
		d.Lengths = append(d.Lengths, rapid.SampledFrom(lengths).Draw(t, "length"))
	}
	return d
}

// asModel fills up what the model wants whole.
func asModel(docs []Document) []Document {
	out := slices.Clone(docs)
	for i := range out {
		out[i].Lengths = append(slices.Clone(out[i].Lengths), 0, 0)[:2]
	}
	return out
}

// describe is all that a snapshot can be asked for.
func describe(t fataler, s Snapshot) string {
	t.Helper()
	var b bytes.Buffer
	fmt.Fprintln(&b, s.Slots(), s.Live(), s.Total(0), s.Total(1))
	for slot := range s.Slots() {
		fmt.Fprintf(&b, "%v %x %d %d\n", s.Deleted(slot), s.Row(slot), s.Length(slot, 0), s.Length(slot, 1))
	}
	for _, term := range append(vocabulary, "absent") {
		for field := range 2 {
			for _, positions := range []bool{false, true} {
				err := s.Each(term, field, positions, func(slot, freq uint32, at []uint32) bool {
					fmt.Fprintln(&b, term, field, slot, freq, len(at), at)
					return true
				})
				if err != nil {
					t.Fatalf("each %q: %v", term, err)
				}
			}
			err := s.EachLength(term, field, func(slot, freq, length uint32) bool {
				fmt.Fprintln(&b, term, field, slot, freq, length)
				return true
			})
			if err != nil {
				t.Fatalf("each length %q: %v", term, err)
			}
		}
	}
	return b.String()
}

// pair is an index under test and its model.
type pair struct {
	opts           Options
	ix             Index
	model, flushed *inMemory
	kept           []Snapshot
	told           []string
}

func (p *pair) append(t *rapid.T) {
	var docs []Document
	slots := p.model.now.slots()
	for i := range rapid.IntRange(0, 30).Draw(t, "n") {
		docs = append(docs, document(t, slots+i))
	}
	got, err := p.ix.Append(docs)
	if err != nil || int(got) != slots {
		t.Fatalf("append: %d for %d, %v", got, slots, err)
	}
	_, _ = p.model.Append(asModel(docs))
}

func (p *pair) delete(t *rapid.T) {
	slots := rapid.SliceOfN(rapid.Uint32Range(0, uint32(p.model.now.slots())+3), 0, 20).Draw(t, "slots")
	if err := p.ix.Delete(slots); err != nil {
		t.Fatal(err)
	}
	_ = p.model.Delete(slots)
}

func (p *pair) flush(t *rapid.T) {
	mark := rapid.SliceOfN(rapid.Byte(), 0, 5).Draw(t, "mark")
	if err := p.ix.Flush(mark); err != nil {
		t.Fatal(err)
	}
	_ = p.model.Flush(mark)
	p.flushed = p.model.clone()
}

func (p *pair) reopen(t *rapid.T) {
	if err := p.ix.Close(); err != nil {
		t.Fatal(err)
	}
	p.checkKept(t)
	if p.opts.Dir == "" {
		p.flushed = newInMemory(p.opts)
	}
	p.ix = mustOpen(t, p.opts)
	p.model = p.flushed.clone()
}

func (p *pair) keep(t *rapid.T) {
	s := p.ix.Snapshot()
	p.kept, p.told = append(p.kept, s), append(p.told, describe(t, s))
}

func (p *pair) check(t *rapid.T) {
	s, want := p.ix.Snapshot(), p.model.Snapshot()
	defer s.Close()
	if got, want := describe(t, s), describe(t, want); got != want {
		t.Fatalf("got:\n%s\nwant:\n%s", got, want)
	}
	if !bytes.Equal(p.ix.Mark(), p.model.Mark()) || (p.ix.Mark() == nil) != (p.model.Mark() == nil) {
		t.Fatalf("mark %x for %x", p.ix.Mark(), p.model.Mark())
	}
	if err := p.ix.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (p *pair) end(t *rapid.T) {
	if err := p.ix.Close(); err != nil {
		t.Fatal(err)
	}
	p.checkKept(t)
}

// checkKept ends the snapshots that were kept. They may outlive the index.
func (p *pair) checkKept(t *rapid.T) {
	for i, s := range p.kept {
		if got := describe(t, s); got != p.told[i] {
			t.Fatalf("a snapshot changed: %s", cmp.Diff(p.told[i], got))
		}
		s.Close()
		s.Close()
	}
	p.kept, p.told = nil, nil
}

// TestModel: whatever is done, an index answers as its model does, snapshots stay
// as they are, and opening gives the last flush.
func TestModel(t *testing.T) {
	for _, kind := range []string{"memory", "folder"} {
		t.Run(kind, func(t *testing.T) {
			n := 0
			rapid.Check(t, func(rt *rapid.T) {
				n++
				dir := ""
				if kind == "folder" {
					dir = filepath.Join(t.TempDir(), fmt.Sprint(n))
					defer func() { _ = os.RemoveAll(dir) }()
				}
				opts := testOptions(dir)
				p := &pair{opts: opts, ix: mustOpen(rt, opts), model: newInMemory(opts), flushed: newInMemory(opts)}
				rt.Repeat(map[string]func(*rapid.T){
					"append": p.append, "again": p.append, "delete": p.delete,
					"flush": p.flush, "reopen": p.reopen, "keep": p.keep, "": p.check,
				})
				p.end(rt)
			})
		})
	}
}
