package knowledge

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestMarkdown(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string // the names of the sections
	}{
		"none":         {"just words\n", []string{"L1"}},
		"empty":        {"", nil},
		"levels":       {"intro\n\n# A\nx\n## B ##\ny\n####### no\n#no\n", []string{"L1", "A", "B"}},
		"underlined":   {"Title\n=====\nx\n\nSub\n---\ny\n", []string{"Title", "Sub"}},
		"fence":        {"# A\n```sh\n# no\n```\n~~~\n# no\n```\n~~~\n# B\n", []string{"A", "B"}},
		"front matter": {"---\ntitle: x\n---\n# A\n", []string{"L1", "A"}},
		"rules":        {"# A\n\n---\n- item\n---\n| a |\n|---|\n    # code\n", []string{"A"}},
		"no heading":   {"#\nx\n", []string{"L1"}},
	} {
		var got []string
		for _, s := range Markdown(c.text) {
			got = append(got, s.Name())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestPlain(t *testing.T) {
	long := strings.Repeat("words of a long paragraph ", 30) + "\n"
	got := Plain("short\n\nshort too\n\n" + long + "\n" + long + "\n\n\nthe end\n")
	var names []string
	for _, s := range got {
		names = append(names, s.Name())
	}
	if want := []string{"L1", "L7", "L11"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

// TestNothingLost: the sections of a text, joined, are the text; none is too long, and
// their lines are right.
func TestNothingLost(t *testing.T) {
	lines := rapid.SampledFrom([]string{
		"# A\n", "## B\n", "```\n", "~~~~\n", "---\n", "===\n", "\n", "words\n", "- item\n", "\t\n", "é", "\r\n", "#", "#\n",
		strings.Repeat("x", maxSection) + "\n", strings.Repeat("é", maxSection), strings.Repeat("line\n", 1000), strings.Repeat("# h\n", maxSections),
	})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(lines, 0, 20).Draw(t, "lines"), "")
		for _, split := range []func(string) []Section{Markdown, Plain} {
			joined, list := "", split(text)
			for _, s := range list {
				if s.Line != 1+strings.Count(joined, "\n") {
					t.Fatalf("line %d", s.Line)
				}
				joined += s.Text
				if s.Text == "" || len(s.Text) > maxSection || !utf8.ValidString(s.Text) || len(s.Heading) > maxHeading {
					t.Fatalf("a section of %d bytes", len(s.Text))
				}
			}
			if joined != text || len(list) > maxSections+1+2*len(text)/maxSection {
				t.Fatalf("%d sections, %d bytes of %d", len(list), len(joined), len(text))
			}
		}
	})
}
