package scanner

import (
	"regexp"
	"strings"
	"unicode"
)

// blankWords are what placeholders are made of; true stands by the fillers, which
// nothing but a placeholder has.
var blankWords = func() map[string]bool {
	const blank = "your my our the a an some any new old current existing this is here to be with for of in enter put add set use me it please test testing demo mock user username name login admin root account id value string str bool text super very top strong secure safe random long good bad wrong invalid incorrect correct valid password passwd passphrase passcode pass pwd pw secret secrets token tokens key keys api auth access client app db database sys system server service host credential credentials none null nil true false required optional undefined empty default retype confirm"
	const filler = "your yours example sample placeholder change changeme changeit dummy fake insert replace replaceme todo fixme redacted masked hidden foo bar baz foobar"
	words := map[string]bool{}
	for _, w := range strings.Fields(blank) {
		words[w] = false
	}
	for _, w := range strings.Fields(filler) {
		words[w] = true
	}
	return words
}()

const (
	longestBlank  = 11 // of these words
	longestFilled = 64 // of a value that can be made of them
)

var (
	// prefix is that of a vendor: sk-your-key-here.
	prefix = regexp.MustCompile(`^(?:[a-z]{2,6}[-_]){1,2}`)
	// fillerRun matches what is written for characters.
	fillerRun = regexp.MustCompile(`^(?:x{3,}|\*{3,}|\.{3,}|0?123456789\d*|abcdef[g-z]*)`)
	// cut matches values of which only the beginning or the end is shown.
	cut = regexp.MustCompile(`^[\w-]{0,16}(?:x{4,}|\*{3,}|\.{3,}|…)[\w-]{0,6}$`)
	// framed matches <db_password>, ###PWD###, __PWD__, [your password]
	framed = regexp.MustCompile(`^(?:[<{\[]{1,2}|#{2,3}|__|@|%)[A-Za-z][A-Za-z _.:/|-]*(?:[>}\]]{0,2}|#{2,3}|__|@|%)$`)

	// constant matches the name of a constant or a variable: MINIO_CERT_PASSWD.
	constant = regexp.MustCompile(`^[A-Z]{2,}(?:_[A-Z]{2,})+$`)
	// escapes matches nothing but escapes: \x00
	escapes = regexp.MustCompile(`^(?:\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[0-7]{1,3}|.))+$`)

	reference = regexp.MustCompile(`^(?:[<{]|\[redacted|process\.env|os\.|env[.\[(]|vault:|secret:|op://|arn:|urn:)`)
	// variable matches a variable of a shell, of PHP or of a template.
	variable = regexp.MustCompile(`^\$(?:\{|\(|\.|[A-Z][A-Z0-9_]*$|[a-z]+(?:[_-]?[a-z]+)*(?:[A-Z][a-z]+)*\d?$|\d$|[?!$@*#]$)|^\$\w+(?:\[|->|\.)`)
	// public matches keys that are no secret, by how their encodings begin: SSH, SPKI
	// (Ed25519, RSA, P-256, P-384), a certificate; NKeys of NATS.
	public = regexp.MustCompile(`^(?:[ACNOUX][A-Z2-7]{55}$|AAAA[BCE]3NzaC1|AAAAE2VjZHNh|MCowBQYDK2VwAyE|MII[BC]\w{2}AN|MFkwEwYHKoZI|MHYwEAYHKoZI|LS0tLS1CRUdJTiBDRVJU|LS0tLS1CRUdJTiBQVUJM)`)
)

// documented are the secrets that everyone copies from the documentation of AWS, RFC
// 7519 and jwt.io; of a JWT, its signature.
var documented = map[string]bool{
	"AKIAIOSFODNN7EXAMPLE": true, "AKIAI44QH8DHBEXAMPLE": true, "ASIAIOSFODNN7EXAMPLE": true,
	"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY": true, "je7MtGbClwBF/2Zp9Utk/h3yCo8nvbEXAMPLEKEY": true,
	"dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk": true, "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c": true,
}

// usual are passwords that documentation uses for any.
var usual = map[string]bool{
	"postgres": true, "mysecretpassword": true, "supersecret": true, "my-secret-pw": true, "p4ssw0rd": true, "passw0rd": true,
}

// placeholder reports whether a value stands for a secret instead of being one, by
// its whole form: a password may well hold "example".
func placeholder(value string) bool {
	bare := strings.Trim(value, "\"'`.,;:!?")
	v := strings.ToLower(bare)
	switch {
	case v == "" || oneCharacter(v) || usual[v] || documented[bare[strings.LastIndexByte(bare, '.')+1:]]:
		return true
	case isReference(strings.Trim(value, "\"'`")) || framed.MatchString(bare) || public.MatchString(bare) || constant.MatchString(bare) || escapes.MatchString(bare):
		return true
	}
	if v = strings.ToLower(strings.Trim(value, "\"'`.,;:")); strings.IndexFunc(v, unicode.IsDigit) < 0 {
		v = strings.Trim(v, "!?") // with digits, they may be a password's
	}
	vendor := len(prefix.FindString(v))
	return len(v) <= longestFilled && (consists(v, false, false) || vendor > 0 && consists(v[vendor:], false, true)) ||
		cut.MatchString(strings.Trim(strings.ToLower(value), "\"'`"))
}

// consists reports whether a value is made of blank words and fillers, with anything
// between them that divides words; with digits that count only if there is a filler.
func consists(v string, filler, digits bool) bool {
	v = strings.TrimLeft(v, "-_ ./:")
	if v == "" {
		return filler || !digits
	}
	for n := min(len(v), longestBlank); n > 0; n-- {
		if f, ok := blankWords[v[:n]]; ok && consists(v[n:], filler || f, digits) {
			return true
		}
	}
	if run := fillerRun.FindString(v); run != "" {
		return consists(v[len(run):], true, digits)
	}
	for n := min(len(v), 6); n > 0; n-- {
		if v[:n] == "123456"[:n] {
			return consists(v[n:], filler, true)
		}
	}
	return false
}

// isReference reports whether a value names the place of a secret.
func isReference(v string) bool {
	switch {
	case v == "":
		return false
	case v[0] == '$':
		return variable.MatchString(v)
	case v[0] == '%':
		return len(v) == 2 || strings.HasSuffix(v, "%") && !strings.ContainsAny(v[1:len(v)-1], passwordSigns) || strings.HasPrefix(v, "%(") || strings.HasPrefix(v, "%{")
	case v[0] == '@':
		return !strings.ContainsAny(v[1:], "!#$%^&*") && !mixed(v)
	case v[0] == '!':
		return !strings.ContainsAny(v[1:], passwordSigns) && !mixed(v)
	}
	return reference.MatchString(strings.ToLower(v))
}

var (
	// attribute matches the quote that closes a value and the name of the next one:
	// type="password" class=
	attribute = regexp.MustCompile(`^[^\s"']*["']\s+[\w:-]+[=:]`)
	keyAfter  = regexp.MustCompile(`^["']\s{0,2}(?::|=>)`)
	call      = regexp.MustCompile(`^[A-Za-z_][\w.]*\([^()]*\)$`)
	closing   = regexp.MustCompile(`^[\w.:?-]*\s?(?:[>}(\[]|\|\|)`)
)

// stated narrows a filter of passwords to what stands where a value can stand.
func stated(f filter) filter {
	return func(m *match) bool { return !m.isNoValue() && f(m) }
}

// isNoValue reports whether something else than a value stands there: the name of the
// next value, an expression in brackets, a call, a sentence in Chinese or Japanese,
// the verdict of a test.
func (m *match) isNoValue() bool {
	text := m.view.text
	if m.view.like != nil {
		text = m.view.like.text // with its brackets
	}
	before, after, v := text[:m.at.start], m.rest(), strings.TrimRight(m.value, ".,;:")
	if m.view.like != nil {
		after = text[m.at.end:min(len(text), m.at.end+24)]
	}
	switch {
	case strings.ContainsAny(m.whole, "\"'") && attribute.MatchString(m.whole) && !strings.Contains(m.whole, "value="), m.isQuoted() && keyAfter.MatchString(after), call.MatchString(v):
		return true
	case strings.HasSuffix(before, "${") && !strings.Contains(v, ":-"), strings.HasSuffix(before, "{{"), strings.HasSuffix(before, "}}"):
		return true
	case strings.HasSuffix(before, "<") || strings.HasSuffix(before, "{") || strings.HasPrefix(after, "("):
		return (isIdentifier(v) || isPlainName(v)) && closing.MatchString(after)
	case strings.HasPrefix(v, "?") && strings.HasSuffix(before, ":"), // ${PASSWORD:?missing}
		strings.HasPrefix(v, "+") && m.isQuoted(), // "PWD="+dir
		inTag(before[m.all.start:]),
		strings.HasSuffix(before[:m.all.start], "/etc/"), strings.HasPrefix(m.whole, "PWD") && strings.HasPrefix(v, "/"):
		return true
	case strings.HasPrefix(text[m.all.start:], "PASS:"):
		return strings.HasSuffix(before[:m.all.start], "--- ") || isPlainName(v)
	}
	return kindsOf(v)&kindWide != 0 && strings.IndexFunc(v, func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
	}) >= 0
}

// inTag reports whether a text ends within a tag that doesn't say that a value follows.
func inTag(text string) bool {
	i := strings.LastIndexByte(text, '<')
	return i >= 0 && i+1 < len(text) && isLetter(text[i+1]) && strings.IndexByte(text[i:], '=') > 0 && !strings.ContainsAny(text[i:], ">") && !strings.Contains(text[i:], "value=")
}

// plainName matches the names that programs use, numbers in them included:
// oauth2SyncSSHKeys, ShouldReturn404.
var plainName = regexp.MustCompile(`^[a-z]*\d{0,5}(?:[A-Z]{1,6}[a-z]{2,}\d{0,4}|(?:In|To|Is|Of|On|By|At|As|Id|Up|Or|No|If|Ok|Db|Fn|Ip|Ui|Os|Tx|Go|Js)|[A-Z]{2,6}s?\d{0,4}|[A-Z]\d{1,3})*$`)

// numbers matches two numbers.
var numbers = regexp.MustCompile(`\d\D+\d`)

// isPlainName reports whether every part of a value is such a name, with one number at
// most; most of it is in small letters, which a code in capitals is not.
func isPlainName(v string) bool {
	small := 0
	for i := range len(v) {
		small += int(kinds[v[i]]&kindLower) / kindLower
	}
	if 2*small < len(v) {
		return false
	}
	for p := range parts(v) {
		if !plainName.MatchString(p) || numbers.MatchString(p) {
			return false
		}
	}
	return v != ""
}
