package rules

import (
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
)

// Retraction is something that a person wants forgotten, or says does not hold any
// more, and names: what is remembered of it goes, whichever conversation told it.
type Retraction struct {
	// Text is what does not hold, in the words of a memory, or what it is about.
	Text string
	Turn string // id of the turn
	// Topic says that Text names a subject: whatever was said about it is meant, also
	// what forbids it.
	Topic bool
	// Asked says that the person asked for it to be forgotten. Then it may be
	// remembered anywhere; else Target says where.
	Asked  bool
	Target memory.Scope
	// Named says that Text has a number, a name or an identifier: it takes no other
	// word to know what is meant.
	Named bool
}

// maxRetractions bounds those of one conversation, the last ones.
const maxRetractions = 32

const (
	forgetting = `(?:you (?:can|may) (?:now |safely |just )?)?(?:just |simply |completely )?(?:forget|disregard|discard)`
	// outspoken is what somebody has said.
	outspoken = `(?:everything|anything|all|whatever|what)(?: that)? i(?:'ve| have|'d| had)? (?:once |ever |just |previously |earlier |already )?(?:said|told you|mentioned|explained|asked you)(?: to you)?(?: earlier| before| previously| once| yesterday| last \w+| the other day)? (?:about|on|regarding|concerning)`
	noted     = `(?:memory|memories|notes?|rules?|instructions?|preferences?|facts?|reminders?|conventions?)`
	ended     = `(?: any ?more| any longer)`
	// actors are those whose habits the user ends with a word, and kept what they do.
	// What else no longer does something may be broken.
	actors = `(?:we|i|(?:our|the) team|(?:this|the|our) (?:project|repo|repository|codebase|company))`
	kept   = `(?:use|need|require|support|want|prefer|follow|store|host|target|allow|own|have)s?|(?:live|work|depend|rely|deploy|relie)s?|squash(?:es)?|rebase|sign|ship|run|drive|play|drink|eat|smoke|like|love|enjoy`
	// added is what is said besides.
	added = `(?:here|in (?:this|our|the) (?:repo|repository|project|codebase)|now|please|thanks|thank you|at all|for good|instead|these days|from now on|going forward|ok|okay)`
)

var (
	// forgetsTopic asks for what was said about something, in the last group.
	forgetsTopic = []*pattern{
		lazily(polite + `(?:` + forgetting + `|ignore|scratch|strike|drop) (?:about )?` + outspoken + ` (.+)$`),
		lazily(polite + forgetting + ` (?:my|our|the|that|your) (?:old |earlier |previous )?(?:` + noted + ` (?:about|on|regarding|concerning|that)|preferences? for) (.+)$`),
		lazily(polite + `(?:forget|remove|delete|erase|drop|wipe|clear|discard) (?:(?:everything|anything|all) (?:about )?|` + outspoken + ` |(?:the fact )?that )?(.+) from (?:your|our) (?:long-term |project )?memor(?:y|ies)$`),
		lazily(polite + `(?:forget|remove|delete|erase|drop|clear|discard) (?:your memor(?:y|ies) (?:about|on|of|regarding|that)|(?:the|that|any|all) memor(?:y|ies) (?:about|regarding|that)) (.+)$`),
		lazily(`(?i)^` + outspoken + ` (.+?) (?:no longer (?:holds|applies|counts)|(?:does not|doesn't) (?:hold|apply|count)` + ended + `|is (?:no longer (?:true|valid|correct|the case)|outdated|obsolete))$`),
	}
	// forgetsThat asks for a statement, in the last group.
	forgetsThat = []*pattern{
		lazily(polite + forgetting + ` (?:the fact )?that (.+)$`),
		lazily(polite + `(?:you (?:don't|do not|no longer) (?:need|have) to|no need to|stop) remember(?:ing)? that (.+)$`),
		lazily(polite + `(?:you (?:don't|do not) (?:need|have) to|don't|do not) remember that (.+)` + ended + `$`),
	}
	// ceased states that something does not hold any more: what does, in the last two
	// groups.
	ceased = []*pattern{
		lazily(`(?i)^(` + actors + `) no longer ((?:` + kept + `)\b.+)$`),
		lazily(`(?i)^(` + actors + `) (?:do not|don't|does not|doesn't) ((?:` + kept + `)\b.+)` + ended + `$`),
		lazily(`(?i)^(` + actors + `)(?:'ve| have| has)? stopped (using|supporting|following|hosting|signing|squashing|rebasing|deploying) (.+)$`),
		lazily(`(?i)^it(?:'s| is) (?:()no longer (?:true|the case|correct) that|()not (?:true|the case|correct)` + ended + ` that) (.+)$`),
	}
	// stops asks not to use something any more, in the last group.
	stops = lazily(polite + `(?:just )?stop (?:using|relying on) (.+)$`)

	// statesOf begins what is a statement rather than a thing.
	statesOf = lazily(`(?i)^(?:(?:the|our|my|we|i|i'm|i've|all|any|every|each|there|this (?:project|repo|repository|codebase|service|app))\b|(?-i:[A-Z` + "`" + `])|\w+s (?:are|have|must|should|go|live|run|use|need)\b)`)
	// remark begins one, and says nothing.
	remark = lazily(`(?i)^(?:(?:no|actually|well|hey|ok|okay|so|and|but|also|btw|by the way|fyi|note(?: that)?|please note(?: that)?|heads up|update|correction|as of (?:now|today)|these days|by now|just so you know)[,:]? )*`)
	// apart is what a person adds: why, and what holds instead.
	apart   = lazily(`(?i)(?:[,;:] | - | – | — | (?:because|but) |\. ).*$`)
	adds    = lazily(`(?i)(?:,? ` + added + `)+$`)
	endsIn  = lazily(`(?i)(?:,? (?:` + added + `|any ?more|any longer))+$`)
	toldYou = lazily(`(?i)^i (?:said|told you|mentioned)(?: that)? `)
	// vaguely are words that name nothing.
	vaguely = lazily(`(?i)\b(?:it|this|that|these|those|them|they|he|she|something|anything|everything|nothing|stuff|one|ones|mess|idea|question)\b`)
	actor   = lazily(`(?i)^` + actors + `\b`)
	// hinges is what holds at some time, or if something else does; gone is what
	// happened, and is forgiven rather than forgotten.
	hinges = lazily(`(?i)\b(?:if|once|when|whenever|after|before|until|unless|whether|while|as soon as|as long as|how|why)\b`)
	gone   = lazily(`(?i)\b(?:failed|crashed|broke|happened|existed|forgot|ever|wrong|fault|mistake|joke)\b`)
)

// Retractions returns what the user of a conversation wants forgotten, in the order in
// which it was said. Only his own words count, and only what names it: "forget that"
// is for [Extract], which knows what was said before.
func Retractions(c process.Transcript) []Retraction {
	var out []Retraction
	turns := newest(c.Turns)
	opens := true
	for n, t := range turns {
		if t.Role == process.RoleAssistant {
			opens = false
		}
		if t.Role != process.RoleUser {
			continue
		}
		for _, s := range statements(t, n) {
			s.opens = opens
			if r, ok := retraction(s); ok {
				out = append(out, r)
			}
		}
	}
	return slices.Clip(out[max(0, len(out)-maxRetractions):])
}

// retraction is what a sentence wants forgotten.
func retraction(s *statement) (r Retraction, ok bool) {
	text := strings.TrimRight(s.text, "!. ")
	if bare, asks := strings.CutSuffix(text, "?"); asks {
		if !begged.MatchString(text) {
			return r, false
		}
		text = strings.TrimRight(bare, "!?. ")
	}
	if s.specified() || s.doubtful(text) || mocks.MatchString(s.prev) || s.brief() || passes.MatchString(text) {
		return r, false
	}
	if r, ok = asksToForget(text); !ok {
		if strings.HasSuffix(s.text, "?") || momentary.MatchString(text) {
			return r, false
		}
		r, ok = saysCeased(text)
	}
	r.Turn = s.id
	return r, ok
}

func asksToForget(text string) (Retraction, bool) {
	text = strings.TrimRight(adds.ReplaceAllString(remark.ReplaceAllString(text, ""), ""), ",; ")
	for _, re := range forgetsThat {
		if m := re.FindStringSubmatch(text); m != nil {
			if what := toldYou.ReplaceAllString(m[len(m)-1], ""); statesOf.MatchString(what) {
				return retracted(Retraction{Asked: true}, what)
			}
		}
	}
	for _, re := range forgetsTopic {
		if m := re.FindStringSubmatch(text); m != nil {
			return retracted(Retraction{Asked: true, Topic: true}, m[len(m)-1])
		}
	}
	return Retraction{}, false
}

func saysCeased(text string) (Retraction, bool) {
	text = remark.ReplaceAllString(text, "")
	text = adds.ReplaceAllString(apart.ReplaceAllString(text, ""), "")
	for n, re := range ceased {
		m := re.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		what := strings.TrimSpace(strings.Join(m[1:], " "))
		if n == len(ceased)-1 && !statesOf.MatchString(what) {
			return Retraction{}, false
		}
		return retracted(Retraction{}, what)
	}
	if m := stops.FindStringSubmatch(text); m != nil {
		return retracted(Retraction{}, "use "+m[1])
	}
	return Retraction{}, false
}

// retracted completes a retraction by what it is about.
func retracted(r Retraction, what string) (Retraction, bool) {
	what = apart.ReplaceAllString(what, "")
	what = strings.TrimSpace(endsIn.ReplaceAllString(what, ""))
	if vaguely.MatchString(actor.ReplaceAllString(what, "")) || hinges.MatchString(what) || gone.MatchString(what) || len(tokens(what)) > 20 {
		return Retraction{}, false
	}
	r.Named = names(what)
	if r.Topic {
		r.Text = tidy(third(what))
		return r, what != ""
	}
	if r.Target, r.Text = aimed(what); r.Asked {
		r.Target = ""
	}
	return r, what != ""
}

// names says whether a text has a number, a name or an identifier. Capitals are as
// a rule given to what has a name; API and CI are words that all use.
func names(s string) bool {
	if signs.MatchString(s) {
		return true
	}
	for _, w := range strings.Fields(s) {
		low := strings.ToLower(strings.Trim(w, ",.;:!?()'"))
		switch first := rune(w[0]); {
		case strings.ContainsAny(w, "0123456789"), tools[low] && low != "make":
			return true
		case first >= 'A' && first <= 'Z' && low != "i" && !strings.HasPrefix(low, "i'") && !craft[low] && !often[low] && !empty[low] && len(low) > 2:
			return true
		}
	}
	return false
}
