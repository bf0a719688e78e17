package scanner

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const passwordSigns = "!@#$%^&*?+~="

var (
	// notPassword matches values in a password's place that are none: options,
	// paths, addresses, versions, dates, sizes, names of files, tickets.
	notPassword = regexp.MustCompile(`(?i)^(?:-{1,2}[a-z]|[./~\\]|https?:|[a-z]+://|[\w.+-]+@[\w-]+\.\w|v?\d+(?:\.\d+)+|\d{1,4}[-/:_]\d{1,2}|[0-9a-f]{8}-[0-9a-f]{4}-|[a-z]+\d+[smhd]$|\d+(?:[a-z]{1,3}|px|ms|st|nd|rd|th)?$|(?-i:[A-Z][A-Z0-9]+-\d+$)|#\d+$|&\w+;|0x[0-9a-f]{1,16}$|[*_=~+-]+$)|\.(?:go|js|ts|tsx|py|rb|rs|md|txt|ya?ml|json|toml|html?|css|sh|conf|cfg|ini|env|log|sql|xml|csv|pem|key|crt|java|php|c|h|cc|cpp)\b`)
	// camel is how programs write names: getUserByID2.
	camel = regexp.MustCompile(`^[a-z]*(?:[A-Z]+[a-z]{2,})*(?:[A-Z]{1,4}[a-z](?:[A-Z]+[a-z]{2,})*)?(?:[A-Z]{2,5})?\d{0,4}$`)
	// capitalised is one part of a password of words: Copper-Lantern-71.
	capitalised = regexp.MustCompile(`(?:^|[-_.])[A-Z][a-z]{2,}(?:[-_.]|\d|$)`)
	// pinFillers are the PINs of documentation.
	pinFillers = map[string]bool{"1234": true, "0000": true, "1111": true, "123456": true, "12345": true, "12345678": true, "000000": true}
)

// isIdentifier reports whether a value is a name of a program: words and numbers
// with separators, in one case or in camel case.
func isIdentifier(v string) bool {
	if selector.MatchString(v) {
		return !hasOddPart(v)
	}
	if !kebab.MatchString(v) {
		return false
	}
	if capitalised.MatchString(v) && strings.ContainsAny(v, "0123456789") {
		return false
	}
	return !hasOddPart(v)
}

// hasOddPart reports whether a part of a value is neither a word nor a number: it
// changes case in the middle as no name does, or has digits among letters.
func hasOddPart(v string) bool {
	for p := range parts(v) {
		if len(p) < 4 || camel.MatchString(p) {
			continue
		}
		k := kindsOf(p)
		if kindsOf(p[1:])&kindUpper != 0 && k&kindLower != 0 || hasBoth(p) && turns(p) >= 3 {
			return true
		}
	}
	return false
}

// isStrong reports whether a value looks like a password by itself: letters with
// digits or signs, and no name, address or version.
func isStrong(v string) bool {
	if utf8.RuneCountInString(v) < 6 || notPassword.MatchString(v) || algorithm.MatchString(v) || numbered.MatchString(v) || isIdentifier(v) {
		return false
	}
	letter := strings.IndexFunc(v, unicode.IsLetter) >= 0
	return letter && (strings.IndexFunc(v, unicode.IsDigit) >= 0 || strings.ContainsAny(v, passwordSigns)) || hasOddPart(v)
}

// isPassword judges a value that is assigned to a name.
func isPassword(m *match) bool {
	v := strings.TrimRight(m.value, ".,;:")
	if len(v) < 5 || placeholder(v) || isReference(v) || isCode(v) && !hasOddPart(v) || algorithm.MatchString(v) {
		return false
	}
	if strings.IndexFunc(v, unicode.IsLetter) < 0 {
		return len(v) >= 6 && strings.IndexFunc(v, unicode.IsDigit) >= 0
	}
	if mixed(v) || strings.ContainsAny(v, passwordSigns) || hasOddPart(v) {
		return !isIdentifier(v) && !notPassword.MatchString(v) || kebab.MatchString(v) && entropy(v) >= 3.5 && mixed(v)
	}
	// A word alone is a password only where nothing but a value can stand.
	name := strings.TrimRight(m.whole[:max(0, len(m.whole)-len(m.value))], "=:\"'` \t")
	return name != "" && name == strings.ToUpper(name) && strings.ToUpper(v) != v && !notPassword.MatchString(v) && !isPath(v)
}

// isProsePassword judges a value that a sentence announces.
func isProsePassword(m *match) bool {
	v := strings.TrimRight(m.value, ".,;:!?)\"'`*")
	if len(v) < 4 || placeholder(v) || isReference(v) || isCode(v) && !hasOddPart(v) {
		return false
	}
	if said := strings.ToLower(m.whole[:m.at.start-m.all.start]); strings.HasPrefix(said, "pass") && !isLetter(said[len("pass")]) && (len(said) > len("pass is now ") || strings.HasPrefix(said, "pass to") || !m.isAnnounced()) {
		return false // a verb: pass the role to it
	}
	if m.isQuoted() {
		if m.isLabel(v) {
			return false
		}
		return (mixed(v) || strings.ContainsAny(v, passwordSigns)) && !isIdentifier(v) && !numbered.MatchString(v) || m.isAnnounced()
	}
	if algorithm.MatchString(v) || strings.Contains(v, "://") || v[0] == '/' {
		return false
	}
	if strings.IndexFunc(v, unicode.IsLetter) < 0 {
		return len(v) >= 6 && runEnd(v, 0, kindDigit) == len(v) && !m.unitFollows()
	}
	if mixed(v) {
		return !numbered.MatchString(v) && !notPassword.MatchString(v) && (!isIdentifier(v) || kebab.MatchString(v) && entropy(v) >= 3.5)
	}
	return strings.ContainsAny(v, passwordSigns) && !notPassword.MatchString(v) || hasOddPart(v) && len(v) >= 8
}

// isQuoted reports whether a quote stands before the value.
func (m *match) isQuoted() bool {
	at := m.at.start - 1
	return at >= 0 && isQuote(m.view.text[at])
}

// label matches a word as it stands on a form: with a capital, or not of ASCII.
var label = regexp.MustCompile(`^(?:\p{Lu}\p{Ll}+|\pL*[^\x00-\x7f][\pL\pM]*)$`)

// isLabel reports whether a quoted value behind a key is what a form calls a password:
// "password": "Passwort".
func (m *match) isLabel(v string) bool {
	key := strings.TrimRight(m.whole[:m.at.start-m.all.start], "\"'` \t")
	return (strings.HasSuffix(key, ":") || strings.HasSuffix(key, "=")) && label.MatchString(v)
}

// rest returns the text after the value, up to 24 bytes.
func (m *match) rest() string {
	t := m.view.text[m.at.end:]
	return t[:min(len(t), 24)]
}

var units = regexp.MustCompile(`(?i)^\s*(?:char|letter|digit|byte|bit|day|hour|minute|second|time|%|px|mb|kb|users?|entries)`)

func (m *match) unitFollows() bool { return units.MatchString(m.rest()) }

// isAnnounced reports whether "is", a colon or the like stands before the value and
// its quotes: a plain word is a password only then.
func (m *match) isAnnounced() bool {
	said := strings.TrimRight(m.whole[:m.at.start-m.all.start], "\"'`*( ")
	return said != "" && announces(said[strings.LastIndexAny(said, " \t\n")+1:])
}

// isDirectPassword judges a value that only stands next to the word.
func isDirectPassword(m *match) bool {
	v := strings.TrimRight(m.value, ".,;:!?)\"'`*]}>")
	if placeholder(v) || isReference(v) || isCode(v) || strings.ContainsAny(v, "=|\\") || strings.Count(v, "/") > 1 {
		return false
	}
	return isStrong(v) && !strings.HasPrefix(strings.ToLower(m.whole), "pass to ") // a verb
}

// isPairPassword judges a value next to the name of a user, without a word for
// a password: signs, or capitals and small letters and digits.
func isPairPassword(m *match) bool {
	v := strings.TrimRight(m.value, ".,;:?)\"'`*]}>")
	return isDirectPassword(m) && (strings.ContainsAny(v, "!@#$%^&*") || threeKinds(v) && !isIdentifier(v))
}

// isCommandPassword judges the argument with which a command takes a password.
func isCommandPassword(m *match) bool {
	v := strings.TrimRight(m.value, ",;)")
	if user, pass, ok := strings.Cut(v, ":"); ok && user != "" && !strings.ContainsAny(user, passwordSigns) {
		v = pass // chpasswd reads user:password
	}
	if len(v) < 4 || placeholder(v) || isReference(v) || strings.ContainsAny(v, "{}()<>[]") {
		return false
	}
	return mixed(v) && !notPassword.MatchString(v) || strings.ContainsAny(v, passwordSigns) && strings.IndexFunc(v, unicode.IsLetter) >= 0 && v[0] != '-' || hasOddPart(v) ||
		len(v) >= 8 && strings.ToUpper(v) != v && strings.ToLower(v) != v && !camel.MatchString(v)
}

func isPin(m *match) bool { return !pinFillers[m.value] && !m.unitFollows() }

// functionWords are in most sentences of four words, and in few passphrases.
var functionWords = regexp.MustCompile(`(?i)\b(?:the|and|for|are|was|were|but|not|you|your|our|his|her|its|all|any|can|may|must|should|will|would|has|have|had|does|did|been|being|with|from|into|onto|over|under|that|this|these|those|there|here|then|than|when|where|which|who|what|how|why|never|always|only|also|just|very|every|each|some|such|per|via|use|used|using|see|ask|set|get|put|keep|kept|store|stored|stores|storing|save|saved|share|shared|write|written|type|typed|enter|entered|change|changed|rotate|rotated|reset|required|optional|needed|missing|unknown|empty|blank|same|different|before|after|until|while|during|please|about|above|below|between|because|off|out|now|still|yet|too|one|two|three|four|five|six|seven|eight|nine|ten|words|letters|characters|long|least|most|none|prompt|prompted)\b`)

func isPassphrase(m *match) bool {
	return !functionWords.MatchString(m.value) && !placeholder(m.value)
}
