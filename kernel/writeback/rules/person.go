package rules

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	// What a sentence begins with and says nothing.
	greeting = lazily(`(?i)^(?:(?:hey|hi|hello|thanks for \w+|thank you for \w+|thanks|thank you|thx|wow|yeah|yep|yup|yes|oh|well|so|and|but|also|btw|by the way|fyi|anyway|ok|okay|sure|honestly|actually|haha|cool|great|nice|awesome|woohoo|definitely|sorry|please|pls|plus|oh man|just so you know|certainly|of course|absolutely|totally|agreed|similarly|unfortunately|fortunately|luckily)(?:\b(?:,? (?-i:[A-Z][a-z]+))?[,!.:;]+ *| +|$)|(?:no|nope|nah)[,!.;]+ *)+`)
	address  = lazily(`^(?:[A-Z][a-z]+(?: [A-Z][a-z]+)?, )(?:[Ii]\b|[Ii]'|[Mm]y\b)`)
	closing  = lazily(`(?i)(?:,? (?:you know|haha|lol|though|by the way|btw|please|thanks|thank you|mate|man|dude|buddy|bud))+([.!]*)$`)
	firstI   = lazily(`\b[Ii]\b('m|'ve|'d|'ll)?( (?:am|was|have|once|soon|now|both|mostly|sure|gladly|even|also|just|always|never|often|sometimes|still|only|almost|even|ever|kinda|sorta|quite|rather|first|then|now|too|[a-z]+ly))*( [A-Za-z']+)?`)
	bareIm   = lazily(`^(?:im|Im) `)
	bareIve  = lazily(`^(?:ive|Ive) `)
	// andI is a subject of two: my sister and I.
	andI = lazily(`(?i)\b(my) ((?:\w+ )?[a-z-]+) and (?:i|me)\b`)
	// alsoDoes is a verb in the bare form that goes on with what the user does now.
	alsoDoes  = lazily(`^(?:[^.;]*[,;] )?[Tt]he user (?:is|has|just|also|really|totally|still|\w+s)\b(?: [\w'-]+){0,12}? and (?:also |then |just )?(?:have|love|like|enjoy|want|hope|need|try|feel|feed|plan|share|go|make|take|play|write|listen|give|keep|get|cook|bake|work|watch|help|teach|spend|use|run|walk|talk|draw|paint|sing|dance|collect|grow|learn|live|look)\b`)
	firstMine = lazily(`(?i)\b(?:my|me)\b`)
	mine      = []struct {
		from *pattern
		to   string
	}{
		{lazily(`(?i)\bmyself\b`), "themselves"},
		{lazily(`(?i)\bmy\b`), "their"},
		{lazily(`(?i)\bmine\b`), "theirs"},
		{lazily(`(?i)\bme\b`), "them"},
	}
	// past are the forms of verbs that do not end in ed and take no s.
	past = words(`was were had did got went took made saw found bought met felt thought ran wrote led won began grew lost came became knew told gave kept left held brought built sent spent taught caught chose drew drove ate fell flew forgot heard heard hid paid rode sang sat slept sold spoke stood swam wore broke woke understood said can could will would should must might may shall ought can't cannot couldn't won't wouldn't shouldn't wasn't weren't didn't hadn't set put cut let hit read beat retook rewrote rebuilt redid reread
		shot threw drank sank rang sprang swore stole froze shook lay laid lent bent dealt dug fed fled forgave forbade hung hurt knelt leapt lit meant overcame
		quit rose shone shut slid spun split spread stuck struck swept swung tore wept wove undid undertook overheard shrank burnt learnt dreamt bet bid burst
		cast cost sought fought blew bit bore dove dealt withdrew foresaw mistook misunderstood arose awoke crept clung`)
)

// trimmed takes from a sentence what it begins and ends with and says nothing.
func trimmed(s string) string {
	s = greeting.ReplaceAllString(s, "")
	if address.MatchString(s) {
		_, s, _ = strings.Cut(s, ", ")
	}
	return strings.TrimSpace(closing.ReplaceAllString(s, "$1"))
}

// third brings what a person says of himself into the third person.
func third(s string) string { return spoken(s, false) }

// spoken is third for a sentence of which the subject was named or not.
func spoken(s string, subject bool) string {
	s = bareIm.ReplaceAllString(s, "I'm ")
	s = bareIve.ReplaceAllString(s, "I've ")
	s = andI.ReplaceAllString(s, "I and my $2")
	var b strings.Builder
	for {
		at := firstI.FindStringSubmatchIndex(s)
		if at == nil {
			break
		}
		if partOf(s, at[0]) { // I/O, -I, `i`
			b.WriteString(owned(s[:at[0]], &subject) + s[at[0]:at[0]+1])
			s = s[at[0]+1:]
			continue
		}
		b.WriteString(owned(s[:at[0]], &subject))
		who := "they"
		if !subject {
			who, subject = "the user", true
		}
		b.WriteString(conjugated(who, s[at[0]:at[1]]))
		s = s[at[1]:]
	}
	b.WriteString(owned(s, &subject))
	return agreed(b.String())
}

// agreed makes the verbs behind "and" agree with the user.
func agreed(s string) string {
	return alsoDoes.ReplaceAllStringFunc(s, func(m string) string {
		at := strings.LastIndexByte(m, ' ')
		if strings.Contains(m, " to ") || strings.Contains(m, " can ") || strings.Contains(m, " will ") {
			return m // wants to dance and sing
		}
		return m[:at+1] + verb(m[at+1:])
	})
}

// partOf says whether the letter at a place belongs to a name.
func partOf(s string, at int) bool {
	return at > 0 && strings.IndexByte("-/_`'\"(.=", s[at-1]) >= 0 && s[at-1] != '(' && s[at-1] != '"' ||
		at+1 < len(s) && strings.IndexByte("/-_`.=+,;:)", s[at+1]) >= 0
}

// owned replaces the other forms of the first person.
func owned(s string, subject *bool) string {
	if at := firstMine.FindStringIndex(s); !*subject && at != nil {
		who := "the user"
		if strings.EqualFold(s[at[0]:at[1]], "my") {
			who = "the user's"
		}
		s = s[:at[0]] + who + s[at[1]:]
		*subject = true
	}
	for _, m := range mine {
		s = m.from.ReplaceAllString(s, m.to)
	}
	return s
}

// conjugated is a clause's "I", with its verb, said of who.
func conjugated(who, clause string) string {
	single := who == "the user"
	fields := strings.Fields(clause)
	head, rest := strings.ToLower(fields[0]), fields[1:]
	be, have := "are", "have"
	if single {
		be, have = "is", "has"
	}
	switch head {
	case "i'm":
		return strings.Join(append([]string{who, be}, rest...), " ")
	case "i've":
		return strings.Join(append([]string{who, have}, rest...), " ")
	case "i'd":
		return strings.Join(append([]string{who, "would"}, rest...), " ")
	case "i'll":
		return strings.Join(append([]string{who, "will"}, rest...), " ")
	}
	for i, w := range rest {
		switch low := strings.ToLower(w); {
		case low == "am":
			rest[i] = be
		case low == "have":
			rest[i] = have
		case low == "was" && !single:
			rest[i] = "were"
		case i == len(rest)-1 && single && !adverb(low):
			rest[i] = verb(w)
		}
		if !adverb(strings.ToLower(w)) {
			break
		}
	}
	return strings.Join(append([]string{who}, rest...), " ")
}

var adverbWords = words(`also just always never often sometimes still only almost even ever kinda sorta quite rather first then now too once soon both mostly sure`)

func adverb(w string) bool {
	return adverbWords[w] || strings.HasSuffix(w, "ly") && w != "apply" && w != "rely" && w != "reply" && w != "fly" && w != "supply"
}

// verb is the third person of a verb in its base form; other forms stay.
func verb(w string) string {
	low := strings.ToLower(w)
	switch {
	case past[low] || strings.HasSuffix(low, "ed") && !strings.HasSuffix(low, "eed") || strings.HasSuffix(low, "ing"):
		return w
	case low == "and" || low == "or":
		return w
	case low == "have":
		return "has"
	case low == "wanna":
		return "wants to"
	case low == "don't" || low == "dont":
		return "doesn't"
	case low == "haven't":
		return "hasn't"
	case low == "do" || low == "go" || hasSuffix(low, "s", "x", "z", "ch", "sh"):
		return w + "es"
	case strings.HasSuffix(low, "y") && len(low) > 1 && !strings.ContainsRune("aeiou", rune(low[len(low)-2])):
		return w[:len(w)-1] + "ies"
	}
	return w + "s"
}

func hasSuffix(s string, ends ...string) bool {
	for _, e := range ends {
		if strings.HasSuffix(s, e) {
			return true
		}
	}
	return false
}

// tidy makes a text the content of a candidate: it begins with a capital, ends
// with a full stop, and is at most maxContent runes long.
func tidy(s string) string {
	s = strings.TrimSpace(strings.ReplaceAll(s, " @", " "))
	s = strings.Trim(strings.TrimPrefix(s, "@"), ` ,;:-–—`)
	if strings.Count(s, `"`)%2 == 1 {
		s = strings.ReplaceAll(s, `"`, "")
	} else if len(s) > 2 && s[0] == '"' && strings.IndexByte(s[1:], '"') == len(s)-2 {
		s = s[1 : len(s)-1]
	}
	s = strings.TrimSpace(strings.TrimRight(s, "!?"))
	if n := utf8.RuneCountInString(s); n > maxContent-2 {
		runes := []rune(s)[:maxContent-2]
		s = string(runes)
		if at := strings.LastIndexByte(s, ' '); at > maxContent/2 {
			s = s[:at]
		}
		s = strings.TrimRight(s, " ,;:-") + "…"
	}
	r, size := utf8.DecodeRuneInString(s)
	if size > 0 && unicode.IsLower(r) && !named(s) {
		s = string(unicode.ToUpper(r)) + s[size:]
	}
	if last, _ := utf8.DecodeLastRuneInString(s); s != "" && (unicode.IsLetter(last) || unicode.IsDigit(last) || strings.ContainsRune("`)\"']%+/", last)) {
		if unicode.Is(unicode.Han, last) || unicode.Is(unicode.Hiragana, last) || unicode.Is(unicode.Katakana, last) {
			return s + "。"
		}
		s += "."
	}
	return s
}

// named says whether a text begins with a name whose case counts: tasks.md,
// camelCase, some_name.
func named(s string) bool {
	word, _, _ := strings.Cut(s, " ")
	return strings.ContainsAny(word, "._/") && !strings.HasSuffix(word, ".") || signs.MatchString(word)
}
