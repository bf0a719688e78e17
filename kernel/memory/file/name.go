package file

import (
	"crypto/sha1"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxFile      = 1 << 20 // bytes of an entry's file
	maxNames     = 250_000 // files of a folder
	ext          = ".md"
	maxNameBytes = 200 // of a file's name with its extension; NAME_MAX is 255
	suffixRoom   = 8   // for -2, -3, ...
)

// stem makes a key the stem of a file's name in any script: what a path, a
// terminal or another system's file names can't bear becomes a hyphen.
func stem(key string) string {
	const most = maxNameBytes - len(ext) - suffixRoom
	var b strings.Builder
	whole := 0 // bytes before the last letter, which is not cut off from its accents
	for _, r := range key {
		switch {
		case r == utf8.RuneError, unicode.IsControl(r), strings.ContainsRune(`/\:*?"<>|`, r), r == 0x2028, r == 0x2029:
			r = '-'
		case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069: // bidirectional overrides
			r = '-'
		}
		if !unicode.IsMark(r) {
			whole = b.Len()
		}
		if b.WriteRune(r); b.Len() > most {
			break
		}
	}
	name := b.String()
	if len(name) > most {
		name = name[:whole]
	}
	s := strings.TrimLeft(strings.TrimRight(name, ". "), " ")
	if trimmed := strings.TrimLeft(s, "."); trimmed != s {
		s = "-" + trimmed
	}
	if s == "" || s == "-" {
		return "entry"
	}
	return s
}

// fileName returns the first of stem.md, stem-2.md, ... that is free.
func fileName(key string, taken func(name string) bool) string {
	for n := 1; ; n++ {
		if name := numbered(stem(key), ext, n); !taken(name) {
			return name
		}
	}
}

// numbered is base+suffix, base-2+suffix and so on for n from 1.
func numbered(base, suffix string, n int) string {
	if n == 1 {
		return base + suffix
	}
	return base + "-" + strconv.Itoa(n) + suffix
}

// isEntryName reports whether a name in the folder is an entry's.
func isEntryName(name string) bool {
	return strings.HasSuffix(name, ext) && len(name) > len(ext) && name[0] != '.'
}

// keyOf is the key of a file that names none: its stem.
func keyOf(name string) string { return strings.TrimSuffix(name, ext) }

// derivedID is the id of a file that names none: a UUID of version 5 (RFC 9562)
// of its name, so that every process finds the same.
func derivedID(name string) string {
	const namespace = "rnixfs.entry.file"
	h := sha1.Sum([]byte(namespace + "\x00" + name))
	h[6] = h[6]&0x0f | 0x50
	h[8] = h[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", h[0:4], h[4:6], h[6:8], h[8:10], h[10:16])
}
