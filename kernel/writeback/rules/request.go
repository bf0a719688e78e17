package rules

import "strings"

var (
	// remembers asks for what is in group 1 to be remembered.
	remembers = []*pattern{
		lazily(polite + `(?:remember|memori[sz]e|don'?t forget|do not forget|never forget)(?: for (?:the future|later|next time))? that (.+)$`),
		lazily(polite + `(?:remember|don'?t forget|do not forget)(?: for (?:the future|later|next time))?,? ((?:i|we|my|our|always|never)\b.+)$`),
		lazily(polite + `(?:make|take|leave) (?:yourself )?a (?:permanent |mental )?note (?:that|of|:|to)[: ]*(.+)$`),
		lazily(polite + `note for (?:the future|later|next time|future sessions|future reference|yourself)(?: that|:|,)[: ]*(.+)$`),
		lazily(polite + `(?:save|store|add|put|write|record|commit) (?:this |that |it )?(?:in|to|into) (?:your |the |long-term |project )*memor(?:y|ies)(?: that|:|,)[: ]*(.+)$`),
		lazily(polite + `for (?:future reference|the record|next time|future sessions|your memory|your information in future)[,:]? (.+)$`),
		// German, French, Spanish, Chinese, Japanese
		lazily(polite + `(?:merke?|behalte?|notiere?) (?:dir|es dir)(?: bitte)?(?:,? dass |: ?|, )(.+)$`),
		lazily(polite + `(?:denk|vergiss)e? (?:bitte )?(?:immer )?(?:daran|dran|nicht)(?:, dass |: ?|, )(.+)$`),
		lazily(polite + `(?:souviens-toi|rappelle-toi|souvenez-vous|retiens|retenez|n'oublie pas|n'oubliez pas)(?: bien)?(?: que | qu'|: ?| : )(.+)$`),
		lazily(polite + `(?:recuerda|recuerde|acuérdate de|no olvides|no olvide)(?: que |: ?)(.+)$`),
		lazily(`^(?:请|請)?(?:你)?(?:记住|記住|记得|記得)(?:这一点|這一點)?[，,：: ]*(.+)$`),
		lazily(`^(.+?)(?:こと)?(?:を|と)?(?:覚えておいて|おぼえておいて|覚えて|記憶して)(?:ください|下さい|ね)?[。.]?$`),
	}
	// remembersColon is how a template marks what is important, too: it counts where
	// nothing else is said.
	remembersColon = lazily(polite + `(?:remember|memori[sz]e|remember this): ?(.+)$`)
	// remembersTo is asked for once, unless it says when or where.
	remembersTo = lazily(polite + `(?:remember|don'?t forget|do not forget) to (.+)$`)
	standing    = lazily(`(?i)\b(?:always|never|every(?: single)? (?:time|commit|change|release|pr|session|day|week|file)|each (?:time|commit|change|release|pr|session)|whenever|(?:before|after) (?:you )?(?:commit|push|merg|releas|deploy|each|every|any)\w*|in (?:this|our|the) (?:repo|repository|project|codebase)|from now on|in (?:the )?future|going forward)\b`)
	begged      = lazily(`(?i)\b(?:can|could|would|will|kannst|könntest) (?:you|du)\b|\bplease\b`)
)

// request finds what the user asks to be remembered.
func request(s *statement) (c Candidate, ok bool) {
	text := strings.TrimSpace(strings.TrimSuffix(s.text, "?"))
	if text != s.text && !begged.MatchString(text) || mocks.MatchString(s.text) || quoted.MatchString(s.text) && strings.IndexAny(s.text, `"'«「`) == 0 {
		return c, false
	}
	what := ""
	if m := firstMatch(remembers, text); m != nil {
		what = m[1]
	} else if m := remembersColon.FindStringSubmatch(text); m != nil && s.alone {
		what = m[1]
	} else if m := remembersTo.FindStringSubmatch(text); m != nil && standing.MatchString(m[1]) {
		what = m[1]
	}
	if short(what) || pronoun.MatchString(what) {
		return c, false
	}
	return s.asked(what), true
}

// asked is a candidate that the user asked for.
func (s *statement) asked(text string) Candidate {
	s.everywhere = s.everywhere || globalEnd.MatchString(text)
	c := s.candidate(Request, text, 0.9)
	c.Asked = true
	return c
}
