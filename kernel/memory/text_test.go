package memory_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

func TestForms(t *testing.T) {
	for _, tc := range []struct {
		form       memory.Form
		text, want string
	}{
		{memory.FormLine, "  hello   world  ", "hello world"},
		{memory.FormLine, "hello\n\nworld", "hello world"},
		{memory.FormLine, "hello\u2028\tworld\u0085", "hello world"},
		{memory.FormLine, "- remember this", "remember this"},
		{memory.FormLine, "- - x", "x"},
		{memory.FormLine, " \n-- * • x - y", "x - y"},
		{memory.FormLine, "- ", ""},
		{memory.FormLine, "--force is wrong", "--force is wrong"},
		{memory.FormLine, "- -5 degrees", "-5 degrees"},
		{memory.FormPage, "a\n## Notes\n2026-01-02", "a\n## Notes\n2026-01-02"},
		{memory.FormPage, "a\n\n## 2026-01-02T03:04:05Z\n\nb", "a\n\n\\## 2026-01-02T03:04:05Z\n\nb"},
		{memory.FormPage, "# 2026-1-2 3:04 b\r  ###2026-01-02t03:04\u2028#\t2026-01-02T03:04:05Z", "\\# 2026-1-2 3:04 b\r  \\###2026-01-02t03:04\u2028\\#\t2026-01-02T03:04:05Z"},
		{memory.FormPage, "## 2026-01-02\n- released\n## 2026-01-03 2 fixes", "## 2026-01-02\n- released\n## 2026-01-03 2 fixes"},
		{memory.FormPage, "---\nid: x\n---\ny", "\\---\nid: x\n---\ny"},
		{memory.FormPage, "\ufeff+++ \nid", "\ufeff\\+++ \nid"},
		{memory.FormPage, "--- PASS: TestX", "--- PASS: TestX"},
		{memory.FormPage, "```go\nx\n", "```go\nx\n```"},
		{memory.FormPage, "~~~~\nx\n~~~\n```", "~~~~\nx\n~~~\n```\n~~~~"},
		{memory.FormPage, "```\nx\n```\n", "```\nx\n```\n"},
		{memory.FormPage, "```inline``` x", "```inline``` x"},
		{"", "- a\n- b", "- a\n- b"},
	} {
		if got := tc.form.Of(tc.text, ""); got != tc.want {
			t.Errorf("%s of %q is %q, want %q", tc.form, tc.text, got, tc.want)
		}
	}
}

// TestSections: whatever is appended, the sections are the texts that were appended, and
// a text in its form stays as it is.
func TestSections(t *testing.T) {
	text := rapid.StringOfN(rapid.RuneFrom([]rune("#` -~+\n\r\t02026-01-02T03:04:05Z\u2028\\x")), 1, 40, -1)
	rapid.Check(t, func(t *rapid.T) {
		for _, form := range []memory.Form{memory.FormLine, memory.FormPage} {
			if once := form.Of(text.Draw(t, "text"), ""); form.Of(once, "") != once {
				t.Errorf("%s of %q is %q", form, once, form.Of(once, ""))
			}
		}
		page, want := memory.FormPage.Of("x"+text.Draw(t, "first")+"x", ""), []string{}
		want = append(want, page)
		for range rapid.IntRange(1, 3).Draw(t, "sections") {
			section := "x" + text.Draw(t, "section") + "x"
			page = memory.Append(page, section, time.Now())
			want = append(want, memory.FormPage.Of(section, ""))
		}
		if got := memory.Sections(page); !slices.Equal(got, want) {
			t.Errorf("sections of %q are %q, want %q", page, got, want)
		}
		if got := memory.FormPage.Of(page, page); got != page {
			t.Errorf("the page %q becomes %q when it is written again", page, got)
		}
	})
}

func TestSectionsOfAnOpenFence(t *testing.T) {
	page := memory.Append("```\nold", "new", time.Now())
	if !strings.HasPrefix(page, "```\nold\n```\n\n## ") {
		t.Errorf("the section is in the block of code before it: %q", page)
	}
}
