package rules

import (
	"slices"
	"strings"
)

// What is said before, in and after words that take back what was said.
const (
	beforeBack = `(?:(?:no|nope|oh|ah|oops|er|actually|sorry|wait|please|ok|okay|well|hey|hm+|um+|uh|so|and|but|just|right|can you|could you|would you|you know what|on second thoughts?|thinking about it|i changed my mind|changed my mind|let's|lets|better)[,.!:?;]*(?: - | – | — | ))*`
	takeBack   = `(?:(?:scratch|forget|ignore|disregard|strike|undo) (?:about )?(?:all )?(?:of )?(?:that|it|this|what i (?:just )?said(?: (?:about|on) [\w' -]{2,40}?)?|my (?:last|previous) (?:message|instruction|point|request)|the last (?:one|bit|part|instruction|rule))(?: one| last one| last bit| last part| again| rule| instruction)?|never ?mind(?: (?:that|it|about that))?|nvm|i take (?:that|it) back|don'?t remember (?:that|this))`
	afterBack  = `(?:please|thanks|thank you|sorry|my (?:bad|mistake|fault)|i was wrong|i changed my mind|actually|for good|then|now|again|ok|okay|will you|mate)`
)

var (
	// retracts takes back what was said before it.
	retracts = lazily(`(?i)^` + beforeBack + takeBack + `(?:(?:[,.!;]| -| and|) ?(?:` + beforeBack + takeBack + `|` + afterBack + `))*[.!? ]*$`)
	// retractsFirst does so, and goes on with what holds instead, in group 2.
	retractsFirst = lazily(`(?i)^` + beforeBack + `(` + takeBack + `)(?:(?:,? | and |, and )(?:` + afterBack + `|` + takeBack + `))*(?:[,:;]| -| –| —|—) *(?:(?:and|but|or|rather|instead|i meant?|it should be)[,:]? )*(.+)$`)
	// retractsTopic takes back what was said about something, in group 1.
	retractsTopic = lazily(`(?i)^` + beforeBack + `(?:(?:scratch|forget|ignore|disregard|strike|drop) (?:about )?(?:the|that) (?:part|bit|rule|thing|instruction|one|request) (?:about|on|with|for|of)|(?:never ?mind|forget) about) (?:the |that |those )?([\w' -]{3,40}?)[.! ]*$`)
	// ofTopic is what somebody takes back of what he said, in group 1.
	ofTopic = lazily(`(?i)\bwhat i (?:just )?said (?:about|on) ([\w' -]{2,40}?)(?: ?[,:;.!]| -| –| —|$)`)
	// firmly is said of words alone; the others may be said of a piece of work, and
	// count when a rule follows.
	firmly = lazily(`(?i)^(?:(?:scratch|forget|strike|disregard) (?:about )?(?:that|this|what|my|the)|ignore (?:what|my)|i take)`)
	ruled  = lazily(`(?i)^(?:always|never|from now on|don'?t|do not|only|we (?:always|never|do|don'?t|use))\b`)
	// tellsWhy goes on with why nobody need mind.
	tellsWhy = lazily(`(?i)^(?:i|i'm|i've|it|it's|that|that's|this|there|found|got|works?|all good|no worries|you|he|she|they|the)\b`)
)

// takesBack says whether a sentence takes back what was said, and what it says
// instead.
func takesBack(s string) (rest string, is bool) {
	if retracts.MatchString(s) {
		return "", true
	}
	m := retractsFirst.FindStringSubmatch(s)
	if m == nil || !firmly.MatchString(m[1]) && !ruled.MatchString(m[2]) || tellsWhy.MatchString(m[2]) && !strings.EqualFold(m[1][:1], "s") && !restates(m[2]) || len(tokens(m[2])) < 2 {
		return "", false
	}
	return m[2], true
}

// restates says whether a text gives something another number.
func restates(s string) bool {
	v, ok := valueOf(s)
	return ok && numeric.MatchString(v.is) && !vagueSubject.MatchString(s) && !uncertain.MatchString(v.subject)
}

// restated finds the value that is said instead of what was taken back, perhaps in
// another conversation.
func restated(s *statement) (Candidate, bool) {
	if !s.instead || s.pasted || s.unsaid(s.text) || s.brief() || !restates(s.text) {
		return Candidate{}, false
	}
	return correct(still.ReplaceAllString(strings.TrimRight(s.text, "!. "), ""), 0.7), true
}

// takeBack drops what a sentence takes back: what it names, or what was said last.
func (x *extraction) takeBack(s string, order int) {
	if m := ofTopic.FindStringSubmatch(s); m != nil && len(wordsOf(m[1])) > 0 {
		x.retractAbout(wordsOf(m[1]), order)
		return
	}
	x.retract(order)
}

// retractTopic drops what the user said about something in the turn of order, or
// in the one before.
func (x *extraction) retractTopic(s string, order int) bool {
	m := retractsTopic.FindStringSubmatch(s)
	if m == nil {
		return false
	}
	return x.retractAbout(wordsOf(m[1]), order)
}

// wordsOf are the words of a text that say something, as entries have them.
func wordsOf(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range tokens(s) {
		if w = stem(w); !empty[w] {
			out[w] = true
		}
	}
	return out
}

func (x *extraction) retractAbout(about map[string]bool, order int) bool {
	had := len(x.found)
	x.found = slices.DeleteFunc(x.found, func(e entry) bool {
		return e.Category != Command && e.order >= x.before && e.order <= order && shared(about, e.words) > 0
	})
	return len(x.found) < had
}
