package rules

import (
	"strings"
)

var (
	// valued says what the one value of something is: of what, how, and the value.
	valued = lazily(`(?i)^(?:the |our |this |my )?(.{2,60}?) (?:now |currently |actually )?((?:is|are|was)(?: (?:now|actually|currently))?(?: (?:in|on|at|called|named|set to|hosted (?:in|on|at)|based in))?|(?:listens?|runs?|lives?) (?:on|in|at)|deploys? to|points? (?:at|to)) (?:now )?((?:port )?\S+(?: \S+){0,2}?)(?: now)?[.! ]*$`)
	// definite values are numbers, names and what is literal.
	numeric  = lazily(`^(?:port )?\S*\d\S*$`)
	literals = lazily("^(?:port )?(?:`|[A-Z]|\\S*[\\d/._])")
	// loose are the verbs that more than one thing can be true of.
	loose  = lazily(`(?i)^(?:are|is|was|runs?|points?|deploys?)\b`)
	placed = lazily(`(?i)^is (?:in|at|called|named|set to|hosted|based)`)
	// corrective begins what puts a value right.
	corrective = lazily(`(?i)^(?:(?:no|oh|actually|sorry|wait|correction|oops|hm+|well|ok|okay|update|my mistake|my bad)\b[,.:!;]* *(?:- )?)+`)
	// another is a new value for what was said before.
	another = lazily("(?i)^(remember (?:that )?|note (?:that )?)?(?:it's|it is|that's|that is|i meant?|make (?:it|that)|it should be|that should be) (?:now |actually )?(?:on )?(?:port )?(`?[\\w.:/-]*\\d[\\w.:/-]*?`?)(?:,? (?:and )?not (?:on )?(?:port )?(\\S+?))?[.! ]*$")
	figure  = lazily("[\\w.:/-]*\\d[\\w.:/-]*\\w|\\d")
)

// value is what a sentence says of something that has one value at a time.
type value struct{ subject, how, is string }

func valueOf(s string) (value, bool) {
	m := valued.FindStringSubmatch(s)
	if m == nil || !literals.MatchString(m[3]) {
		return value{}, false
	}
	how := strings.ToLower(m[2])
	for _, w := range []string{" now", " actually", " currently"} {
		how = strings.Replace(how, w, "", 1)
	}
	return value{strings.ToLower(m[1]), how, strings.TrimPrefix(strings.TrimRight(m[3], ".!"), "port ")}, true
}

// revalues says whether a later text gives what an earlier one is about another
// value. Without a word that it puts it right, both are numbers or places.
func revalues(later, old string, amending bool) bool {
	a, ok := valueOf(later)
	b, is := valueOf(old)
	if !ok || !is || a.subject != b.subject || a.how != b.how || strings.EqualFold(a.is, b.is) {
		return false
	}
	return amending || numeric.MatchString(a.is) && numeric.MatchString(b.is) || !loose.MatchString(a.how) || placed.MatchString(a.how)
}

// update finds a new value for something that was found before.
func (x *extraction) update(s *statement) (Candidate, bool) {
	text := corrective.ReplaceAllString(s.text, "")
	amending := text != s.text
	if s.pasted || s.unsaid(text) || passes.MatchString(text) || s.brief() {
		return Candidate{}, false
	}
	m := another.FindStringSubmatch(text)
	for i := len(x.found) - 1; i >= 0; i-- {
		old := x.found[i].Candidate
		if old.Category == Command || old.Category == Fact || old.Category == Preference {
			continue
		}
		c := old
		c.Turns = nil
		if revalues(text, old.Content, amending) {
			c.Content = tidy(third(still.ReplaceAllString(strings.TrimRight(text, "!. "), "")))
			return c, true
		}
		if m == nil || !amending && m[1] == "" || m[1] == "" && x.found[i].order < x.before {
			continue
		}
		if was := figure.FindAllString(old.Content, 2); len(was) == 1 && (m[3] == "" || figure.FindString(m[3]) == was[0]) {
			c.Content = strings.Replace(old.Content, was[0], figure.FindString(m[2]), 1)
			return c, true
		}
	}
	return Candidate{}, false
}

var (
	// still is no part of a value.
	still = lazily(`(?i) (?:now|currently|actually)\b`)
	// resides says where the user lives, now.
	resides = lazily(`^(?:[Ii](?:'m| am)?|[Ww]e(?:'re| are)?)((?: now| currently)?) (?:live|living|based) in ((?-i:[A-Z])[\w'-]+(?:,? (?:[A-Z][\w'-]+|the [A-Z][\w'-]+)){0,2})((?: now| currently| these days)?)[.! ]*$`)
	moves   = lazily(`^(?:I|We)(?:'ve| have)? (?:just |recently |finally |now )?(?:moved|relocated) (?:from [A-Z][\w'-]+ )?to [A-Z]`)
	// moved is a new home; what is used, and where one was as a child, is none.
	moved     = lazily(`^(?:(?:[A-Z]\w+ )?(?:week|month|year|spring|summer|autumn|fall|winter),? )?[Tt]he user (?:and others )?(?:has |have )?(?:just |recently |finally |now )?(?:moved|relocated) (?:from [A-Z][\w'-]+ )?to ([A-Z][\w'-]+)(?:[.,]| [A-Z][\w'-]+[.,]| (?:in|last|this|for|with|because|and|now|from|after|two|three|a)\b)`)
	notPlaces = words(`linux emacs neovim vim helix zed windows macos android ios chrome firefox gnome kde wayland x11 slack discord notion obsidian gitlab github bitbucket jira arch nixos ubuntu debian fedora mac management product sales marketing design engineering support operations devops security`)
)

// home finds where the user lives by now.
func home(s *statement) (Candidate, bool) {
	if text := s.tells(); moves.MatchString(text) && !s.pasted && !s.unsaid(text) {
		if content := tidy(together(third(text))); rehomes(content) {
			return aboutUser(Fact, content, 0.85), true
		}
	}
	m := resides.FindStringSubmatch(s.tells())
	if s.pasted || m == nil || m[1]+m[3] == "" || s.doubtful(s.text) || question(s.text) {
		return Candidate{}, false
	}
	return aboutUser(Fact, tidy("The user lives in "+m[2]), 0.85), true
}

// rehomes says whether a text tells that the user has a new home.
func rehomes(s string) bool {
	m := moved.FindStringSubmatch(s)
	if m == nil || childhood.MatchString(s) || history.MatchString(s) || strings.Contains(s, " when ") {
		return false
	}
	w := strings.ToLower(m[1])
	return !tools[w] && !craft[w] && !notPlaces[w]
}
