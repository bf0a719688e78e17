package scanner

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

const (
	maxRuns  = 64 // decoded in one view
	leftSide = 48 // bytes of the text before a run, where a label may stand
	minRun   = 20 // characters: fewer hold no secret
)

// decoders decode a run of characters, or return nil. Which encodings a run
// may have is seen from its characters.
var decoders = []func(run string) []byte{decodeHex, decodeStd, decodeURL}

// decode returns a view for each run that decodes to printable text.
func decode(v *view) []*view {
	var out []*view
	add := func(s span, plain []byte) {
		if len(out) < maxRuns && printable(plain) {
			b := newViewBuilder(v)
			b.keep(max(0, s.start-leftSide), s.start)
			b.add(string(plain), s.start, s.end)
			out = append(out, b.view(v.kind&^viewRaw|viewDecoded))
		}
	}
	eachRun(v.text, isCoded, func(s span) {
		for _, d := range decoders {
			add(s, d(v.text[s.start:s.end]))
		}
	})
	if strings.IndexByte(v.text, '%') >= 0 {
		eachRun(v.text, func(c byte) bool { return !isBlank(c) }, func(s span) {
			add(s, decodePercent(v.text[s.start:s.end]))
		})
	}
	return out
}

// eachRun calls f for the longest runs of characters in the class.
func eachRun(text string, class func(byte) bool, f func(span)) {
	for i := 0; i < len(text); {
		if !class(text[i]) {
			i++
			continue
		}
		j := i + 1
		for j < len(text) && class(text[j]) {
			j++
		}
		if j-i >= minRun {
			f(span{i, j})
		}
		i = j
	}
}

func isCoded(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '+' || c == '/' || c == '-' || c == '_'
}

func decodeHex(run string) []byte {
	run = strings.TrimPrefix(run, "0x")
	b, err := hex.DecodeString(run)
	if err != nil {
		return nil
	}
	return b
}

func decodeStd(run string) []byte { return decode64(base64.RawStdEncoding, run) }

func decodeURL(run string) []byte {
	if !strings.ContainsAny(run, "-_") {
		return nil // decodeStd has seen it
	}
	return decode64(base64.RawURLEncoding, run)
}

// decode64 decodes as much of a run as is whole; a run cut off in the middle
// still has its beginning.
func decode64(enc *base64.Encoding, run string) []byte {
	if len(run)%4 == 1 {
		run = run[:len(run)-1]
	}
	b, err := enc.DecodeString(run)
	if err != nil {
		return nil
	}
	return b
}

func decodePercent(run string) []byte {
	if strings.IndexByte(run, '%') < 0 {
		return nil
	}
	out := make([]byte, 0, len(run))
	changed := false
	for i := 0; i < len(run); i++ {
		if run[i] == '%' && i+2 < len(run) {
			if b, err := hex.DecodeString(run[i+1 : i+3]); err == nil {
				out = append(out, b[0])
				i += 2
				changed = true
				continue
			}
		}
		out = append(out, run[i])
	}
	if !changed {
		return nil
	}
	return out
}

// printable says whether decoded bytes are text: random bytes are not.
func printable(b []byte) bool {
	if len(b) < 8 || !utf8.Valid(b) {
		return false
	}
	for _, c := range b {
		if c < ' ' && !isBlank(c) || c == 0x7f {
			return false
		}
	}
	return true
}
