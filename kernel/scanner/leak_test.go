package scanner

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
)

// leastLeak is the length of a piece of a secret that must not remain.
const leastLeak = 12

// leaks returns a piece of a secret that is in a redacted text, or "". What
// stands around a key in its block or file is none: headers, names, quotes.
func leaks(redacted, secret string) string {
	if len(secret) < leastLeak && strings.Contains(redacted, secret) {
		return secret
	}
	for _, word := range strings.FieldsFunc(secret, func(r rune) bool { return r <= ' ' || r == '\\' }) {
		if strings.Contains(word, "-----") || strings.ContainsAny(word, "[]{}\"") || strings.HasSuffix(word, ":") {
			continue
		}
		for i := 0; i+leastLeak <= len(word); i += leastLeak / 2 {
			if piece := word[i : i+leastLeak]; strings.Contains(redacted, piece) {
				return piece
			}
		}
	}
	return ""
}

// Whatever Scan finds in the labelled positives is gone after Redact: no piece
// of twelve characters of the secret is left, of key blocks and signed URLs, too.
func TestRedactLeavesNothingOfTheData(t *testing.T) {
	dir := evalDir(t)
	s := scanner(t)
	n, refusals, bad := 0, 0, 0
	for _, file := range []string{"positives.jsonl", "evasion.jsonl"} {
		for _, r := range readRows(t, filepath.Join(dir, "secrets", file)) {
			rep, err := s.Scan(context.Background(), []Field{{Text: r.Text}})
			if err != nil || len(rep.Findings) == 0 {
				continue
			}
			n++
			out, err := s.Redact(context.Background(), r.Text)
			if err != nil {
				refusals++
				continue
			}
			if rep := scanText(t, s, out); len(rep.Findings) > 0 {
				t.Errorf("%s: %s remains", r.Category, ids(rep.Findings))
			}
			secret := r.Secret
			if url := strings.Index(r.Text, "Signature="); url >= 0 && r.Secret == "" {
				secret = r.Text[url:]
			}
			if piece := leaks(out, secret); secret != "" && piece != "" {
				bad++
				t.Errorf("%s: %q of %q remains in %q", r.Category, piece, secret, out)
			}
		}
	}
	t.Logf("%d texts redacted, %d refused, %d leaks", n, refusals, bad)
}
