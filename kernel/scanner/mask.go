package scanner

import (
	"strings"
	"unicode/utf8"
)

const (
	maskOpen  = "[redacted:"
	maskClose = "]"
)

// maskSpan returns what a mask of the match has to cover in the field's text: a
// finding is not the whole of what must go. A key block is found by its first
// lines, a signed URL by its signature, a token by the part of it that has a
// fixed length.
func (m *match) maskSpan(text string) span {
	at := m.at
	if m.rule.redact != redactValue {
		at = m.all
	}
	// A token goes on as long as its characters do, also where it was torn apart.
	if m.rule.redact == redactValue {
		at.end = runEnd(m.view.text, at.end, kindToken)
	}
	s := snap(text, m.view.source(at))
	switch m.rule.redact {
	case redactBlock:
		s.end = blockEnd(text, s)
	case redactParagraph:
		s = paragraph(text, s)
	case redactURL:
		for s.end < len(text) && !isBlank(text[s.end]) && !strings.ContainsRune("\"'`<>)", rune(text[s.end])) {
			s.end++
		}
	default:
		s.end = runEnd(text, s.end, kindToken)
	}
	return snap(text, s)
}

// blockEnd returns the end of a key block: its END line, or where the text
// stops being base64, escaped line ends included.
func blockEnd(text string, s span) int {
	const mark, dashes = "-----END", "-----"
	if i := strings.Index(text[s.start:], mark); i >= 0 {
		end := s.start + i + len(mark)
		if j := strings.Index(text[end:], dashes); j >= 0 && j < 120 {
			return max(s.end, end+j+len(dashes))
		}
	}
	end := s.end
	for end < len(text) && (isToken(text[end]) || isBlank(text[end]) || strings.IndexByte(`\:,"'`, text[end]) >= 0) {
		end++
	}
	return end
}

// snap widens a span to whole characters and puts it inside the text.
func snap(text string, s span) span {
	s.start, s.end = min(max(s.start, 0), len(text)), min(max(s.end, 0), len(text))
	for s.start > 0 && s.start < len(text) && !utf8.RuneStart(text[s.start]) {
		s.start--
	}
	for s.end < len(text) && !utf8.RuneStart(text[s.end]) {
		s.end++
	}
	s.end = max(s.end, s.start)
	return s
}

// inMask reports whether a span lies in one of our masks. The id in the mask must
// be one of a rule: "[redacted:" in front of a secret must not hide it.
func inMask(text string, s span, known map[string]bool) bool {
	const longest = 100 // of a mask: ids have 64 characters at most
	from := max(0, s.start-longest)
	i := strings.LastIndex(text[from:min(len(text), s.start+len(maskOpen))], maskOpen)
	if i < 0 {
		return false
	}
	i += from
	id, _, ok := strings.Cut(text[i+len(maskOpen):], maskClose)
	return ok && known[id] && s.start >= i && s.end <= i+len(maskOpen)+len(id)+len(maskClose)
}
