package knowledge

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/config"
	"github.com/rnixfs/rnixfs/kernel/recall"
)

// shelf is a library over folders that a test writes.
type shelf struct {
	t    *testing.T
	rows []config.KnowledgeRow
	dir  string
	mask func(string) string
	hang chan struct{} // closed where a text is judged with that word in it, which goes on until the end
}

func newShelf(t *testing.T) *shelf {
	return &shelf{t: t, dir: filepath.Join(t.TempDir(), "cache"), mask: func(s string) string { return s }}
}

func (s *shelf) write(path, text string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shelf) open(brief bool) *Library {
	l := New(Options{
		Dir: s.dir, Rows: func() []config.KnowledgeRow { return s.rows }, Logger: slog.New(slog.DiscardHandler), Brief: brief,
		Name: func(_, text string) string { return strings.ReplaceAll(text, "s3cret", "***") },
		Redact: func(ctx context.Context, text string) (string, bool, error) {
			clean := s.mask(text)
			if s.hang != nil && strings.Contains(text, "hang") {
				close(s.hang)
				<-ctx.Done()
			}
			return clean, clean != text, ctx.Err()
		},
	})
	s.t.Cleanup(func() { _ = l.Close() })
	return l
}

// ask returns the URIs of what is found, without their folder.
func (s *shelf) ask(l *Library, words string) (uris []string, behind bool) {
	s.t.Helper()
	index, behind, err := l.Index(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	if index == nil {
		return nil, behind
	}
	defer index.Release()
	e := recall.New(recall.Options{})
	defer e.Close()
	found, err := e.Search(s.t.Context(), recall.Query{Text: words, Conversations: []*recall.Conversations{index}, Sources: []recall.Source{recall.SourceKnowledge}})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, h := range found.Hits {
		uri, path, _ := Place(&h)
		uris = append(uris, strings.Replace(uri, filepath.Dir(path), "", 1))
	}
	slices.Sort(uris)
	return uris, behind
}

func (s *shelf) finds(l *Library, words string, want ...string) {
	s.t.Helper()
	if got, _ := s.ask(l, words); !slices.Equal(got, want) {
		s.t.Errorf("%s: %q, want %q", words, got, want)
	}
}

// TestLibrary: what changes is found anew, also by the next program; what is gone is not.
func TestLibrary(t *testing.T) {
	s, dir := newShelf(t), t.TempDir()
	s.rows = []config.KnowledgeRow{{Dir: dir}, {Man: []int{8, 1}, Path: filepath.Join(dir, ".man")}}
	s.write(dir+"/deploy.md", "# Deploy\nzebra\n## Roll back\nlemur\n")
	s.write(dir+"/notes.txt", "zebra and okapi\n")
	s.write(dir+"/.man/man8/tapir.8", ".SH NAME\ntapir \\- an animal\n")
	l := s.open(true)
	s.finds(l, "zebra", "file:/deploy.md#Deploy", "file:/notes.txt#L1")
	s.finds(l, "animal", "man:tapir(8)#NAME")
	s.write(dir+"/deploy.md", "# Deploy\nquagga\n")
	if err := os.Remove(dir + "/notes.txt"); err != nil {
		t.Fatal(err)
	}
	l.Refresh(false)
	s.finds(l, "zebra okapi lemur")
	s.finds(l, "quagga", "file:/deploy.md#Deploy")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	reads := 0
	s.mask = func(text string) string { reads++; return text }
	l = s.open(true)
	s.finds(l, "quagga animal", "file:/deploy.md#Deploy", "man:tapir(8)#NAME")
	if reads > 0 {
		t.Errorf("%d texts were read again", reads)
	}
	s.rows = s.rows[1:]
	l.Refresh(true)
	s.finds(l, "quagga")
	if kept, _ := os.ReadFile(s.dir + "/sections.jsonl"); strings.Contains(string(kept), "quagga") || !strings.Contains(string(kept), "tapir") {
		t.Errorf("on disk is %s", kept)
	}
	list, _ := l.Collections(t.Context())
	if len(list) != 1 || list[0].Documents != 1 || list[0].Sections != 1 || list[0].Problems != nil {
		t.Errorf("%+v", list)
	}
	s.rows = nil
	l.Refresh(false)
	if list, _ = l.Collections(t.Context()); len(list) != 0 {
		t.Errorf("%+v", list)
	}
	if _, err := os.Stat(s.dir); err == nil {
		t.Error("the cache is there")
	}
}

// TestBehind: while documents are read, those that were read are found.
func TestBehind(t *testing.T) {
	s, dir := newShelf(t), t.TempDir()
	s.rows = []config.KnowledgeRow{{Dir: dir}}
	s.write(dir+"/a.txt", "zebra one\n")
	s.write(dir+"/b.txt", "zebra two\n")
	blocked, goOn := make(chan struct{}), make(chan struct{})
	var texts atomic.Int32
	s.mask = func(text string) string {
		if texts.Add(1) == 2 {
			close(blocked)
			<-goOn
		}
		return text
	}
	l := s.open(false)
	l.Refresh(false)
	<-blocked
	got, behind := s.ask(l, "zebra")
	if !behind || !slices.Equal(got, []string{"file:/a.txt#L1"}) {
		t.Errorf("%q, behind %t", got, behind)
	}
	close(goOn)
	for behind {
		_, behind = l.Collections(t.Context())
	}
	s.finds(l, "zebra", "file:/a.txt#L1", "file:/b.txt#L1")
}

// TestCutOff: a program that ends while it reads leaves nothing half read.
func TestCutOff(t *testing.T) {
	s, dir := newShelf(t), t.TempDir()
	s.rows = []config.KnowledgeRow{{Dir: dir}}
	s.write(dir+"/a.md", strings.Repeat("# H\nzebra\n", 3*slice))
	s.write(dir+"/b.md", "hang a zebra\n")
	s.hang = make(chan struct{})
	l := s.open(false)
	l.Refresh(false)
	<-s.hang
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	s.hang = nil
	l = s.open(true)
	list, behind := l.Collections(t.Context())
	if behind || list[0].Documents != 2 || list[0].Sections != 3*slice+1 || list[0].Problems != nil {
		t.Errorf("%+v", list)
	}
	s.finds(l, "hang", "file:/b.md#L1")
}

// TestFound: what is not to be read is left out, and told where somebody would miss it.
func TestFound(t *testing.T) {
	s, dir := newShelf(t), t.TempDir()
	outside := filepath.Join(t.TempDir(), "secret.md")
	s.write(outside, "zebra\n")
	s.rows = []config.KnowledgeRow{{Dir: dir}, {Dir: dir + "/logs", Glob: "**/x*/*.log"}, {Man: []int{1}, Path: dir + "/man"}, {Dir: dir + "/none"}}
	for path, text := range map[string]string{
		"a.md": "zebra", ".hidden.md": "zebra", ".git/x.md": "zebra", "program.go": "zebra", "s3cret.md": "zebra",
		"binary.txt": "zebra\x00", "latin.txt": "zebra \xe9t\xe9", "large.txt": strings.Repeat("zebra\n", maxFile/6+1),
		strings.Repeat("d/", maxDepth+1) + "deep.md": "zebra", strings.Repeat("e/", maxDepth) + "edge.md": "zebra",
		"logs/x1/a.log": "zebra", "logs/y/b.log": "zebra", "logs/deep/x2/c.log": "zebra",
		"man/man1/alias.1": ".so man1/real.1\n", "man/man1/real.1": ".SH NAME\nzebra\n", "man/man1/far.1": ".\\\" x\n.so man8/other.8\n",
		"man/man8/other.8": ".SH NAME\nzebra\n", "man/man1/out.1": ".so ../../a.md\nokapi\n", "man/man1/README": "zebra", "man/man1/bad.1.gz": "zebra",
	} {
		s.write(filepath.Join(dir, path), text)
	}
	if err := os.Symlink(outside, dir+"/link.md"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Dir(outside), dir+"/linked"); err != nil {
		t.Fatal(err)
	}
	l := s.open(true)
	s.finds(l, "zebra", "file:/a.log#L1", "file:/a.md#L1", "file:/c.log#L1", "file:/edge.md#L1", "file:/latin.txt#L1", "man:far(1)#NAME", "man:real(1)#NAME")
	list, _ := l.Collections(t.Context())
	problems := ""
	for _, c := range list {
		problems += strings.ReplaceAll(strings.Join(c.Problems, "\n"), dir, "DIR") + "\n"
	}
	want := strings.TrimPrefix(`
1 folders are left out: they lie deeper than 16
1 files are left out: they are longer than 1048576 bytes
DIR/binary.txt is not read: it is no text
DIR/***.md is not read: its name is what the scanner does not let be stored

DIR/man/man1/bad.1.gz is not read: unexpected EOF
can't be read: open DIR/none: no such file or directory
`, "\n")
	if problems != want {
		t.Errorf("%s\nwant\n%s", problems, want)
	}
}

// TestFamilies: pages of a program that has very many are left out.
func TestFamilies(t *testing.T) {
	s, dir := newShelf(t), t.TempDir()
	for i := range maxFamily + 1 {
		s.write(filepath.Join(dir, "man1", fmt.Sprintf("cloud-%d.1", i)), ".SH NAME\nzebra\n")
	}
	s.write(dir+"/man1/git-add.1", ".SH NAME\nzebra\n")
	f := find(config.KnowledgeRow{Man: []int{1, 5}, Path: dir}, "")
	if len(f.documents) != 1 || !slices.Equal(f.problems, []string{"301 pages are left out: cloud has more than 300"}) {
		t.Errorf("%d documents, %q", len(f.documents), f.problems)
	}
}

// TestMasked: a secret is neither kept nor found.
func TestMasked(t *testing.T) {
	s, dir := newShelf(t), t.TempDir()
	s.rows = []config.KnowledgeRow{{Dir: dir}, {Man: []int{1}, Path: dir + "/.man"}}
	s.mask = func(text string) string { return strings.ReplaceAll(text, "xyzzy", "[redacted]") }
	s.write(dir+"/a.md", "# The xyzzy\nzebra xyzzy\n")
	s.write(dir+"/.man/man1/m.1", ".SH x\\fByzzy\nzebra x\\&yz\\fBzy\n")
	l := s.open(true)
	s.finds(l, "zebra", "file:/a.md#The%20%5Bredacted%5D", "man:m(1)#L1")
	s.finds(l, "xyzzy")
	if kept, _ := os.ReadFile(s.dir + "/sections.jsonl"); len(kept) == 0 || strings.Contains(string(kept), "xyzzy") {
		t.Errorf("on disk is %s", kept)
	}
}

// TestTwoPrograms: the second one searches what the first one keeps.
func TestTwoPrograms(t *testing.T) {
	s, dir := newShelf(t), t.TempDir()
	s.rows = []config.KnowledgeRow{{Dir: dir}}
	s.write(dir+"/a.md", "zebra")
	first := s.open(true)
	s.finds(first, "zebra", "file:/a.md#L1")
	second := s.open(true)
	s.finds(second, "zebra", "file:/a.md#L1")
	list, _ := second.Collections(t.Context())
	if len(list) != 1 || len(list[0].Problems) != 1 {
		t.Errorf("%+v", list)
	}
	if _, err := os.Stat(s.dir + "/sections.jsonl"); err != nil {
		t.Fatal(err)
	}
	second.Refresh(true)
	s.finds(second, "zebra", "file:/a.md#L1")
	s.finds(first, "zebra", "file:/a.md#L1")
}
