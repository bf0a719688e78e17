package process

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"time"
	"unicode/utf8"
)

// Ordinals tells equal turns without ids apart: the first "yes" of a conversation
// from the second. Where one conversation is handed in by several calls of
// [Store.Append], one Ordinals serves all of them.
type Ordinals struct{ seen map[[16]byte]int }

// Set fills in the Ordinal of the turns that have no ID.
func (o *Ordinals) Set(turns []Turn) {
	for i := range turns {
		t := &turns[i]
		if t.ID != "" || t.Ordinal != 0 {
			continue
		}
		if o.seen == nil {
			o.seen = map[[16]byte]int{}
		}
		sum := keyOf(turnText(t))
		o.seen[sum]++
		t.Ordinal = o.seen[sum]
	}
}

func turnText(t *Turn) string {
	return fmt.Sprintf("%s\x00%s\x00%d\x00%s\x00%s", t.Role, t.Time.UTC().Format(time.RFC3339Nano), len(t.Tool), t.Tool, t.Content)
}

const maxID = 256 // bytes of an id of a caller's own

// turnID makes the id of a turn fit to be kept. A turn without an id gets one made
// of its text; an id that is too long, or that the redactor finds fault with, is
// replaced by a hash. Hashes are keyed: the text may hold a password, and a bare
// hash of it would let a dictionary find it.
func (s *Store) turnID(ctx context.Context, salt []byte, t *Turn) (string, error) {
	if t.ID == "" {
		return "d-" + keyed(salt, fmt.Sprintf("turn\x00%d\x00%s", t.Ordinal, turnText(t))), nil
	}
	if isPlain(t.ID) {
		return t.ID, nil
	}
	hashed := "x-" + keyed(salt, "id\x00"+t.ID)
	if len(t.ID) > maxID || !utf8.ValidString(t.ID) {
		return hashed, nil
	}
	r, err := s.cleaner.clean(ctx, t.ID)
	if err != nil || r.masked || r.text != t.ID {
		return hashed, err
	}
	return t.ID, nil
}

func keyed(salt []byte, text string) string {
	h := hmac.New(sha256.New, salt)
	h.Write([]byte(text))
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// isPlain reports whether an id is of a form that can't hide anything: a uuid
// with a short suffix, a derived one, a number.
func isPlain(id string) bool {
	if len(id) > 48 {
		return false
	}
	for i := range len(id) {
		c := id[i]
		digit, hex := c >= '0' && c <= '9', c >= 'a' && c <= 'f'
		if !digit && !hex && c != '-' && c != '.' && c != ':' && c != '/' && c != '#' {
			return false
		}
	}
	return true
}

const saltSize = 32

// theSalt returns the store's salt. With create it is made where it is not there;
// without, a passing one stands in, under which no id is known.
func (s *Store) theSalt(ctx context.Context, create bool) ([]byte, error) {
	s.saltMu.Lock()
	defer s.saltMu.Unlock()
	if s.salt != nil {
		return s.salt, nil
	}
	fresh := make([]byte, saltSize)
	_, _ = rand.Read(fresh) // never fails: crypto/rand
	root, err := s.root()
	if errors.Is(err, os.ErrNotExist) && !create {
		return fresh, nil
	}
	if err != nil {
		return nil, failure("read the salt", err)
	}
	defer root.Close()
	salt, err := readFile(root, saltName, saltSize)
	if errors.Is(err, os.ErrNotExist) || err == nil && len(salt) != saltSize {
		if !create {
			return fresh, nil
		}
		salt, err = makeSalt(ctx, root, fresh)
	}
	if err != nil {
		return nil, failure("read the salt", err)
	}
	s.salt = salt
	return salt, nil
}

// makeSalt keeps a salt, unless another program was faster.
func makeSalt(ctx context.Context, root *os.Root, fresh []byte) ([]byte, error) {
	unlock, err := lockRoot(ctx, root)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if salt, err := readFile(root, saltName, saltSize); err == nil && len(salt) == saltSize {
		return salt, nil
	}
	return fresh, replaceFile(root, saltName, fresh)
}
