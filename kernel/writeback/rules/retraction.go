package rules

import (
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// Retraction is something that the user wants forgotten, or says does not hold any
// more, and names: what is remembered of it goes, whichever conversation told it.
type Retraction struct {
	// Text is what does not hold, in the words of a memory, or what it is about.
	Text string
	Turn string // id of the turn
	// Topic says that Text names a subject: whatever was said about it is meant, also
	// what forbids it.
	Topic bool
	// Asked says that the user asked for it to be forgotten.
	Asked bool
	// Named says that Text has a number, a name or an identifier: it takes no other
	// word to know what is meant.
	Named bool
}

// maxRetractions bounds those of one conversation, the last ones.
const maxRetractions = 32

const (
	forgetting = `(?:you (?:can|may) (?:now |safely |just )?)?(?:just |simply |completely )?(?:forget|disregard|discard)`
	// saying is what the user said.
	saying = `(?:everything|anything|all|whatever|what)(?: that)? i(?:'ve| have|'d| had)? (?:once |ever |just |previously |earlier |already )?(?:said|told you|mentioned)(?: earlier| before| previously| yesterday| last \w+)? (?:about|on|regarding|concerning)`
	noted  = `(?:memory|memories|notes?|rules?|instructions?|preferences?|facts?|conventions?)`
	actors = `(?:we|i|(?:our|the) team|(?:this|the|our) (?:project|repo|repository|codebase|company))`
	habits = `(?:use|need|require|support|want|prefer|follow|store|host|target|allow|deploy|depend|rely|live|work|squash(?:es)?|rebase|sign)s?`
	added  = `(?:here|in (?:this|our|the) (?:repo|repository|project|codebase)|now|please|thanks|thank you|for good|instead|from now on|going forward|any ?more|any longer)`
)

var (
	// forgetsTopic asks for what was said about something, in group 1, to be
	// forgotten; forgetsThat for a statement.
	forgetsTopic = []*pattern{
		lazily(polite + `(?:` + forgetting + `|ignore|scratch|drop) (?:about )?` + saying + ` (.+)$`),
		lazily(polite + forgetting + ` (?:my|our|the|that|your) (?:old |earlier |previous )?(?:` + noted + ` (?:about|on|regarding|concerning|that)|preferences? for) (.+)$`),
		lazily(polite + `(?:forget|remove|delete|erase|drop|clear) (?:(?:everything|anything|all) (?:about )?|` + saying + ` |(?:the fact )?that )?(.+) from (?:your|our) (?:long-term |project )?memor(?:y|ies)$`),
	}
	forgetsThat = []*pattern{
		lazily(polite + forgetting + ` (?:the fact )?that (?:i (?:said|told you|mentioned)(?: that)? )?(.+)$`),
		lazily(polite + `(?:you (?:don't|do not|no longer) (?:need|have) to|no need to|stop) remember(?:ing)? that (.+)$`),
	}
	// ceased states that something does not hold any more: who did it, and what. Of
	// what else no longer does something, it may be an error.
	ceased = []*pattern{
		lazily(`(?i)^(` + actors + `) no longer (` + habits + `\b.+)$`),
		lazily(`(?i)^(` + actors + `) (?:do not|don't|does not|doesn't) (` + habits + `\b.+) (?:any ?more|any longer)$`),
		lazily(`(?i)^it(?:'s| is) (?:no longer (?:true|the case)|not (?:true|the case) any ?more) that()( .+)$`),
		lazily(polite + `(?:just )?(stop using)( .+)$`),
	}
	// clausal begins what is a statement rather than a thing.
	clausal = lazily(`(?i)^(?:(?:the|our|my|we|i|i'm|i've|all|any|every|each|there|this (?:project|repo|repository|codebase))\b|(?-i:[A-Z` + "`" + `])|\w+s (?:are|have|must|should|go|live|run|use|need)\b)`)
	// remark begins a statement, and says nothing; aside is what is added to it.
	remark = lazily(`(?i)^(?:(?:no|actually|well|hey|ok|okay|so|and|but|also|btw|by the way|fyi|note(?: that)?|heads up|update|correction|as of (?:now|today))[,:]? )*`)
	aside  = lazily(`(?i)(?:[,;:] | - | – | — | (?:because|but) |\. ).*$`)
	ending = lazily(`(?i)(?:,? ` + added + `)+$`)
	// unnamed are words that name nothing.
	unnamed = lazily(`(?i)\b(?:it|this|that|these|those|them|they|he|she|something|anything|everything|nothing|stuff|one|ones|idea|lunch)\b`)
	actor   = lazily(`(?i)^` + actors + `\b`)
	// hinges is what holds at some time only, or happened: it is forgiven rather than
	// forgotten.
	hinges = lazily(`(?i)\b(?:if|once|when|whenever|after|before|until|unless|whether|while|how|why|failed|crashed|broke|happened|forgot|ever|wrong|fault|mistake|joke)\b`)
)

// Retractions returns what the user of a conversation wants forgotten, in the order in
// which it was said. Only their own words count, and only what names it: "forget that"
// is for [Extract], which knows what was said before.
func Retractions(c process.Transcript) []Retraction {
	var out []Retraction
	for _, t := range newest(c.Turns) {
		if t.Role != process.RoleUser {
			continue
		}
		for _, s := range statements(t) {
			if r, ok := retraction(s); ok {
				out = append(out, r)
			}
		}
	}
	return slices.Clip(out[max(0, len(out)-maxRetractions):])
}

// retraction is what a sentence wants forgotten.
func retraction(s *statement) (r Retraction, ok bool) {
	text := strings.TrimRight(s.text, "!?. ")
	if doubtful(text) || mocks.MatchString(s.prev) || s.brief() {
		return r, false
	}
	text = remark.ReplaceAllString(text, "")
	plea := strings.TrimRight(ending.ReplaceAllString(text, ""), ",; ")
	asked := !strings.HasSuffix(s.text, "?") || begged.MatchString(s.text)
	switch m := firstMatch(forgetsThat, plea); {
	case m != nil && asked && clausal.MatchString(m[1]):
		return s.retracted(Retraction{Asked: true}, m[1])
	case question(s.text) && !asked:
		return r, false
	}
	if m := firstMatch(forgetsTopic, plea); m != nil && asked {
		return s.retracted(Retraction{Asked: true, Topic: true}, m[1])
	}
	if m := firstMatch(ceased, aside.ReplaceAllString(text, "")); m != nil && !question(s.text) {
		if strings.EqualFold(m[1], "stop using") {
			m[1] = "use"
		}
		return s.retracted(r, strings.TrimSpace(m[1]+" "+strings.TrimSpace(m[2])))
	}
	return r, false
}

// retracted completes a retraction by what it is about.
func (s *statement) retracted(r Retraction, what string) (Retraction, bool) {
	what = strings.TrimSpace(ending.ReplaceAllString(aside.ReplaceAllString(what, ""), ""))
	if unnamed.MatchString(here.ReplaceAllString(actor.ReplaceAllString(what, ""), "")) || hinges.MatchString(what) || len(tokens(what)) > 20 {
		return r, false
	}
	r.Text, r.Turn, r.Named = quote(what), s.turn, names(what)
	return r, r.Text != ""
}

// names says whether a text has a number, a name or an identifier.
func names(s string) bool {
	for _, w := range strings.Fields(s) {
		bare := strings.Trim(w, ",.;:!?()'")
		capital := len(bare) > 2 && bare[0] >= 'A' && bare[0] <= 'Z' && !strings.HasPrefix(bare, "I'") && bare != "The"
		if capital || strings.ContainsAny(bare, "0123456789") || identifier.MatchString(bare) || programs[strings.ToLower(bare)] {
			return true
		}
	}
	return false
}

var (
	// takesBack takes back what was said before it.
	takesBack = lazily(`(?i)^` + opener + `(?:(?:` + backward + `)(?:(?:[,.!;]| -| and|) ?(?:` + courtesy + `))*)+[.!? ]*$`)
	// takesBackFor does so, and goes on with what holds instead, in group 1.
	takesBackFor = lazily(`(?i)^` + opener + `(?:(?:scratch|forget|strike|disregard) (?:about )?(?:that|this|what|my)[^,:;]*)(?:[,:;]| -| –| —) *(?:(?:and|but|rather|instead|i meant?|it should be)[,:]? )*(.+)$`)
)

const (
	opener   = `(?:(?:no|nope|oh|ah|oops|actually|sorry|wait|please|ok|okay|well|hey|hm+|so|and|but|can you|could you|you know what|on second thoughts?|i changed my mind|let's)[,.!:?;]*(?: - | ))*`
	backward = `(?:scratch|forget|ignore|disregard|strike) (?:about )?(?:all of )?(?:that|it|this|what i (?:just )?said(?: about (?:that|this|it))?|my (?:last|previous) (?:message|instruction|point|request)|the last (?:one|bit|part|instruction|rule))(?: one| last one| again| rule| instruction)?|never ?mind(?: (?:that|it))?|nvm|i take (?:that|it) back|don'?t remember (?:that|this)`
	courtesy = `please|thanks|thank you|sorry|my (?:bad|mistake|fault)|i was wrong|i changed my mind|actually|then|now|again|ok|okay|` + backward
)
