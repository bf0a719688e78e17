package rules

import (
	"strings"
)

var (
	// germanSubject is what stands before the verb in a main clause: a pronoun, or
	// a noun with what belongs to it, behind a preposition or not.
	germanSubject = lazily(`^(?:(?i:ich|du|er|sie|es|wir|ihr|man|das|dies|alles|niemand|jeder) (?-i:[a-zäöüß0-9` + "`" + `]|[A-ZÄÖÜ][\wäöüß-]* .*[a-zäöüß]+$)|(?:(?i:auf|in|im|bei|beim|am|an|vor|nach|mit|zum|zur|für|unter|ab|seit|ohne|aus|von|vom) )?(?:(?i:der|die|das|den|dem|des|ein|eine|einen|einem|einer|unser|unsere|unserem|unserer|mein|meine|alle|jede|jeder|jedes|kein|keine) )?(?:[a-zäöüß]+(?:e|en|er|es|em) )*(?:[A-ZÄÖÜ][\wÄÖÜäöüß./-]*|` + "`[^`]+`" + `)(?:-?[A-ZÄÖÜ][\wäöüß]*)*) `)
	pronoun       = lazily(`(?i)^(?:ich|du|er|sie|es|wir|ihr|man|niemand|alles) `)
	germanVerb    = lazily(`^[a-zäöüß]{2,}(?:t|en|e|st|eln|ern|ist|sind|war|hat|darf|muss|kann|soll|will|mag|wird)$|^(?:ist|sind|war|hat|darf|muss|kann|soll|will|mag|wird|bin)$`)
	// germanPersons are first persons behind "und", French and Spanish ones too.
	andGerman  = lazily(`(,? und )(?:ich )?([a-zäöüß]+)\b`)
	andFrench  = lazily(` et (?:j'|je )([\p{L}]+)`)
	andSpanish = lazily(` y (?:yo )?([\p{L}]+)\b`)
	// ofWho is what foreignLikings make of who the user is.
	ofWho = lazily(`^(?:Der Nutzer (?:heißt|arbeitet|wohnt|lebt)|L'utilisateur (?:s'appelle|travaille|habite)|El usuario (?:se llama|trabaja|vive)|用户叫)`)

	germanThird  = pairs(`wohne wohnt|arbeite arbeitet|lebe lebt|bin ist|habe hat|mag mag|bevorzuge bevorzugt|liebe liebt|komme kommt|nutze nutzt|benutze benutzt|verwende verwendet|heiße heißt|programmiere programmiert|schreibe schreibt|spreche spricht|lese liest|studiere studiert|spiele spielt|entwickle entwickelt|hasse hasst|brauche braucht|leite leitet|lerne lernt|stamme stammt|will will|möchte möchte|kenne kennt|mache macht`)
	spanishThird = pairs(`vivo vive|trabajo trabaja|soy es|tengo tiene|uso usa|prefiero prefiere|estudio estudia|hablo habla|programo programa|escribo escribe`)
	frenchThird  = pairs(`suis est|ai a|vis vit|écris écrit`)
)

// pairs maps the first word of each pair to the second.
func pairs(s string) map[string]string {
	set := map[string]string{}
	for pair := range strings.SplitSeq(s, "|") {
		from, to, _ := strings.Cut(pair, " ")
		set[from] = to
	}
	return set
}

// mainClauseOf brings a German clause from behind "dass" into the order of a main
// clause: the verb goes from the end to the second place. What it can't tell stays.
func mainClauseOf(s string) string {
	s = strings.TrimRight(s, "!. ")
	clause, rest := s, ""
	if at := strings.Index(s, ", "); at > 0 {
		clause, rest = s[:at], s[at:]
	}
	at := strings.LastIndexByte(clause, ' ')
	first := firstPart(clause)
	if at < 0 || first == 0 || first > at {
		return s
	}
	verb := clause[at+1:]
	if !germanVerb.MatchString(verb) {
		return s
	}
	middle := clause[first:at]
	if first == at+1 { // nothing stands between
		return s
	}
	return clause[:first] + verb + " " + strings.TrimSpace(middle) + rest
}

// firstPart is where the verb of a German main clause goes, or 0.
func firstPart(s string) int {
	if at := pronoun.FindString(s); at != "" {
		return len(at)
	}
	return len(germanSubject.FindString(s))
}

// thirdAbroad brings what the user says of himself in other languages into the
// third person.
func thirdAbroad(s string) (string, bool) {
	for _, f := range foreignLikings {
		if f.form.MatchString(s) {
			return agreedAbroad(f.form.ReplaceAllString(s, f.to)), true
		}
	}
	return s, false
}

// agreedAbroad makes the verbs behind "and" agree with the user.
func agreedAbroad(s string) string {
	switch {
	case strings.HasPrefix(s, "Der Nutzer "):
		return andGerman.ReplaceAllStringFunc(s, func(m string) string {
			p := andGerman.FindStringSubmatch(m)
			return swapped(m, p[1], p[2], germanThird)
		})
	case strings.HasPrefix(s, "L'utilisateur "):
		return andFrench.ReplaceAllStringFunc(s, func(m string) string {
			verb := andFrench.FindStringSubmatch(m)[1]
			if to, ok := frenchThird[verb]; ok {
				verb = to
			}
			return " et " + verb
		})
	case strings.HasPrefix(s, "El usuario ") || strings.HasPrefix(s, "Al usuario "):
		return andSpanish.ReplaceAllStringFunc(s, func(m string) string {
			return swapped(m, " y ", andSpanish.FindStringSubmatch(m)[1], spanishThird)
		})
	}
	return s
}

func swapped(m, link, verb string, to map[string]string) string {
	if is, ok := to[verb]; ok {
		return link + is
	}
	return m
}

// abroad finds who the user is, and what he likes, in other languages than English.
func abroad(s *statement) (Candidate, bool) {
	text := s.tells()
	if s.pasted || jokes.MatchString(s.text) || question(text) {
		return Candidate{}, false
	}
	content, ok := thirdAbroad(text)
	if !ok {
		return Candidate{}, false
	}
	if ofWho.MatchString(content) {
		return aboutUser(Fact, tidy(content), 0.85), true
	}
	return aboutUser(Preference, tidy(content), 0.85), true
}
