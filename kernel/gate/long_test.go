package gate

import (
	"context"
	"strings"
	"testing"
)

// lines masks a secret that stands on one line, however long the text.
type lines struct{ longest int }

func (l *lines) Redact(_ context.Context, text string) (string, error) {
	l.longest = max(l.longest, len(text))
	return strings.ReplaceAll(text, "SECRET", "[x]"), nil
}

// TestRedactLong looks for secrets on every cut of a long text.
func TestRedactLong(t *testing.T) {
	for _, filler := range []string{"word ", "a line\n", "é", strings.Repeat("x", 1000) + "\n"} {
		text := strings.Repeat(filler, 3*pieceSize/len(filler))
		for _, at := range []int{0, pieceSize - 3, 2*pieceSize - 2, len(text)} {
			for at < len(text) && text[at]&0xc0 == 0x80 {
				at++
			}
			l := &lines{}
			got, err := redactLong(t.Context(), l, text[:at]+"SECRET"+text[at:])
			if err != nil || got != text[:at]+"[x]"+text[at:] {
				t.Errorf("a secret at %d of %q is not masked, or more is (%v)", at, filler[:1], err)
			}
			if l.longest > pieceSize+4 {
				t.Errorf("a piece has %d bytes", l.longest)
			}
		}
	}
}
