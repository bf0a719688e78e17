package rules

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	plural = lazily(`\b(?:[Ww]e('re|'ve|'d|'ll)?|[Oo]urs|[Oo]ur|[Oo]urselves|[Uu]s)\b`)
	// lowered are first words that need no capital within a sentence.
	lowered = words(`finally just it this that these those the a an there when what being having doing going some one many most all both life`)
)

// together brings the other forms of the first person into the third: what "we"
// did, the user and others did.
func together(s string) string {
	var b strings.Builder
	for {
		at := plural.FindStringIndex(s)
		if at == nil {
			break
		}
		b.WriteString(s[:at[0]])
		b.WriteString(others(s[at[0]:at[1]], strings.Contains(strings.ToLower(b.String()), "the user")))
		s = s[at[1]:]
	}
	b.WriteString(s)
	return b.String()
}

// others is the form of a word for "we" in the third person, after the user was
// named or not.
func others(word string, named bool) string {
	low := strings.ToLower(word)
	switch low {
	case "our":
		return either(named, "their", "the user's")
	case "us":
		return either(named, "them", "the user and others")
	case "ours":
		return either(named, "theirs", "the user's")
	case "ourselves":
		return "themselves"
	}
	who := either(named, "they", "the user and others")
	switch low {
	case "we're":
		return who + " are"
	case "we've":
		return who + " have"
	case "we'd":
		return who + " would"
	case "we'll":
		return who + " will"
	}
	return who
}

func either(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}

// personal is a text of a candidate about the user: it names him.
func (s *statement) personal(text string) string {
	if s.work {
		return tidy(text)
	}
	text = strings.TrimSpace(together(text))
	if !strings.Contains(strings.ToLower(text), "the user") && text != "" {
		text = "for the user, " + lowerFirst(text)
	}
	return tidy(text)
}

// lowerFirst makes the first letter small, unless it may be that of a name.
func lowerFirst(s string) string {
	word, _, _ := strings.Cut(s, " ")
	low := strings.ToLower(word)
	low, _, _ = strings.Cut(low, "'")
	if r, size := utf8.DecodeRuneInString(s); size > 0 && unicode.IsUpper(r) && (lowered[low] || strings.HasSuffix(low, "ing")) {
		return string(unicode.ToLower(r)) + s[size:]
	}
	return s
}
