package scanner

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	contextRunes = 24 // of text shown before a value
	shortValue   = 8  // a value under so many characters shows none of them
	maskRunes    = 9  // the most stars shown
)

// preview shows where a finding is, and not what it is: a little of the line
// before it, its first character, stars. Nothing of another finding is shown.
func (c *collector) preview(f *Finding) string {
	text := c.fields[f.field].Text
	from := strings.LastIndexByte(text[:f.Offset], '\n') + 1
	for _, list := range c.rep.lists() {
		for i := range *list {
			if o := &(*list)[i]; o != f && o.field == f.field && o.span.start < f.Offset {
				from = max(from, min(o.span.end, f.Offset))
			}
		}
	}
	return visible(lastRunes(text[from:f.Offset], contextRunes)) + mask(text[f.Offset:f.Offset+f.Length])
}

func mask(value string) string {
	n := utf8.RuneCountInString(value)
	if n < shortValue {
		return strings.Repeat("*", max(n, 1))
	}
	first, _ := utf8.DecodeRuneInString(value)
	return visible(string(first)) + strings.Repeat("*", min(n-1, maskRunes))
}

func lastRunes(s string, n int) string {
	r := []rune(s[max(0, len(s)-n*utf8.UTFMax):])
	return string(r[max(0, len(r)-n):])
}

// visible replaces what a terminal would act upon or not show.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, s)
}
