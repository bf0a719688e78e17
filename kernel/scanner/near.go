package scanner

import (
	"regexp/syntax"
	"slices"
	"strings"
)

// near says, of a keyword that ends at end, whether a rule has a chance there.
// It is a cheap look at the bytes behind the keyword, made before the rule's
// expression runs; it may say yes too often, never no where the rule would
// find something.
type near func(text string, end, right int) bool

// nears are the names that a rule may use.
var nears = map[string]near{
	// name = value, with a value of eight characters or more
	"assignment": func(text string, end, _ int) bool { return wordLength(text, assigned(text, end)) >= 8 },
	// the same, with a value that has letters and digits
	"secret-assignment": func(text string, end, _ int) bool {
		at := assigned(text, end)
		n := wordLength(text, at)
		return n >= 16 && isMixed(text[at:at+n])
	},
	// the same, with any value
	"short-assignment": func(text string, end, _ int) bool { return assigned(text, end) >= 0 },
	// name is value
	"stated":          func(text string, end, right int) bool { return ahead(text, end, right, 12, hasMixedRun, true) },
	"stated-password": func(text string, end, right int) bool { return ahead(text, end, right, 4, isSaid, true) },
	// the rest of a token, of which the keyword is the prefix
	"token": isTokenRun,
	// sixteen characters of a token
	"long": func(text string, end, _ int) bool {
		return runWithin(text, end, 16, kindToken) == end+16
	},
	// an address of the net or of mail
	"destination": hasDestination,
	// user:password@ or user@, behind ://
	"userinfo": hasUserInfo,
	// what may be a password that nothing announces
	"strong": func(text string, end, right int) bool { return isStrongAhead(text[end:min(len(text), end+right)]) },
	// a word that is none of a language
	"odd": func(text string, end, right int) bool { return ahead(text, end, right, 4, isOdd, false) },
}

// gitleaksAssignment is the expression between the name and the value in the half
// of gitleaks' rules that look for a value by its name (cmd/generate/config,
// utils.GenerateSemiGenericRegex).
const gitleaksAssignment = `(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}`

// namesValue reports whether an expression is one of those, with a keyword in the
// name of every match (in some, the keyword is in the value).
func namesValue(re *syntax.Regexp, pattern string, keywords []string) bool {
	if re.Op != syntax.OpConcat || !strings.Contains(pattern, gitleaksAssignment) {
		return false
	}
	k := slices.IndexFunc(re.Sub, func(s *syntax.Regexp) bool {
		return s.Op == syntax.OpRepeat && s.Min == 0 && s.Max == 20
	})
	if k < 0 {
		return false
	}
	p := prover{keywords: keywords}
	_, _, ok := p.concat(re.Sub[:k])
	return ok
}

const (
	// maxName is how far behind a keyword its name may go on: 20 characters by
	// the expression, and some for keywords that are only the name's beginning.
	maxName = 32
	// maxGap is how many blanks and quotes may stand between name and operator.
	maxGap = 8
)

// assigned returns where the value begins, if an assignment follows: after the
// rest of the name comes one of the operators. It returns -1 if there is none.
func assigned(text string, end int) int {
	i := end
	for i < len(text) && i < end+maxName && (isName(text[i]) || text[i] == ' ' || text[i] == '\t') {
		i++
	}
	i = runWithin(text, i, maxGap, kindBlank|kindQuote)
	at := i
	for i < len(text) && strings.IndexByte("=>:,?<|-", text[i]) >= 0 {
		i++
	}
	if i == at {
		return -1
	}
	for i < len(text) && (isBlank(text[i]) || isQuote(text[i]) || text[i] == '=') {
		i++
	}
	return i
}

// wordLength returns the length of the run of a value's characters at an
// offset; 0 for an offset of -1.
func wordLength(text string, at int) int {
	const enough = 512
	if at < 0 {
		return 0
	}
	return runWithin(text, at, enough, kindValue) - at
}

// ahead reports whether a word of a length or more, with something about it,
// stands within reach; if stated, behind a word that announces it.
func ahead(text string, end, right, length int, is func(string) bool, stated bool) bool {
	text = text[end:min(len(text), end+right)]
	last := ""
	for s := range runs(text, kindInk) {
		w := text[s.start:s.end]
		if len(w) >= length && is(w) && (!stated || announces(last) || strings.ContainsAny(w, "=:\"'`(→>") || strings.Contains(w, "：")) {
			return true
		}
		last = w
	}
	return false
}

// announces reports whether a value follows a word.
func announces(w string) bool {
	w = strings.TrimRight(w, "\"'`*«„")
	if w == "" || strings.HasSuffix(w, ":") || strings.HasSuffix(w, "=") {
		return true
	}
	switch strings.ToLower(w) {
	case "is", "it's", "was", "are", "be", "been", "equals", "reads", "to", "now", "still", "just", "currently",
		"->", "=>", "→", "ist", "war", "lautet", "auf", "jetzt", "nun", "est", "à", "maintenant", "es", "era", "ahora",
		"é", "è", "agora", "är", "er", "jest", "on", "en":
		return true
	}
	return false
}

// isTokenRun reports whether a run of a token's characters follows that is not made
// of words: it has a digit, or turns between capitals and small letters more often
// than the names that programs use.
func isTokenRun(text string, end, _ int) bool {
	const least, most, long = 12, 64, 20
	tail := text[end:runWithin(text, end, most, kindTail)]
	return len(tail) >= least && (kindsOf(tail)&kindDigit != 0 || len(tail) == most) ||
		len(tail) >= long && turns(tail)*4 >= len(tail)
}

// hasUserInfo reports whether an @ comes before the next blank.
func hasUserInfo(text string, end, right int) bool {
	text = text[end:min(len(text), end+right)]
	at := strings.IndexByte(text, '@')
	return at >= 0 && strings.IndexFunc(text[:at], func(r rune) bool { return r <= ' ' }) < 0
}

// hasMixedRun reports whether a word has a run of twelve characters of a token, or
// dots, with letters and digits.
func hasMixedRun(w string) bool {
	for s := range runs(w, kindDotted) {
		if s.end-s.start >= 12 && isMixed(w[s.start:s.end]) {
			return true
		}
	}
	return false
}

// isSaid reports whether a word may be a password that a sentence states: quoted,
// or with digits or signs, and no expression of a program.
func isSaid(w string) bool {
	if isQuote(w[0]) || w[0] == '*' {
		return true
	}
	digit := strings.ContainsAny(w, "0123456789")
	if strings.ContainsAny(w, "(){}[]<>") && !digit {
		return strings.ContainsAny(w, "\"'`")
	}
	w = strings.TrimRight(w, ".,;:!?)\"'`*=")
	return digit || isOdd(w) || turns(w) >= 3
}

// isStrongAhead reports whether a text has letters with digits or signs, or with turns
// between capitals and small letters, that may be what isDirectPassword accepts.
func isStrongAhead(text string) bool {
	for s := range runs(text, kindPlain) {
		w := strings.TrimLeft(text[s.start:s.end], "&*+.!")
		k := kindsOf(w)
		if len(w) >= 6 && k&(kindLetter|kindWide) != 0 && (k&kindDigit != 0 || k&kindUpper != 0 && turns(w) >= 3 || strings.ContainsAny(w, passwordSigns)) {
			return true
		}
	}
	return false
}

// domains are the ends of names of hosts that are looked for without a scheme.
var domains = []string{"com", "net", "io", "xyz", "ru", "cn", "org", "dev", "test", "example", "site", "top", "info", "app", "sh", "me", "co"}

// hasDestination reports whether an address follows: a scheme, an @ in a word, or a
// name of a host or an address of numbers.
func hasDestination(text string, end, right int) bool {
	text = text[end:min(len(text), end+right)]
	for i := 1; i+2 < len(text); i++ {
		switch text[i] {
		case ':':
			if text[i+1] == '/' && text[i+2] == '/' {
				return true
			}
		case '@':
			if isAlnum(text[i-1]) && isAlnum(text[i+1]) {
				return true
			}
		case '.':
			if isDigit(text[i-1]) && isDigit(text[i+1]) {
				return true
			}
			j := runEnd(text, i+1, kindLetter)
			if isAlnum(text[i-1]) && slices.Contains(domains, strings.ToLower(text[i+1:j])) {
				return true
			}
		}
	}
	return false
}
