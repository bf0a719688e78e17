package config

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// check says why a value of a setting is out of range ("must be > 0 (got -5)"), and
// where in it (".rows[2]"); no reason is in range. A reason quotes no more of a
// text than [shown] does.
type check func(value any) (at, reason string)

func within(least, most int) check {
	return func(value any) (at, reason string) {
		if n := value.(int); least == 1 && n < 1 {
			return "", fmt.Sprintf("must be > 0 (got %d)", n)
		}
		return between(least, most)(value)
	}
}

// between is within for what need not be a whole number.
func between[T int | float64 | time.Duration](least, most T) check {
	return func(value any) (at, reason string) {
		if x := value.(T); !(x >= least && x <= most) {
			shown := func(x T) string { return inYAML(reflect.ValueOf(x)) }
			return "", fmt.Sprintf("must be from %s to %s (got %s)", shown(least), shown(most), shown(x))
		}
		return "", ""
	}
}

func oneOf[T ~string](options ...T) check {
	words := make([]string, len(options))
	for i, o := range options {
		words[i] = string(o)
	}
	last := len(words) - 1
	must := "must be " + strings.Join(words[:last], ", ") + " or " + words[last]
	return func(value any) (at, reason string) {
		if word := value.(T); !slices.Contains(options, word) {
			return "", must + " (got " + shown(string(word)) + ")"
		}
		return "", ""
	}
}

// shown is a wrong value as a message has it: a short word as it is. Anything else
// may be what went into the file by mistake, such as a key, and messages are logged.
func shown(s string) string {
	word := !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && r != '_' && r != '-' })
	if n := len([]rune(s)); n > 20 || !word {
		return fmt.Sprintf("a text of %d characters", n)
	}
	return strconv.Quote(s)
}

// line is a text on one line.
func line(most int) check {
	return func(value any) (at, reason string) {
		switch s := value.(string); {
		case len([]rune(s)) > most:
			return "", fmt.Sprintf("must be at most %d characters", most)
		case strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }):
			return "", "must be printable, on one line"
		}
		return "", ""
	}
}

// text is a text of any number of lines.
func text(most int) check {
	one := line(most)
	return func(value any) (at, reason string) {
		s, _ := value.(string)
		if _, reason := one(strings.ReplaceAll(s, "\n", " ")); reason != "" {
			return "", strings.TrimSuffix(reason, ", on one line")
		}
		return "", ""
	}
}

var inBraces = regexp.MustCompile(`\{(\w*)\}`)

// template is the form of a line of what is shown, or empty.
func template(value any) (at, reason string) {
	s, _ := value.(string)
	if at, reason := line(400)(s); reason != "" || s == "" {
		return at, reason
	}
	for _, field := range inBraces.FindAllStringSubmatch(s, -1) {
		if !slices.Contains(memory.LineFields, field[1]) {
			return "", "has {" + strings.Trim(shown(field[1]), `"`) + "}; known are {" + strings.Join(memory.LineFields, "}, {") + "}"
		}
	}
	if !strings.Contains(s, "{content}") {
		return "", "must have {content}"
	}
	return "", ""
}

// order is a list of scopes, each once.
func order(value any) (at, reason string) {
	scopes, _ := value.([]memory.Scope)
	for i, scope := range scopes {
		if !scope.Valid() || slices.Contains(scopes[:i], scope) {
			return "[" + strconv.Itoa(i) + "]", "must be the name of a scope, each once"
		}
	}
	return "", ""
}

// emptyOr takes an empty text besides what c takes.
func emptyOr(c check) check {
	return func(value any) (at, reason string) {
		if value == "" {
			return "", ""
		}
		return c(value)
	}
}

// program is a list of words, of which the first names a program.
func program(value any) (at, reason string) {
	words := value.(Words)
	for i, word := range words {
		if _, reason := line(4096)(word); reason != "" || i == 0 && word == "" {
			return "[" + strconv.Itoa(i) + "]", cmp.Or(reason, "must name a program")
		}
	}
	return "", ""
}

// address is empty or the address of a server, without a password: what is printed
// of it is nobody's secret.
func address(value any) (at, reason string) {
	s := value.(string)
	if at, reason := line(500)(s); reason != "" || s == "" {
		return at, reason
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return "", "must be an address that begins with http:// or https://"
	case u.User != nil || u.RawQuery != "":
		return "", "must have no password and no query; the key goes into the variable that api_key_env names"
	}
	return "", ""
}

// embeddings is empty, or a server of this machine, unless another one is allowed.
func embeddings(value any) (at, reason string) {
	e := value.(Embeddings)
	if e == (Embeddings{}) {
		return "", ""
	}
	if e.BaseURL == "" || e.Model == "" {
		return "", "must have base_url and model"
	}
	for _, cell := range []struct {
		name, value string
		check       check
	}{
		{".base_url", e.BaseURL, address},
		{".model", e.Model, line(200)},
		{".api_key_env", e.APIKeyEnv, variable},
		{".document_prefix", e.DocumentPrefix, text(400)},
		{".query_prefix", e.QueryPrefix, text(400)},
	} {
		if _, reason := cell.check(cell.value); reason != "" {
			return cell.name, reason
		}
	}
	u, err := url.Parse(e.BaseURL)
	if err == nil && !e.AllowRemote && u.Hostname() != "localhost" && !net.ParseIP(u.Hostname()).IsLoopback() {
		return ".base_url", "is another machine, where what is remembered would be sent; allow_remote: true lets it"
	}
	return "", ""
}

// socket is empty, an absolute path, or a name; an address of a socket has 107 bytes (unix(7)).
func socket(value any) (at, reason string) {
	s := value.(string)
	_, number := strconv.ParseFloat(s, 64)
	_, boolean := strconv.ParseBool(s)
	if number == nil || boolean == nil { // a file may be called so; who wrote it meant another thing
		return "", "must be an absolute path, or the name of a file, not a number, true or false"
	}
	if _, reason := line(107)(s); reason != "" || s == "" {
		return "", reason
	}
	if len(s) > 107 || filepath.Clean(s) != s || s[0] != '/' && filepath.Base(s) != s || s[0] == '.' {
		return "", "must be an absolute path, or the name of a file, of at most 107 bytes"
	}
	return "", ""
}

var variableName = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)?$`)

// variable is empty or the name of a variable. A key that was put in its place is none:
// the value is logged.
func variable(value any) (at, reason string) {
	name := value.(string)
	if !variableName.MatchString(name) || longWord(name) {
		return "", "must be the name of a variable, of words of at most 20 letters and digits; the key itself is its value"
	}
	return "", ""
}

// longWord reports a name with a word that is too long for one, as a key's is.
func longWord(name string) bool {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '-' })
	return slices.ContainsFunc(words, func(word string) bool { return len(word) > 20 })
}

// maxAllowed bounds the exceptions: each is tried on each finding.
const maxAllowed = 200

func exceptions(value any) (at, reason string) {
	list := value.([]ScanAllow)
	if len(list) > maxAllowed {
		return "", fmt.Sprintf("must be at most %d exceptions", maxAllowed)
	}
	for i, a := range list {
		if why := a.fault(); why != "" {
			return "[" + strconv.Itoa(i) + "]", why
		}
	}
	return "", ""
}

func (a ScanAllow) fault() string {
	switch {
	case strings.TrimSpace(a.Reason) == "":
		return "has no reason"
	case a.Rule == "" && a.Match == "" && a.SHA256 == "" && a.Fingerprint == "":
		return "names no rule, match, sha256 or fingerprint"
	case a.SHA256 != "" && !isSHA256(a.SHA256):
		return "has a sha256 that is not 64 hexadecimal digits"
	}
	if _, err := regexp.Compile(a.Match); err != nil {
		return "has a match that is no regular expression"
	}
	return ""
}

func isSHA256(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == 32
}
