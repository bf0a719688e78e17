package gate

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/rnixfs/rnixfs/kernel/scanner"
)

// withheld stands for a text of a conversation that the scanner can't judge:
// that one text is not kept, and the conversation is.
const withheld = "[withheld: the scanner could not judge this text]"

const (
	// pieceSize is how much of a long text is judged at once, in bytes: well
	// below the scanner's bound, and its time for one text.
	pieceSize = 96 << 10
	// seamSize is looked at again on both sides of a cut, because a secret may
	// lie across it. A private key of 16384 bits has 13 KiB.
	seamSize = 16 << 10
)

// RedactLong is Redact for the texts of conversations, which may be long, and tells
// whether something was masked. It is the store's process.Redactor.
func (g *Gate) RedactLong(ctx context.Context, text string) (string, bool, error) {
	s, err := g.wait(ctx)
	if err != nil {
		return "", false, err
	}
	out, err := redactLong(ctx, s, text)
	var f *scanner.Failure
	switch {
	case err == nil:
		return out, out != text, nil
	case ctx.Err() != nil:
		return "", false, ctx.Err()
	case errors.As(err, &f) && (f.Reason == scanner.ReasonTooLarge || f.Reason == scanner.ReasonEncoding || f.Reason == scanner.ReasonRedaction):
		return withheld, true, nil
	}
	return "", false, scanFailure(err)
}

type masker interface {
	Redact(ctx context.Context, text string) (string, error)
}

// redactLong redacts a text in pieces, and again around each cut.
func redactLong(ctx context.Context, s masker, text string) (string, error) {
	if len(text) <= pieceSize {
		return s.Redact(ctx, text)
	}
	var out []byte
	for text != "" {
		n := cut(text)
		piece, err := s.Redact(ctx, text[:n])
		if err != nil {
			return "", err
		}
		text = text[n:]
		left, right := max(len(out)-seamSize, 0), min(seamSize, len(piece))
		for left > 0 && left < len(out) && !utf8.RuneStart(out[left]) {
			left--
		}
		for right < len(piece) && !utf8.RuneStart(piece[right]) {
			right++
		}
		seam := string(out[left:]) + piece[:right]
		if len(out) > 0 {
			if seam, err = s.Redact(ctx, seam); err != nil {
				return "", err
			}
		}
		out = append(append(out[:left], seam...), piece[right:]...)
	}
	return string(out), nil
}

// cut is where the next piece of a text ends: behind a line if one ends in its
// second half, else between two characters.
func cut(text string) int {
	if len(text) <= pieceSize {
		return len(text)
	}
	if i := strings.LastIndexByte(text[:pieceSize], '\n'); i > pieceSize/2 {
		return i + 1
	}
	n := pieceSize
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return max(n, 1)
}
