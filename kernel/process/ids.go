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

	"golang.org/x/sys/unix"
)

const (
	saltSize = 32
	maxID    = 256 // bytes of an id of a caller's own
)

// Ordinals tells equal turns without ids apart: the first "yes" of a conversation
// from the second. Who hands in one conversation by several calls of
// [Store.Append] uses one Ordinals for all of them.
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
		full := sha256.Sum256([]byte(turnText(t)))
		sum := [16]byte(full[:16])
		o.seen[sum]++
		t.Ordinal = o.seen[sum]
	}
}

func turnText(t *Turn) string {
	return fmt.Sprintf("%s\x00%s\x00%d\x00%s\x00%s", t.Role, t.Time.UTC().Format(time.RFC3339Nano), len(t.Tool), t.Tool, t.Content)
}

// deriveID makes the id of a turn that has none. It is keyed: the text may hold a
// password, and a bare hash of it would let a dictionary find it.
func deriveID(salt []byte, t *Turn) string {
	return "d-" + keyed(salt, fmt.Sprintf("turn\x00%d\x00%s", t.Ordinal, turnText(t)))
}

func keyed(salt []byte, text string) string {
	h := hmac.New(sha256.New, salt)
	h.Write([]byte(text))
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// cleanID makes an id fit to be kept: one that is too long, or that the redactor
// finds fault with, is replaced by a keyed hash of it.
func (s *Store) cleanID(ctx context.Context, salt []byte, id string) (string, error) {
	if isPlain(id) {
		return id, nil
	}
	hashed := "x-" + keyed(salt, "id\x00"+id)
	if len(id) > maxID || !utf8.ValidString(id) {
		return hashed, nil
	}
	r, err := s.clean(ctx, id)
	if err != nil {
		return "", err
	}
	if r.masked || r.text != id {
		return hashed, nil
	}
	return id, nil
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

// theSalt returns the store's salt. With create it is made where it is not there;
// without, a passing one stands in, under which no id is known.
func (s *Store) theSalt(ctx context.Context, create bool) ([]byte, error) {
	s.mu.Lock()
	salt := s.salt
	s.mu.Unlock()
	if salt != nil {
		return salt, nil
	}
	salt, err := s.readSalt(ctx, create)
	if err != nil {
		return nil, failure("read the salt", err)
	}
	return salt, nil
}

func (s *Store) readSalt(ctx context.Context, create bool) ([]byte, error) {
	root, err := s.root()
	if errors.Is(err, os.ErrNotExist) && !create {
		return freshSalt(), nil
	}
	if err != nil {
		return nil, err
	}
	defer root.close()
	salt, err := root.read(saltName, saltSize)
	if errors.Is(err, os.ErrNotExist) || err == nil && len(salt) != saltSize {
		if !create {
			return freshSalt(), nil
		}
		salt, err = s.makeSalt(ctx, root)
	}
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.salt = salt
	return salt, nil
}

func (s *Store) makeSalt(ctx context.Context, root dir) ([]byte, error) {
	unlock, err := s.lockRoot(ctx, root)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if salt, err := root.read(saltName, saltSize); err == nil && len(salt) == saltSize {
		return salt, nil // somebody was faster
	}
	salt := freshSalt()
	if err := root.write(saltName+".tmp", salt); err != nil {
		return nil, errors.Join(err, unlessGone(unix.Unlinkat(root.fd, saltName+".tmp", 0)))
	}
	if err := root.rename(saltName+".tmp", root, saltName); err != nil {
		return nil, err
	}
	return salt, root.sync()
}

func freshSalt() []byte {
	salt := make([]byte, saltSize)
	_, _ = rand.Read(salt) // never fails: crypto/rand
	return salt
}
