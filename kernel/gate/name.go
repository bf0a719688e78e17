package gate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync"
	"unicode"

	"github.com/rnixfs/rnixfs/kernel/scanner"
)

const (
	maxName  = 512  // bytes of a text worth keeping in the cache
	maxNames = 4096 // texts in the cache
)

// names are the texts that were asked about, and the answers.
type names struct {
	mu    sync.RWMutex
	known map[[2]string]string
}

// Name is a text that is kept, logged or shown beside what is remembered (an id, a
// path, an error): as it is, or with a hash, "sha256:" and 12 digits, in the place of
// each part that must not be stored, or of the whole. label is what the text is the
// value of, or "". The same text has the same name.
//
// It is the gate for texts that nobody chose as memory. It does not fail: rules that do
// not load are replaced by the built-in ones.
func (g *Gate) Name(label, text string) string {
	l := g.current.Load()
	if text == "" || l.usual && label == "" && plain(text) {
		return text
	}
	asked := [2]string{label, text}
	l.names.mu.RLock()
	name, ok := l.names.known[asked]
	l.names.mu.RUnlock()
	if ok {
		return name
	}
	name = l.name(label, text)
	if len(text) <= maxName {
		l.names.mu.Lock()
		if l.names.known == nil || len(l.names.known) >= maxNames {
			l.names.known = map[[2]string]string{}
		}
		l.names.known[asked] = name
		l.names.mu.Unlock()
	}
	return name
}

func (l *loading) name(label, text string) string {
	if !l.refuses(label, text) {
		return text
	}
	var b strings.Builder
	for rest := text; rest != ""; {
		end := strings.IndexFunc(rest, between)
		if end < 0 {
			end = len(rest)
		}
		part := rest[:end]
		if part != "" && l.refuses(label, part) {
			part = hashed(part)
		}
		b.WriteString(part)
		rest = rest[end:]
		next := strings.IndexFunc(rest, func(r rune) bool { return !between(r) })
		if next < 0 {
			next = len(rest)
		}
		b.WriteString(rest[:next])
		rest = rest[next:]
	}
	if name := b.String(); !l.refuses(label, name) {
		return name
	}
	return hashed(text)
}

// between reports what stands between the parts of paths, messages and lists.
func between(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`/"',;:=()[]{}.`, r) }

func hashed(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256:" + hex.EncodeToString(sum[:6])
}

// builtIn is the scanner that stands in for one that does not load.
var builtIn = sync.OnceValues(func() (*scanner.Scanner, error) { return scanner.New(scanner.Options{}) })

// refuses reports whether a text must not be stored as it is. One that can't be judged
// must not.
func (l *loading) refuses(label, text string) bool {
	<-l.begin().ready
	s, err := l.scanner, l.err
	if err != nil {
		if s, err = builtIn(); err != nil {
			return true
		}
	}
	r, err := s.Scan(context.Background(), []scanner.Field{{Name: label, Text: text}})
	return err != nil || len(r.Findings)+len(r.Redactions) > 0
}

// The words of a text that is plain.
const (
	maxLetters = 19 // of a word
	maxMixed   = 12 // of one with digits
	maxHex     = 12 // of one of hexadecimal digits, as UUIDs have
	maxWords   = 11 // in a row, but for slashes: a recovery phrase has 12
)

// plain reports whether a text is a path or a name of short words alone, in which no
// built-in rule finds a secret. It spares a hook, and a start, the loading of rules.
func plain(text string) bool {
	words, start := 0, 0
	for i := 0; i <= len(text); i++ {
		switch {
		case i < len(text) && alphanumeric(text[i]):
			continue
		case i < len(text) && !strings.ContainsRune("/-_.", rune(text[i])):
			return false
		case !plainWord(text[start:i]):
			return false
		case i > start:
			words++
		}
		if i < len(text) && text[i] == '/' {
			words = 0
		}
		if words > maxWords {
			return false
		}
		start = i + 1
	}
	return true
}

func plainWord(word string) bool {
	digits := strings.ContainsAny(word, "0123456789")
	switch {
	case !digits:
		return len(word) <= maxLetters
	case strings.Trim(word, "0123456789abcdef") == "":
		return len(word) <= maxHex
	}
	return len(word) <= maxMixed
}

func alphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
