package analysis

import (
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Sentences are shown one a line, code with a "#" before it.
func TestSentences(t *testing.T) {
	tests := []struct{ text, want string }{
		{"The port is 8443. Nobody asked! Why?", "The port is 8443.|Nobody asked!|Why?"},
		{"We use Go 1.26. Not v1.25.1... yet.", "We use Go 1.26.|Not v1.25.1... yet."},
		{"See e.g. main.go, i.e. Dr. Who (cf. p. 3). Then stop.", "See e.g. main.go, i.e. Dr. Who (cf. p. 3).|Then stop."},
		{`He said "No." **Bold.** She left.`, `He said "No."|**Bold.**|She left.`},
		{`He asked "Why?" and left (at once!) with us. Yes.`, `He asked "Why?" and left (at once!) with us.|Yes.`},
		{"Call `a. b` now. It works.", "Call `a. b` now.|It works."},
		{"One ` alone. Next.", "One ` alone.|Next."},
		{"数据库迁移。令牌签名！真的？好", "数据库迁移。|令牌签名！|真的？|好"},
		{"यह काम करता है। ठीक है।", "यह काम करता है।|ठीक है।"},
		{"A title\n- one item\n- another. With two\n1. first\n2) second", "A title|- one item|- another.|With two|1. first|2) second"},
		{"This line is wrapped\nand goes on here.\nNext.", "This line is wrapped~and goes on here.|Next."},
		{"Do this:\nrun it now\n\nand this", "Do this:|run it now|and this"},
		{"Before.\n```sh\nmake all. Now\n```\nAfter. Again.", "Before.|#```sh|#make all. Now|#```|After.|Again."},
		{"$ npm run build. It\nFine.", "#$ npm run build. It|Fine."},
		{"/etc/rnix/memory.yaml\nnpm run build -- --watch\ngit add . && git commit", "#/etc/rnix/memory.yaml|#npm run build -- --watch|#git add . && git commit"},
		{"func main() {\n\treturn x. y\n};", "#func main() {|#return x. y|#};"},
		{"call({\"a\": \"b. c\"}) it\n<!-- a. b -->\n// a. b\nx=1 make. Now", "#call({\"a\": \"b. c\"}) it|#<!-- a. b -->|#// a. b|#x=1 make. Now"},
		{"pkg/store.go:20: RowID int\nIt said so.", "#pkg/store.go:20: RowID int|It said so."},
		{" \n\n", ""},
	}
	for _, tt := range tests {
		var got []string
		for _, s := range Sentences(tt.text) {
			got = append(got, map[bool]string{true: "#"}[s.Code]+tt.text[s.Start:s.End])
		}
		if diff := cmp.Diff(tt.want, strings.ReplaceAll(strings.Join(got, "|"), "\n", "~")); diff != "" {
			t.Errorf("of %q (-want +got):\n%s", tt.text, diff)
		}
	}
}

// Sentences are in order and apart, and have all that is not space.
func TestSentencesProperty(t *testing.T) {
	part := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{". ", "。", "\n", "```\n", "\t", "- ", "1. ", "`", "etc. ", "…", "\xff", "go"}))
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(part).Draw(t, "text"), "")
		at := 0
		for _, s := range Sentences(text) {
			if s.Start < at || s.End <= s.Start || strings.TrimSpace(text[at:s.Start]) != "" {
				t.Fatalf("%v after %d of %q", s, at, text)
			}
			at = s.End
		}
		if strings.ContainsFunc(text[at:], func(r rune) bool { return !unicode.IsSpace(r) }) {
			t.Fatalf("%q is left of %q", text[at:], text)
		}
	})
}
