package scanner

import (
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"strings"
	"unicode/utf8"
)

// decoders find runs of an encoding. What they decode becomes a view of its
// own, with a little of the text before the run, where a label may stand.
var decoders = []struct {
	run    *regexp.Regexp
	decode func(string) ([]byte, error)
}{
	{regexp.MustCompile(`(?:[A-Za-z0-9+/]{4}){4,}(?:[A-Za-z0-9+/]{2,3})?={0,2}`), decodeStd},
	{regexp.MustCompile(`[A-Za-z0-9_-]{16,}={0,2}`), decodeURL},
	{regexp.MustCompile(`(?:[0-9a-fA-F]{2}){12,}`), hex.DecodeString},
	{regexp.MustCompile(`[^\s%]*(?:%[0-9a-fA-F]{2}[^\s%]*){1,}`), decodePercent},
}

const (
	maxRuns  = 64 // decoded in one view
	leftSide = 48 // bytes of the text before a run
)

// decode returns a view for each run that decodes to printable text.
func decode(v *view) []*view {
	var out []*view
	for _, d := range decoders {
		for _, loc := range d.run.FindAllStringIndex(v.text, maxRuns) {
			plain, err := d.decode(v.text[loc[0]:loc[1]])
			if err != nil || !printable(plain) {
				continue
			}
			b := newViewBuilder(v)
			b.keep(max(0, loc[0]-leftSide), loc[0])
			b.add(string(plain), loc[0], loc[1])
			out = append(out, b.view(v.kind&^viewRaw|viewDecoded))
		}
	}
	return out
}

func decodeStd(s string) ([]byte, error) {
	return base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
}

func decodeURL(s string) ([]byte, error) {
	if !strings.ContainsAny(s, "_-") {
		return nil, base64.CorruptInputError(0) // decodeStd has seen it
	}
	return base64.RawURLEncoding.DecodeString(strings.TrimRight(s, "="))
}

func decodePercent(s string) ([]byte, error) {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if b, err := hex.DecodeString(s[i+1 : i+3]); err == nil {
				out = append(out, b[0])
				i += 2
				continue
			}
		}
		out = append(out, s[i])
	}
	return out, nil
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
