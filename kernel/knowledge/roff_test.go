package knowledge

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestManual compares what is made of each page in testdata with the text beside it, in
// which "@ " begins a section.
func TestManual(t *testing.T) {
	pages, err := filepath.Glob("testdata/*.[1-9]")
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	for _, page := range pages {
		source, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(page + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for _, s := range Manual(string(source)) {
			got.WriteString("@ " + s.Heading + "\n" + s.Text)
		}
		if got.String() != string(want) {
			t.Errorf("%s: got\n%s", page, got.String())
		}
	}
}

// FuzzManual: no panic, bounded output, valid text.
func FuzzManual(f *testing.F) {
	for _, page := range []string{"man.8", "mdoc.1"} {
		source, err := os.ReadFile("testdata/" + page)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(source))
	}
	f.Add(".SH\n\\")
	f.Add(".Sh \"a\n.Nm x\n.Nm\n.Fl\n.Xr a 1\n")
	f.Add(`\s-1\s(12\[u00e9]\*(lq\h'1\(`)
	f.Fuzz(func(t *testing.T, source string) {
		size := 0
		for _, s := range Manual(source) {
			size += len(s.Text)
			if !utf8.ValidString(s.Text) || len(s.Text) > maxSection || len(s.Heading) > maxHeading {
				t.Fatalf("%+v", s)
			}
		}
		if size > 2*len(source)+64 {
			t.Fatalf("%d bytes of %d", size, len(source))
		}
	})
}

// TestManualLinear reads sources that a reader which looks at a line again and again
// would not get through: of a megabyte, in as many steps.
func TestManualLinear(t *testing.T) {
	for _, unit := range []string{"a ", `\(em`, `\[`, `\h'`, `".B "`, `\`, ".if n ", ".B a\n", "\\f", ".Nm\n", "é\\é"} {
		Manual(strings.Repeat(unit, (1<<20)/len(unit)))
		Manual(".B " + strings.Repeat(unit, (1<<20)/len(unit)))
	}
}
