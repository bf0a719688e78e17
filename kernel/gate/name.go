package gate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"sync"

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
	if !l.refuses(label, text) || !l.refuses(label, l.withoutOwn(text)) {
		return text
	}
	name := parts.ReplaceAllStringFunc(text, func(part string) string {
		if l.refuses(label, part) {
			return hashed(part)
		}
		return part
	})
	if l.refuses(label, l.withoutOwn(name)) {
		return hashed(text)
	}
	return name
}

// withoutOwn is a text without the descriptions of rules, which stand in our own errors:
// one names the words of an order, and is none.
func (l *loading) withoutOwn(text string) string {
	if l.scanner == nil {
		return text
	}
	for _, d := range l.scanner.Descriptions() {
		text = strings.ReplaceAll(text, d+" (", "(")
	}
	return text
}

// parts are those of paths, messages and lists.
var parts = regexp.MustCompile(`[^\s/"',;:=()[\]{}.]+`)

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

// plain reports whether a text is a path or a name of short words alone, in which no
// built-in rule finds a secret. It spares a hook, and a start, the loading of rules.
func plain(text string) bool {
	const most = 11 // a recovery phrase has 12 words
	if !simple.MatchString(text) {
		return false
	}
	for part := range strings.SplitSeq(text, "/") {
		words := strings.FieldsFunc(part, func(r rune) bool { return strings.ContainsRune("-_.", r) })
		if len(words) > most || slices.ContainsFunc(words, long) {
			return false
		}
	}
	return true
}

var simple = regexp.MustCompile(`^[A-Za-z0-9/_.-]*$`)

// long reports a word that is longer than people's are; UUIDs have parts of 12 digits.
func long(word string) bool {
	return len(word) > 19 || len(word) > 12 && strings.ContainsAny(word, "0123456789")
}
