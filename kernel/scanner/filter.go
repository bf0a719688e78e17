package scanner

import (
	"encoding/base64"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// filter reports whether a match is what its rule is about.
type filter func(*match) bool

// filters are the names that a rule may use.
var filters = map[string]filter{
	"placeholder": func(m *match) bool { return !placeholder(m.value) },
	"phrase": func(m *match) bool {
		return !placeholder(m.value) && drawn(strings.Fields(strings.ReplaceAll(m.value, ",", " ")))
	},
	"password":       stated(isPassword),
	"passwordprose":  stated(isProsePassword),
	"passworddirect": stated(isDirectPassword),
	"clipassword":    stated(isCommandPassword),
	"passphrase":     isPassphrase,
	"pin":            isPin,
	"secretvalue":    isSecretValue,
	"negation":       func(m *match) bool { return !prohibited(m) },
	"urlpassword":    stated(isURLPassword),
	"headervalue":    isHeaderValue,
	"exfilenv":       isVariableSent,
	"forkbomb":       isForkBomb,
	"mention":        func(m *match) bool { return !strings.HasPrefix(m.rest(), " by ") && !prohibited(m) },
	"pressed":        isPressed,
	"email":          isPersonalAddress,
	"order":          isOrder,
	"pairpassword":   stated(isPairPassword),
	"installer":      isUnknownInstaller,
	"token":          isRandomToken,
	"prefixed":       isPrefixedToken,
	"secretnear":     isSecretNear,
	"basicpair":      isBasicPair,
	"codes":          areCodes,
}

var (
	// selector matches a field, a method or a pointer: cfg.Password, data?.x, *name
	selector = regexp.MustCompile(`^(?:[&*]+[A-Za-z_]\w*|[&*+.!]*[A-Za-z_]\w*(?:(?:[?!]?\.|->|::)[A-Za-z_]\w*)+)(?:[(\[].*)?[+,;.]*$`)
	kebab    = regexp.MustCompile(`^[A-Za-z]+(?:[-_./](?:[A-Za-z]+|v?\d{1,4}|[a-z]{1,5}\d{1,4}))+$`)
	fileName = regexp.MustCompile(`(?i)^[\w./~-]+\.(?:json|ya?ml|toml|pem|key|crt|txt|env|cfg|conf|ini|xml|go|js|ts|py|rb|sh|md|html?)$`)
	// http://host:8080/path?mail=a@b has no password.
	portAndPath = regexp.MustCompile(`^\d{1,5}[/?#]`)

	numbered  = regexp.MustCompile(`(?i)^v?\d+(?:[-+.x]?[a-z]*|\.\d+)*$`)
	algorithm = regexp.MustCompile(`(?i)^(?:sha-?\d|md5|bcrypt|scrypt|argon2|pbkdf2|hmac|base64|base32|proto\d|utf-?\d|aes|rsa|rs256|hs256|ed25519|oauth|saml|ldap|totp|http|jwt|k8s|s3\b|ec2\b|i18n|ascii|b64|ntlm|kerberos|krb5|x509|u?int(?:8|16|32|64|ptr)\b|float(?:32|64)\b|imap|pop3|ipv[46]|mysql\d|postgres\d|php\d|python\d|node\d|nist|fips|iso-?\d|rfc-?\d|cve-|tls|ssl|pkcs|pem|der|hex|latin|win(?:dows)?\d|mfa|2fa|u2f|fido|webauthn|web\d)`)
)

// mixed reports whether a value has letters and digits.
func mixed(s string) bool {
	return strings.IndexFunc(s, unicode.IsLetter) >= 0 && strings.IndexFunc(s, unicode.IsDigit) >= 0
}

// isCode reports whether a value is an expression and not a literal.
func isCode(v string) bool {
	return strings.ContainsAny(v, "(){}[]<>") || selector.MatchString(v) || strings.HasPrefix(v, "=")
}

func isSecretValue(m *match) bool {
	v := strings.TrimRight(m.value, ".,;:\"'`")
	return len(v) >= 12 && mixed(v) && entropy(v) >= 3 && !placeholder(v) && !isCode(v) && !isPlainName(v) &&
		!kebab.MatchString(v) && !isPath(v)
}

// isPath reports whether a value is the name of a file.
func isPath(v string) bool {
	return strings.HasPrefix(v, "~/") || strings.HasPrefix(v, "./") || fileName.MatchString(v) ||
		strings.HasPrefix(v, "/") && strings.Count(v, "/") > 1 && !strings.ContainsAny(v, "+=")
}

// isURLPassword judges the text between a user and a host: anything but a
// placeholder or a reference.
func isURLPassword(m *match) bool {
	return len(m.value) >= 3 && !portAndPath.MatchString(m.value) && !placeholder(m.value) && !strings.ContainsAny(m.value, "{}<>()")
}

// isHeaderValue judges the value of a header, which has no other use than to be
// secret.
func isHeaderValue(m *match) bool {
	v := strings.TrimRight(m.value, ".,;:\"'`")
	return !placeholder(v) && !selector.MatchString(v) && entropy(v) >= 2.5 && (mixed(v) || len(v) >= 24 || strings.HasSuffix(v, "="))
}

// isBasicPair judges the value of basic authorization (RFC 7617) where there is no
// header: the code of a user and a password.
func isBasicPair(m *match) bool {
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(m.value, "="))
	user, pass, ok := strings.Cut(string(raw), ":")
	printable := func(r rune) bool { return r < ' ' || r == utf8.RuneError }
	return err == nil && ok && user != "" && len(pass) >= 4 && pass[0] != ' ' && strings.IndexFunc(string(raw), printable) < 0 && !placeholder(pass) && pass != "open sesame"
}

// areCodes reports whether two or more codes in a list have digits.
func areCodes(m *match) bool {
	n := 0
	for _, code := range listed.Split(m.value, -1) {
		n += count(strings.ContainsAny(code, "0123456789"))
	}
	return n >= 2
}

// listed matches what divides codes in a list.
var listed = regexp.MustCompile(`[\n,;|]\s*(?:\d{1,2}[.)]\s)?`)

// isRandomToken judges the value of a rule that knows its prefix: the rest must
// look random, and be no placeholder.
func isRandomToken(m *match) bool {
	v := strings.TrimRight(m.value, "=-_.")
	return !placeholder(v) && isRandom(v)
}

// isRandom reports whether a token has more turns between capitals, small letters
// and digits than words and names have, and enough different characters.
func isRandom(v string) bool {
	if len(v) < 12 || entropy(v) < 3 {
		return false
	}
	n := turns(v)
	return n*5 >= len(v) || n*8 >= len(v) && entropy(v) >= 3.5
}

// authenticates matches where a command takes a secret to authenticate with.
var authenticates = regexp.MustCompile(`(?i)(?:-u|--user|-H|--header|--oauth2-bearer|-A|--cookie|-b|--key|--cert)[ =]\s*["']?[^"'\n]*$`)

// isVariableSent judges a secret variable in a command that talks to the net:
// to authenticate with it is what it is for.
func isVariableSent(m *match) bool {
	if prohibited(m) {
		return false
	}
	at := strings.LastIndexByte(m.whole, '$')
	return at < 0 || !authenticates.MatchString(lastArgument(m.whole[:at]))
}

// lastArgument returns the option and the argument that a command line ends in.
func lastArgument(s string) string {
	quoted := strings.Count(s, `"`)%2 == 1 || strings.Count(s, "'")%2 == 1
	if quoted {
		at := strings.LastIndexAny(s, "\"'")
		return s[max(0, at-20):]
	}
	words := strings.Fields(s)
	return strings.Join(words[max(0, len(words)-2):], " ")
}

var bombParts = regexp.MustCompile(`^([\w.:]+)\s*\(\s*\)\s*\{\s*([\w.:]+)\s*\|\s*([\w.:]+)`)

// isForkBomb reports whether a function calls itself twice.
func isForkBomb(m *match) bool {
	p := bombParts.FindStringSubmatch(m.whole)
	return (p == nil || p[1] == p[2] && p[2] == p[3]) && !prohibited(m)
}

var anyonesAddress = regexp.MustCompile(`(?i)^(?:git|noreply|no-reply|hello|info|support|admin|root|user|test|security|postmaster|abuse)@|@(?:[\w-]+\.)*(?:example|test|invalid|localhost|internal|local)(?:\.\w+)?$`)

func isPersonalAddress(m *match) bool { return !anyonesAddress.MatchString(m.value) }
