package scanner

import (
	"crypto/sha256"
	_ "embed"
	"math/big"
	"regexp"
	"strings"
	"sync"
)

// Finders find what an expression can't: they count and compute. A rule names
// one instead of an expression.
var finders = map[string]func(text string, found func(span)){
	"bip39": findSeeds,
	"card":  findCards,
	"iban":  findIBANs,
	"sense": findSense,
}

// The words of BIP 39, in order, as the standard publishes them:
// https://github.com/bitcoin/bips/blob/master/bip-0039/english.txt
//
//go:embed rules/bip39.txt
var bip39List string

var bip39 = sync.OnceValue(func() map[string]int {
	words := make(map[string]int, 2048)
	for i, w := range strings.Fields(bip39List) {
		words[w] = i
	}
	return words
})

// bip39Begins says of the first three letters whether a word begins so: most
// words of a text are none, and this is faster than the map.
var bip39Begins = sync.OnceValue(func() *[1 << 15]bool {
	var set [1 << 15]bool
	for w := range bip39() {
		set[firstThree(w)] = true
	}
	return &set
})

// firstThree packs three letters of either case.
func firstThree(w string) int {
	return int(w[0]&31)<<10 | int(w[1]&31)<<5 | int(w[2]&31)
}

// findSeeds finds rows of words of BIP 39, with blanks, commas or numbers
// between them. A row of a valid length is reported if its checksum is right, or
// if nothing but the row stands in its line: a phrase may be written down with an
// error, and a sentence does not do without "the".
func findSeeds(text string, found func(span)) {
	words, begins := bip39(), bip39Begins()
	var row []int
	var at span
	flush := func() {
		if n := len(row); n >= 12 && n <= 24 && n%3 == 0 && drawn(row) && (checksum(row) || alone(text, at)) {
			found(at)
		}
		row = row[:0]
	}
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case isLetter(c):
			j := runEnd(text, i, kindLetter)
			n, ok := -1, false
			if j-i >= 3 && j-i <= 8 && begins[firstThree(text[i:])] && (j == len(text) || text[j] < 0x80 && text[j] != '_' && text[j] != '\'') {
				n, ok = words[strings.ToLower(text[i:j])]
			}
			if !ok {
				flush()
			} else {
				if len(row) == 0 {
					at.start = i
				}
				at.end = j
				row = append(row, n)
			}
			i = j
		case isBlank(c) || c >= '0' && c <= '9' || strings.IndexByte(",.:;)-\"'`|", c) >= 0:
			if len(row) > 0 && c == '\n' && i+1 < len(text) && text[i+1] == '\n' {
				flush()
			}
			i++
		default:
			flush()
			i++
		}
	}
	flush()
}

// drawn reports whether words can have been drawn at random: they are not a few that
// are said again and again.
func drawn[T comparable](row []T) bool {
	seen := map[T]bool{}
	for _, word := range row {
		seen[word] = true
	}
	return 4*len(seen) >= len(row)
}

// alone reports whether a row has its lines for itself, or stands behind a colon,
// a verb or a quote and goes on to the end of its line.
func alone(text string, at span) bool {
	rest := text[at.end:]
	if i := strings.IndexByte(rest, '\n'); i >= 0 {
		rest = rest[:i]
	}
	if strings.Trim(rest, " \t.,;:\"'`)|*") != "" {
		return false
	}
	before := text[strings.LastIndexByte(text[:at.start], '\n')+1 : at.start]
	before = strings.TrimRight(before, " \t\"'`(*0123456789.)|-")
	if before == "" || strings.HasSuffix(before, ":") || strings.HasSuffix(before, "=") {
		return true
	}
	last := before[strings.LastIndexAny(before, " \t")+1:]
	return announces(last)
}

// checksum reports whether the last bits of a row are those of the hash of the
// others (BIP 39: one bit for each 32 of entropy).
func checksum(row []int) bool {
	bits := len(row) * 11
	check := bits / 33
	n := new(big.Int)
	for _, word := range row {
		n.Add(n.Lsh(n, 11), big.NewInt(int64(word)))
	}
	data, rest := new(big.Int).DivMod(n, big.NewInt(1<<check), new(big.Int))
	sum := sha256.Sum256(data.FillBytes(make([]byte, (bits-check)/8)))
	return rest.Int64() == int64(sum[0]>>(8-check))
}

// eachNumber calls f for the runs of the class that may have single blanks or
// dashes in them, with those removed.
func eachNumber(text string, first, class func(byte) bool, f func(s span, plain string)) {
	for i := 0; i < len(text); {
		if !first(text[i]) || i > 0 && (isAlnum(text[i-1]) || text[i-1] == '.' || text[i-1] == '_') {
			i++
			continue
		}
		var plain []byte
		end, j := i, i
		for j < len(text) {
			if class(text[j]) {
				plain = append(plain, text[j])
				j++
				end = j
				continue
			}
			if (text[j] == ' ' || text[j] == '-') && j+1 < len(text) && class(text[j+1]) {
				j++
				continue
			}
			break
		}
		if end == len(text) || !isAlnum(text[end]) && text[end] != '_' {
			f(span{i, end}, string(plain))
		}
		i = max(end, i+1)
	}
}

// cardNumber has the beginnings of the issuers' numbers, with their lengths.
var cardNumber = regexp.MustCompile(`^(?:3[47]\d{13}|4\d{12}(?:\d{3}){0,2}|[25]\d{15}|(?:3[0-35689]|6\d)\d{12,17})$`)

// findCards finds numbers of 13 to 19 digits that begin as those of cards do
// and whose check digit is right (ISO/IEC 7812).
func findCards(text string, found func(span)) {
	eachNumber(text, isDigit, isDigit, func(s span, n string) {
		if len(n) >= 13 && len(n) <= 19 && !oneCharacter(n) && luhn(n) && cardNumber.MatchString(n) {
			found(s)
		}
	})
}

func luhn(n string) bool {
	sum := 0
	for i := range len(n) {
		d := int(n[len(n)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

// findIBANs finds account numbers whose check digits are right (ISO 13616).
func findIBANs(text string, found func(span)) {
	upper := func(c byte) bool { return c >= 'A' && c <= 'Z' || isDigit(c) }
	eachNumber(text, func(c byte) bool { return c >= 'A' && c <= 'Z' }, upper, func(s span, _ string) {
		for start, next := s.start, 0; next >= 0; start += next + 1 {
			next = strings.IndexByte(text[start:s.end], ' ')
			// A word in capitals before or behind the number is none of it.
			for end := s.end; end > start; end = start + max(0, strings.LastIndexByte(text[start:end], ' ')) {
				n := strings.NewReplacer(" ", "", "-", "").Replace(text[start:end])
				if len(n) >= 15 && len(n) <= 34 && isIBAN(n) {
					found(span{start, end})
					return
				}
			}
		}
	})
}

func isIBAN(n string) bool {
	if isDigit(n[0]) || isDigit(n[1]) || !isDigit(n[2]) || !isDigit(n[3]) {
		return false
	}
	rest := 0
	for i := range len(n) {
		c := n[(i+4)%len(n)]
		if isDigit(c) {
			rest = (rest*10 + int(c-'0')) % 97
		} else {
			rest = (rest*100 + int(c-'A') + 10) % 97
		}
	}
	return rest == 1
}
