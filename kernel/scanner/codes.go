package scanner

import (
	"encoding/hex"
	"math/big"
	"strconv"
	"strings"
)

const (
	fewestCodes = 12 // characters of a list: fewer hold no secret
	codeGap     = 26 // bytes between two numbers: "), String.fromCharCode("
)

// number is a number of a list, and the base that its prefix gives; 0 without one.
type number struct {
	span
	digits string
	base   int
}

// eachCodes calls f for each text that is written as the numbers of its
// characters, in any of the usual bases: 67:68:70, [103, 104], chr(103)+chr(104),
// 0x67, \147, U+0067. The spans are those of the numbers.
func eachCodes(text string, f func(plain []byte, at []span)) {
	var list []number
	for i := 0; i < len(text); i++ {
		if !isDigit(text[i]) {
			continue
		}
		s := span{i, runEnd(text, i, kindAlnum)}
		for s.start > 0 && isAlnum(text[s.start-1]) {
			s.start--
		}
		i = s.end
		if len(list) > 0 && s.start-list[len(list)-1].end > codeGap {
			list = readCodes(text, list, f)
		}
		if n, ok := numberAt(text, s); ok {
			list = append(list, n)
		}
	}
	readCodes(text, list, f)
}

// codeBases are the prefixes of numbers.
var codeBases = []struct {
	prefix string
	base   int
}{{"0x", 16}, {"0o", 8}, {"0b", 2}, {"u", 16}, {"U", 16}, {"x", 16}}

// numberAt reads the word at s as a number.
func numberAt(text string, s span) (number, bool) {
	const longest = 10
	n := number{s, text[s.start:min(s.end, s.start+longest+1)], 0}
	for _, b := range codeBases {
		if rest, ok := strings.CutPrefix(n.digits, b.prefix); ok {
			n.digits, n.base = rest, b.base
			break
		}
	}
	return n, s.end-s.start <= longest && strings.Trim(n.digits, "0123456789abcdefABCDEF") == ""
}

// readCodes calls f for each base in which nearly all numbers of a list are
// characters that can be seen: a dump has offsets, too. It returns the list, empty.
func readCodes(text string, list []number, f func([]byte, []span)) []number {
	if 4*len(list) < fewestCodes {
		return list[:0]
	}
	for _, base := range []int{16, 10, 8, 2} {
		plain, at := make([]byte, 0, len(list)), make([]span, 0, len(list))
		named, dump, odd := true, false, 0
		for _, n := range list {
			offset := n.base == 0 && base == 16 && len(n.digits) > 6 // of a line of a dump
			if n.base == 0 {
				n.base, named = base, false
			}
			c, err := strconv.ParseUint(n.digits, n.base, 32)
			bytes := []byte{byte(min(c, 0xff))}
			if c > 0xffff || c > 0xff && !offset {
				bytes, _ = hex.DecodeString(n.digits) // two in a group, or four
				offset = false
			}
			dump = dump || offset
			if err != nil || offset || !isASCII(string(bytes)) || !visibleBytes(bytes) {
				if odd++; 5*odd > len(list) {
					break
				}
				continue
			}
			for _, c := range bytes {
				plain, at = append(plain, c), append(at, n.span)
			}
		}
		if len(plain) >= fewestCodes && 5*odd <= len(list) {
			if last := &at[len(at)-1]; dump { // the text stands behind the numbers, too
				column, _, _ := strings.Cut(text[last.end:min(len(text), last.end+codeGap)], "\n")
				last.end += len(column)
			}
			f(plain, at)
		}
		if named {
			break
		}
	}
	return list[:0]
}

// alphabets85 are those of Python and git, of ZeroMQ, and of Adobe.
var alphabets85 = [...][256]byte{
	digitsOf("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"),
	digitsOf("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"),
	digitsOf("!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstu"),
}

// digitsOf returns the digit, from 1, that each byte is.
func digitsOf(alphabet string) (t [256]byte) {
	for i := range len(alphabet) {
		t[alphabet[i]] = byte(i + 1)
	}
	return t
}

// decode85 decodes base85 of text; nil if s is none.
func decode85(s string, digits *[256]byte) []byte {
	var out []byte // most words fail at once
	for i := 0; i < len(s); i += 5 {
		var n uint64
		for k := i; k < i+5; k++ {
			d := byte(85)
			if k < len(s) {
				d = digits[s[k]]
			}
			if d == 0 {
				return nil
			}
			n = n*85 + uint64(d-1)
		}
		for k := range min(4, len(s)-i-1) {
			c := byte(n >> (24 - 8*k))
			if n>>32 > 0 || c < ' ' && !isBlank(c) || c > '~' {
				return nil
			}
			out = append(out, c)
		}
	}
	return out
}

// each85 calls f for each of the words, or the part of one between quotes, tildes or
// behind a name, that is base85 of text.
func each85(text string, words []span, f func([]byte, span)) {
	for _, s := range words {
		for tries := 0; tries < 4 && s.end-s.start >= minRun; tries++ {
			word := text[s.start:s.end]
			plain := decodeAny85(strings.TrimRight(word, "~>\"'`),.;"))
			if plain == nil {
				plain = decodeAny85(word)
			}
			if len(plain) >= fewestCodes {
				f(plain, s)
				break
			}
			i := strings.IndexAny(word[:minRun], "~\"'`=:")
			if i < 0 {
				break
			}
			s.start += i + 1
		}
	}
}

func decodeAny85(s string) []byte {
	for i := range alphabets85 {
		if plain := decode85(s, &alphabets85[i]); plain != nil {
			return plain
		}
	}
	return nil
}

// alphabets58 are those of big numbers: Bitcoin's, and the two of base 62; base 36
// is a part of the last.
var alphabets58 = [...]string{
	"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
	"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
	"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
	"0123456789abcdefghijklmnopqrstuvwxyz",
}

// decodeBig decodes a text that is written as one number.
func decodeBig(s string) ([]byte, error) {
	const longest = 512
	if len(s) > longest || !hasBoth(s) || kindsOf(s)&^kindsOf("aA0") != 0 {
		return nil, errNotEncoded
	}
	for _, alphabet := range alphabets58 {
		as := []byte(s)
		for i := range as {
			at := strings.IndexByte(alphabet, as[i])
			if at < 0 {
				as = nil
				break
			}
			as[i] = alphabets58[2][at]
		}
		if n, ok := new(big.Int).SetString(string(as), len(alphabet)); ok && printable(n.Bytes()) {
			return n.Bytes(), nil
		}
	}
	return nil, errNotEncoded
}
