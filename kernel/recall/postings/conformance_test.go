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
		Dir: dir, Fields: []string{"text", "around"},
		RowSize: 8, Fingerprint: "test",
		tailBytes: 4 << 10,
	}
}

func mustOpen(t fataler, opts Options) *Index {
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
var lengths = []uint32{0, 1, 60, 126, 127, 128, MaxLength - 1, MaxLength, MaxLength + 1, 1<<32 - 1}

// document draws one.
func document(t *rapid.T, number int) Document {
	d := Document{Row: binary.LittleEndian.AppendUint64(nil, uint64(number)*7919)}
	for f := range rapid.IntRange(0, 2).Draw(t, "fields") {
		terms := rapid.SliceOfNDistinct(rapid.SampledFrom(vocabulary), 0, 5, rapid.ID[string]).Draw(t, fmt.Sprint("terms", f))
		var field []Term
		for _, text := range terms {
			field = append(field, Term{text, rapid.SampledFrom([]uint32{1, 2, 63, 64, 128, MaxLength}).Draw(t, "freq")})
		}
		d.Fields = append(d.Fields, field)
		d.Lengths = append(d.Lengths, rapid.SampledFrom(lengths).Draw(t, "length"))
	}
	return d
}

// describe is all that a snapshot can be asked for.
func describe(t fataler, s reader) string {
	t.Helper()
	var b bytes.Buffer
	fmt.Fprintln(&b, s.Docs())
	for doc := range s.Docs() {
		fmt.Fprintf(&b, "%x\n", s.Row(doc))
	}
	for _, term := range append(vocabulary, "absent") {
		for field := range 2 {
			err := s.Each(term, field, func(doc, freq, length uint32) bool {
				fmt.Fprintln(&b, term, field, doc, freq, length)
				return true
			})
			if err != nil {
				t.Fatalf("each %q: %v", term, err)
			}
		}
	}
	return b.String()
}

// pair is an index under test and its model.
type pair struct {
	opts           Options
	ix             *Index
	model, flushed *inMemory
	kept           []*Snapshot
	told           []string
}

func (p *pair) append(t *rapid.T) {
	var docs []Document
	first := len(p.model.rows)
	for i := range rapid.IntRange(0, 30).Draw(t, "n") {
		docs = append(docs, document(t, first+i))
	}
	got, err := p.ix.Append(docs)
	if err != nil || int(got) != first {
		t.Fatalf("append: %d for %d, %v", got, first, err)
	}
	p.model.append(docs)
}

func (p *pair) flush(t *rapid.T) {
	userData := rapid.SliceOfN(rapid.Byte(), 0, 5).Draw(t, "mark")
	if err := p.ix.Flush(userData); err != nil {
		t.Fatal(err)
	}
	p.model.userData = slices.Clone(userData)
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
	s := p.ix.Snapshot()
	defer s.Close()
	if got, want := describe(t, s), describe(t, p.model); got != want {
		t.Fatalf("got:\n%s\nwant:\n%s", got, want)
	}
	if !bytes.Equal(p.ix.UserData(), p.model.userData) || (p.ix.UserData() == nil) != (p.model.userData == nil) {
		t.Fatalf("user data %x for %x", p.ix.UserData(), p.model.userData)
	}
	if err := p.ix.Verify(); err != nil {
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
					"append": p.append, "again": p.append,
					"flush": p.flush, "reopen": p.reopen, "keep": p.keep, "": p.check,
				})
				p.end(rt)
			})
		})
	}
}
