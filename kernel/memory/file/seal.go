package file

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// key is a secret of the user whose folder it is. What carries a MAC by it was
// written by this user's programs; a repository can bring everything else. nil is the
// key of folders that no repository brings.
type key []byte

const macField = `,"mac":"`

// macSize is the length of a MAC: the first half of HMAC-SHA256.
const macSize = 16

func (k key) mac(b []byte) []byte {
	h := hmac.New(sha256.New, k)
	h.Write(b) // never fails (hash.Hash)
	return h.Sum(nil)[:macSize]
}

// tail ends a line of the journal: the last field of its object is the MAC of all
// before it.
func (k key) tail(line []byte) []byte {
	return []byte(macField + hex.EncodeToString(k.mac(line)) + "\"}\n")
}

// sealed reports whether a line has its tail.
func (k key) sealed(line []byte) bool {
	n := len(line) - len(macField+"\"}\n") - 2*macSize
	return n > 0 && bytes.HasPrefix(line[n:], []byte(macField)) && hmac.Equal(line[n:], k.tail(line[:n]))
}

// seal writes a tag, a value of fixed size and the MAC of both.
func (k key) seal(tag string, v any) []byte {
	b, _ := binary.Append([]byte(tag), binary.LittleEndian, v) // fails for other sizes alone
	return append(b, k.mac(b)...)
}

// unseal reads what seal wrote. false: it is something else, torn, or another's.
func (k key) unseal(tag string, b []byte, v any) bool {
	n := len(tag) + binary.Size(v)
	if len(b) < n+macSize || string(b[:len(tag)]) != tag || !hmac.Equal(b[n:n+macSize], k.mac(b[:n])) {
		return false
	}
	_, err := binary.Decode(b[len(tag):n], binary.LittleEndian, v)
	return err == nil
}
