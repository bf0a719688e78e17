package scanner

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

const (
	leftSide = 48 // bytes of the text before a run, where a label may stand
	minRun   = 20 // characters: fewer hold no secret
	// maxDecode bounds the encodings inside encodings.
	maxDecode = 3
	// wrapped is how long a line of wrapped base64 is at least (MIME has 76,
	// PEM 64).
	wrapped = 40
)

// errDecoded says that a text has more in encodings than is looked at.
var errDecoded = errors.New("too much decoded text")

// decode returns a view of all runs that decode to text, one after the other,
// each behind the text left of it; nil if there is none. The decoded bytes count
// against the budget; exceeding it is an error.
func decode(v *view, budget *int) (*view, error) {
	b := &viewBuilder{from: v}
	long := longWords(v.text)
	var failed error
	eachRun(v.text, long, func(r run) {
		if failed != nil {
			return
		}
		plain, err := decodeRun(r.text, *budget-len(b.text))
		if failed = err; plain == "" {
			return
		}
		b.keep(max(0, r.start-leftSide), r.start)
		b.add(plain, r.start, r.end)
		b.add("\n\n", r.start, r.end)
	})
	each85(v.text, long, func(plain []byte, s span) {
		b.add(string(plain)+"\n\n", s.start, s.end)
	})
	eachCodes(v.text, func(plain []byte, at []span) {
		for i, s := range at {
			b.add(string(plain[i]), s.start, s.end)
		}
		b.add("\n\n", at[len(at)-1].end, at[len(at)-1].end)
	})
	if *budget -= len(b.text); failed == nil && *budget < 0 {
		failed = errDecoded
	}
	if len(b.text) == 0 || failed != nil {
		return nil, failed
	}
	return b.view(viewDecoded), nil
}

// run is a run of characters that may be encoded, without the line ends in it.
type run struct {
	span
	text string
}

// longWords returns the words without blanks that are long enough to hold a secret.
func longWords(text string) (long []span) {
	for i := 0; i < len(text); i++ {
		start := i
		if i = runEnd(text, i, kindInk); i-start >= minRun {
			long = append(long, span{start, i})
		}
	}
	return long
}

// eachRun calls f for the longest runs of characters of base64 and hexadecimal in
// the words, and for such runs that go on over line ends.
func eachRun(text string, words []span, f func(run)) {
	for _, w := range words {
		for s := range runs(text[w.start:w.end], kindCoded) {
			if s.end-s.start < minRun {
				continue
			}
			s = span{s.start + w.start, s.end + w.start}
			if r, ok := wrappedRun(text, s.start, s.end); ok {
				f(r)
			}
			f(run{s, text[s.start:s.end]})
		}
	}
}

// wrappedRun reads lines of base64: each as long as the first, but the last. It
// is called at each line, and only the first of them gives a run.
func wrappedRun(text string, start, end int) (run, bool) {
	width := end - start
	if width < wrapped || follows(text, start, width) {
		return run{}, false
	}
	var b strings.Builder
	b.WriteString(text[start:end])
	lines := 1
	for end < len(text) {
		next := nextLine(text, end)
		if next < 0 {
			break
		}
		j := runEnd(text, next, kindCoded)
		if j == next || j-next > width {
			break
		}
		b.WriteString(text[next:j])
		lines, end = lines+1, j
		if j-next < width {
			break
		}
	}
	return run{span{start, end}, b.String()}, lines > 1
}

// nextLine returns where the next line begins if text breaks at i, else -1.
// Quotes of mail and indentation are skipped.
func nextLine(text string, i int) int {
	if i < len(text) && text[i] == '\r' {
		i++
	}
	if i >= len(text) || text[i] != '\n' {
		return -1
	}
	for i++; i < len(text) && strings.IndexByte(" \t>", text[i]) >= 0; i++ {
	}
	return i
}

// follows reports whether the line before start ends in a run of the same width.
func follows(text string, start, width int) bool {
	i := start
	for i > 0 && strings.IndexByte(" \t>", text[i-1]) >= 0 {
		i--
	}
	if i == 0 || text[i-1] != '\n' {
		return false
	}
	for i > 0 && (text[i-1] == '\n' || text[i-1] == '\r') {
		i--
	}
	j := i
	for j > 0 && i-j <= width && isCoded(text[j-1]) {
		j--
	}
	return i-j == width
}

// decodeRun returns the text that a run is the code of, or "".
func decodeRun(s string, limit int) (string, error) {
	for _, try := range []func(string) ([]byte, error){decodeHex, decode64, decode32, decodeBig} {
		raw, err := try(s)
		if err != nil {
			continue
		}
		plain, err := inflate(raw, limit)
		if err != nil {
			return "", err
		}
		if plain != nil {
			raw = plain
		}
		if raw = narrow(raw); printable(raw) {
			return string(raw), nil
		}
	}
	return "", nil
}

// errNotEncoded says that a run is not of an encoding.
var errNotEncoded = errors.New("not encoded")

func decodeHex(s string) ([]byte, error) {
	s = strings.TrimPrefix(s, "0x")
	if len(s) < minRun {
		return nil, errNotEncoded
	}
	return hex.DecodeString(s)
}

// decode64 decodes as much of a run as is whole; a run cut off in the middle
// still has its beginning. A word in front, joined by a sign of the alphabet,
// is cut off.
func decode64(s string) ([]byte, error) {
	enc := base64.RawStdEncoding
	if strings.ContainsAny(s, "-_") {
		enc = base64.RawURLEncoding
	}
	for tries := 0; tries < 4 && len(s) >= minRun; tries++ {
		t := s
		if len(t)%4 == 1 {
			t = t[:len(t)-1]
		}
		if b, err := enc.DecodeString(t); err == nil && (printable(narrow(b)) || packed(b)) {
			return b, nil
		}
		i := strings.IndexAny(s[:min(len(s), 32)], "-_/+")
		if i < 0 {
			break
		}
		s = s[i+1:]
	}
	return nil, errNotEncoded
}

// decode32 decodes letters of one case with the digits 2 to 7 (RFC 4648).
func decode32(s string) ([]byte, error) {
	if len(s) < 32 {
		return nil, errNotEncoded
	}
	if strings.ToLower(s) == s {
		s = strings.ToUpper(s)
	}
	for len(s)%8 == 1 || len(s)%8 == 3 || len(s)%8 == 6 {
		s = s[:len(s)-1]
	}
	return base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(s)
}

// packed reports whether bytes begin as gzip or zlib do (RFC 1952, RFC 1950).
func packed(b []byte) bool {
	return len(b) > 10 && (b[0] == 0x1f && b[1] == 0x8b && b[2] == 8 ||
		b[0] == 0x78 && (int(b[0])<<8|int(b[1]))%31 == 0)
}

// inflate decompresses b as far as it goes; nil if b is not compressed. More than
// the limit is an error: a small text may stand for a huge one.
func inflate(b []byte, limit int) ([]byte, error) {
	if !packed(b) {
		return nil, nil
	}
	var r io.Reader
	var err error
	if b[0] == 0x78 {
		r, err = zlib.NewReader(bytes.NewReader(b))
	} else {
		r, err = gzip.NewReader(bytes.NewReader(b))
	}
	if err != nil {
		return nil, nil // it only looked like it
	}
	out, _ := io.ReadAll(io.LimitReader(r, int64(limit)+1)) // cut off: what there is counts
	if len(out) > limit {
		return nil, errDecoded
	}
	return out, nil
}

// narrow returns UTF-16 of ASCII as ASCII: PowerShell encodes commands so.
func narrow(b []byte) []byte {
	if len(b) < 16 || len(b)%2 != 0 || b[1] != 0 {
		return b
	}
	out := make([]byte, 0, len(b)/2)
	for i := 0; i < len(b); i += 2 {
		if b[i+1] != 0 {
			return b
		}
		out = append(out, b[i])
	}
	return out
}

// printable reports whether decoded bytes are text: random bytes are not.
func printable(b []byte) bool {
	return len(b) >= 8 && utf8.Valid(b) && visibleBytes(b)
}

// visibleBytes reports whether there are no control characters but blanks.
func visibleBytes(b []byte) bool {
	for _, c := range b {
		if c < ' ' && !isBlank(c) || c == 0x7f {
			return false
		}
	}
	return true
}
