package memory

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// Form is the form of the texts of a scope or a category.
type Form string

// The forms.
const (
	FormAny  Form = "any"  // as it was written
	FormLine Form = "line" // one line, without marks of a list before it
	FormPage Form = "page" // Markdown that can't be taken for the page's own marks
)

var (
	// listMarks are the marks of a list item, also of one in another. A dash without a
	// blank after it belongs to what follows: --force, -5.
	listMarks = regexp.MustCompile(`^(?:[-*+•–—]+(?:\s+|$))+`)
	// forgedHeading is the beginning of a line that could pass for the heading of a
	// dated section, after whatever some program takes for the end of a line.
	forgedHeading = regexp.MustCompile(`(^|[\n\r\v\f\x{85}\x{2028}\x{2029}])([\s\x{feff}]*)(#+\s*\d{4}-\d\d?-\d\d?[Tt\s]\s*\d\d?:)`)
	// forgedMatter is a first line that begins front matter.
	forgedMatter = regexp.MustCompile(`^([\s\x{feff}]*)((?:---|\+\+\+)[ \t]*(?:[\r\n]|$))`)
	fenceMark    = regexp.MustCompile("^ {0,3}(`{3,}|~{3,})(.*)$")
	// sectionStart is what [Append] puts between two texts.
	sectionStart = regexp.MustCompile(`\n\n## \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\n\n`)
)

// Of puts a text into the form. The headings of sections that it has in common with the
// text in whose place it comes stay what they are.
func (f Form) Of(text, old string) string {
	switch f {
	case FormLine:
		return listMarks.ReplaceAllString(strings.Join(strings.Fields(text), " "), "")
	case FormPage:
		var b strings.Builder
		at := 0
		for _, m := range sectionStart.FindAllStringIndex(text, -1) {
			if heading := text[m[0]:m[1]]; strings.Contains(old, heading) {
				b.WriteString(page(text[at:m[0]]) + heading)
				at = m[1]
			}
		}
		return b.String() + page(text[at:])
	}
	return text
}

func page(text string) string {
	text = forgedHeading.ReplaceAllString(text, `$1$2\$3`)
	text = forgedMatter.ReplaceAllString(text, `$1\$2`)
	return closeFence(text)
}

// closeFence ends a block of code that the text leaves open (CommonMark 4.5), which
// would take in what is written below it.
func closeFence(text string) string {
	open := ""
	for line := range strings.Lines(text) {
		m := fenceMark.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		switch {
		case m == nil:
		case open == "" && (m[1][0] == '~' || !strings.Contains(m[2], "`")):
			open = m[1]
		case open != "" && strings.HasPrefix(m[1], open) && strings.TrimSpace(m[2]) == "":
			open = ""
		}
	}
	if open == "" {
		return text
	}
	return strings.TrimRight(text, "\n") + "\n" + open
}

// Append puts a section with the time at below a text. What is in the section can't pass
// for another.
func Append(text, section string, at time.Time) string {
	return closeFence(text) + "\n\n## " + at.UTC().Format("2006-01-02T15:04:05Z") + "\n\n" + page(section)
}

// Sections returns the texts that were put into one entry, oldest first.
func Sections(text string) []string {
	return slices.DeleteFunc(sectionStart.Split(text, -1), func(s string) bool { return strings.TrimSpace(s) == "" })
}
