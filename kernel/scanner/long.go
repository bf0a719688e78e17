package scanner

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	pieceBytes   = 128 << 10 // of a long text that are scanned at once
	pieceOverlap = 8 << 10   // that two pieces have in common, at the seam
)

// ScanLong is Scan of a text of any length and any bytes: of a file, not of what
// is to be remembered. It looks at one piece after the other, each with its own
// deadline, and calls each for what it finds, by place. Bytes that are not UTF-8
// count as question marks. The place of a finding is that in the whole text.
func (s *Scanner) ScanLong(ctx context.Context, f Field, each func(Finding) error) error {
	text := asUTF8(f.Text)
	for start, seen, line := 0, 0, 0; ; {
		end := pieceEnd(text, start)
		rep, err := s.Scan(ctx, []Field{{Name: f.Name, Text: text[start:end]}})
		if err != nil {
			return err
		}
		before := strings.LastIndexByte(text[:start], '\n') + 1
		for _, found := range merged(rep) {
			if start+found.Offset+found.Length <= seen {
				continue // the piece before has it
			}
			if found.Line == 1 {
				found.Column += start - before
			}
			found.Offset += start
			found.Line += line
			if err := each(found); err != nil {
				return err
			}
		}
		if end == len(text) {
			return nil
		}
		next := max(start+1, end-pieceOverlap)
		for !utf8.RuneStart(text[next]) {
			next++
		}
		line += strings.Count(text[start:next], "\n")
		start, seen = next, end
	}
}

// merged returns all findings of a report by place.
func merged(rep Report) []Finding {
	out := slices.Concat(rep.Findings, rep.Redactions, rep.Warnings)
	sortFindings(out)
	return out
}

// pieceEnd returns the end of the piece that begins at start: behind a line, if
// there is one in the second half.
func pieceEnd(text string, start int) int {
	end := start + pieceBytes
	if end >= len(text) {
		return len(text)
	}
	if i := strings.LastIndexByte(text[start+pieceBytes/2:end], '\n'); i >= 0 {
		return start + pieceBytes/2 + i + 1
	}
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return end
}

// asUTF8 returns a text of the same length with a question mark for each byte
// that is not UTF-8.
func asUTF8(text string) string {
	out := []byte(text)
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)) {
			out[i] = '?'
		}
	}
	return string(out)
}
