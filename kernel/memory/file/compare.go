package file

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// forms are the texts that a removed text is remembered by: without case, spacing and
// form (UAX #15), and its skeleton.
func (o *Options) forms(text string) []string {
	return slices.Compact([]string{compared(text), o.skeleton(text)})
}

// disguises are the texts that a text may be another form of: its own, and its skeleton
// without accents, for a text that was removed without them.
func (o *Options) disguises(text string) []string {
	forms := o.forms(text)
	return slices.Compact(append(forms, unaccented(forms[len(forms)-1])))
}

// compared is the part of a text in which case, spacing and form do not count.
func compared(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKC.String(text))
	return strings.Trim(strings.Join(strings.Fields(text), " "), ".,;!\"'` ")
}

// outer are the characters at a text's ends that say nothing. A question mark does, and
// so does the end of C++ and of C#.
const outer = " .,;:!\"'`()[]{}<>。、「」『』《》〈〉【】"

// skeleton is what is left of a text without case, spacing, what can't be seen, the
// letters' scripts, Markdown and outer punctuation. That of nothing else is compared.
func (o *Options) skeleton(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Cf, r), unicode.Is(unicode.M, r) && unicode.Is(unicode.Inherited, r): // with no letter to make one of
			return -1
		case strings.ContainsRune("‘’‚‛′ʼ´", r):
			return '\''
		case strings.ContainsRune("“”„‟″«»", r):
			return '"'
		case unicode.Is(unicode.Pd, r), r == '−':
			return '-'
		}
		return o.letter(r)
	}, norm.NFKC.String(strings.ReplaceAll(text, "—", " - ")))
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = unlisted(line)
	}
	text = strings.Join(strings.Fields(unmarked(strings.Join(lines, "\n"))), " ")
	if bare := strings.TrimRight(strings.Trim(text, outer), outer+"-"); bare != "" {
		return bare
	}
	return compared(text)
}

// letter is the small letter that a reader takes r for. The scanner knows some letters
// by one of their cases only.
func (o *Options) letter(r rune) rune {
	small := unicode.ToLower(unicode.ToUpper(r))
	if o.Alike == nil || r < utf8.RuneSelf {
		return small
	}
	for _, c := range []rune{r, small, unicode.ToUpper(r)} {
		if like := o.Alike(c); like != c {
			return unicode.ToLower(like)
		}
	}
	return small
}

// listed are the marks of lists, also of those with numbers, quotations and headings.
var listed = regexp.MustCompile(`^(?:[-*+>#•·]+(?:[ \t][\s\pZ]*|$)|\d{1,3}[.)][ \t][\s\pZ]*)+`)

// unlisted is a line without such marks.
func unlisted(line string) string { return listed.ReplaceAllString(strings.TrimSpace(line), "") }

// unmarked is a text without quotes and the marks of emphasis and code: around words, and
// within those without digits. 2*3, user_id and isn't have none.
func unmarked(text string) string {
	var b strings.Builder
	before := ' '
	for text != "" {
		at := strings.IndexAny(text, marks)
		if at < 0 {
			break
		}
		b.WriteString(text[:at])
		if last, _ := utf8.DecodeLastRuneInString(text[:at]); at > 0 {
			before = last
		}
		rest := strings.TrimLeft(text[at:], marks)
		run := text[at : len(text)-len(rest)]
		after, _ := utf8.DecodeRuneInString(rest)
		digit := unicode.IsDigit(before) || unicode.IsDigit(after)
		if inWord(before) && inWord(after) && (digit || strings.ContainsAny(run, "_'")) {
			b.WriteString(run)
		}
		text = rest
	}
	return b.String() + text
}

const marks = "*_~`\"'"

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// unaccented is a text with the accents taken off the letters of ASCII.
func unaccented(text string) string {
	var b strings.Builder
	latin := false
	for _, r := range norm.NFD.String(text) {
		if r >= 0x300 && r < 0x370 && latin {
			continue
		}
		latin = r >= 'a' && r <= 'z'
		b.WriteRune(r)
	}
	return norm.NFC.String(b.String())
}
