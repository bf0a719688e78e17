package rules

import (
	"strings"
)

var (
	// dash separates clauses, as people write who chat.
	dash = lazily(` ?(?: - |- | – | — |—|\.\.\. ?|; ) ?`)
	// filler opens a story and tells none.
	filler = lazily(`(?i)^(?:long time|(?:so |too )?(?:much|a lot|lots)(?:'s| has| have)? (?:happened|gone)|guess what|(?:great |good |big |exciting )?news|come see|been a while|something \w+ happened|things have been|things? (?:are|is)|(?:\w+ )?(?:things|stuff|a lot|so much|lots)(?:'s|'ve| has| have| had)? (?:been )?(?:happened|changed|going on|gone on)|not much|(?:(?:yesterday|today|recently|last \w+|this \w+),? )?i (?:also |just |finally |actually )?(?:have|had|'ve got|got|did|tried|tackled|found|made|saw) something (?:\w+ ){0,2}(?:too|special|as well|similar|cool|new|different|amazing|awesome|fun|exciting|interesting|crazy)$)\b`)
	// linked are clauses that go on behind a comma.
	linked = lazily(`(?i)(?:[,;] (?:(?:and|but|so|though|although|plus|which|because|since|as|if|when|that's why),? |(?:i|we|it|that|can't|cant|gonna|let)\b)| (?:but|so) (?:i|we|it|my|our)\b| and (?:i'm|it's|it was|i was|it made|that)\b)`)
	// joiner opens the second of two clauses.
	joiner = lazily(`(?i)^[,; ]*(?:and|but|so|though|although|plus|because|since)?[, ]*`)
	// asides are what is said to the other in passing.
	asides = lazily(`(?i),? ?\b(?:as you (?:know|may know|can see|said)|like you(?: said| mentioned)?|thanks to you|if you (?:remember|must know|want to know)|you know(?: what)?|i (?:must|gotta|have to|got to) (?:say|admit|tell you)|to be honest|to tell (?:you )?the truth|believe it or not|in case you're wondering|just like you|i'm (?:so |really )?(?:happy|glad|pleased|proud|excited) to (?:say|announce|report)(?: that)?|let me tell you|since we(?:'ve)? (?:last )?(?:talked|chatted|spoke|spoken|met|caught up)(?: last)?|(?:quite a (?:week|month) )?since (?:last time|our last (?:chat|talk)))\b,?`)
	// given is what the other gave: the picture that you shared.
	given   = lazily(`(?i) (?:that |which )?you(?:'ve| have)? (?:just |recently )?(?:shared|sent|posted|showed(?: me)?|mentioned|recommended|suggested|gave me|told me about|were talking about)\b`)
	advised = lazily(`(?i)\b(?:took|followed|tried|used) your (?:\w+ )?(?:recc?omm?endations?|advice|suggestions?|tips?) and `)
	// pity leads over to what somebody has to do without.
	pity = lazily(`(?i)^(?:it's|it is) (?:such )?a (?:pity|shame|bummer) (?:that )?(i )`)
	// willAlways is what somebody does for good.
	willAlways = lazily(`(?i)\bi(?:'ll| will) (always|never) (love|like|enjoy|prefer|hate|have|support|play|write|paint|read|cook)\b`)
	// thatsWhy leads over to what the user does for a reason that was said.
	thatsWhy = lazily(`(?i)^(?:(?:that|this|it|which)(?:'s| is) |part of |exactly )+(?:exactly |the reason |one reason |partly )?why (?:i (?:love|like|enjoy|hate|started|decided|became|joined|play|write|paint|volunteer|work|teach|run|bought|adopted|chose)\b)`)
	// meanwhile is what the other did in the meantime, and what he may think of it.
	meanwhile = lazily(`(?i),? (?:while|when|as|after|before|since|like) you(?:'re|'ve|'d| were| are| have| had| did| said| do| can| see)?\b[^,;]*$|, (?:so |and |but )?(?:maybe|perhaps|hopefully) (?:you|we)\b.*$|, (?:(?:do you )?want to|wanna|care to|would you like to) (?:join|come|go|see|try)\b[^,]*$`)
	// calledThis is a work that has a name.
	calledThis = lazily(`(?i)\bthis ((?:\w+ ){0,2}(?:book|novel|series|movie|film|show|game|band|song|album|podcast|app|place|restaurant|cafe|author|artist|course|class|site|website)),? (called|named) `)
	// tookShown is a picture that is shown, and where it was taken.
	tookShown = lazily(`(?i)^(?:here(?:'s| is)|this is|check out|that's) (?:a|the|another|one) (?:\w+ )?(?:pics?|pictures?|photos?|shots?|snaps?) (?:that )?i (?:took|snapped|shot) ((?:in|at|on|during|while|near)\b)`)
	// appears is what something that is seen looks like.
	appears = lazily(`(?i)^(?:that|this|the|these|those) (?:\w+ ){0,3}looks? `)
	// presumes is a question that says what it asks.
	presumes = lazily(`(?i)^(?:(?:hey|oh|and|so|btw|by the way),? )*(?:did|have) i (?:ever )?(?:tell|told|show|shown|mention|mentioned)(?: to)?(?: you)?(?: guys)?(?: that| about how)? (i(?:'m|'ve)? .+|my .+|we(?:'ve|'re)? .+)\?$`)
	// displays is a picture of something that the user says more about than that it
	// is there.
	displays = lazily(`(?i)^(?:here(?:'s| is| are)|check out|take a look at|have a look at|look at|this is|these are|that's)(?: a| an| some| one)?(?: \w+)?(?: (?:pics?|pictures?|photos?|shots?|snaps?|images?|videos?)(?: of| from))? ((?:my|our|the|a|an|some|one of my|one of the) (?:[\w'-]+ ){1,4}?)((?:that )?(?:i|we)(?:'m|'re|'ve| am| are| have)? (?:[\w'-]+ ?){1,12})$`)
	pictured = lazily(`(?i)\b(?:pics?|pictures?|photos?|shots?|snaps?|images?|something|one|thing|ones|look|videos?)\s*$`)
	// recalls is what a picture brings to mind.
	recalls = lazily(`(?i)^(?:that|this|your|the) (?:\w+ ){0,3}(?:pics?|pictures?|photos?|shots?|story|video)(?: \w+)? (?:just |really |totally )?(?:(?:reminds|reminded|makes|made) me (?:of|think of)|(?:takes|took|brings|brought) me back to) `)
	// sortOf says nothing before a verb.
	sortOf = lazily(`(?i)\b((?:i|we)(?:'m|'ve)?(?: just| really)?) (?:sort|kind) of `)
	// taken is a picture of which is said where it was taken.
	taken = lazily(`(?i)\b((?:i|we) (?:just |actually )?(?:took|snapped|shot|got)) (?:this|that|these|the) (?:pics?|pictures?|photos?|shots?) (at|in|on|near|during|while|from|by)\b`)
)

// plainly are his words without greeting, aside and what is for the
// other only.
func plainly(s string) string {
	s = trimmed(opened(strings.TrimRight(s, "!. ")))
	s = pity.ReplaceAllString(s, "$1")
	s = willAlways.ReplaceAllString(s, "I $1 $2")
	s = soundsLike.ReplaceAllString(s, "$1")
	if at := thatsWhy.FindStringIndex(s); at != nil {
		s = s[strings.Index(strings.ToLower(s), "why ")+4:]
	}
	s = advised.ReplaceAllStringFunc(s, func(m string) string { return "" })
	s = given.ReplaceAllString(s, "")
	s = meanwhile.ReplaceAllString(s, "")
	s = calledThis.ReplaceAllString(s, "a $1 $2 ")
	s = tookShown.ReplaceAllString(s, "I took a photo $1")
	s = sortOf.ReplaceAllString(s, "$1 ")
	s = recalls.ReplaceAllString(s, "I was reminded of ")
	s = taken.ReplaceAllString(s, "$1 a photo $2")
	return trimmed(opened(strings.TrimLeft(asides.ReplaceAllString(s, ""), ", ")))
}

var (
	// opener leads over to what is told, and tells nothing.
	opener = lazily(`(?i)^(?:(?:speaking of \w+(?: \w+){0,3}|(?:on|in) (?:another|an unrelated|a (?:different|side|brighter|happier|lighter|related|personal|positive|more positive)) note|(?:best|first|most|worst|last) of all|above all|last but not least|in other news|long story short|other than that|besides that|apart from that|aside from that|nothing (?:\w+ ){1,3}?(?:soon|new|special|much)|not much(?: (?:has )?(?:changed|new|happened|going on|is new)(?: (?:for|with|on) (?:me|us|my end))?)?|same here|to be fair|no worries|guess what), (?:but |and )?|(?:(?:great|good|nice|cool|awesome|fun|sweet|lovely|brilliant|interesting) (?:idea|point|question|choice|plan|call|thought|suggestion|job|work|one|pick|news))[,.!]+ *(?:but |except |though |and )?|(?:oh,? )?(?:i have|i've got|got|here's) (?:some |a bit of )?(?:\w+ )?news(?: to share| for you)?(?: ?- ?|: |! |, )|(?:i )?(?:just )?wanted to (?:let you know|tell you|share(?: with you)?|mention|update you)(?: about how)?(?: that)? )`)
	// vocative is a name before a circumstance.
	soundsLike = lazily(`(?i)^(?:that |it |this )?(?:sounds|looks|seems) (?:like )?[^,]{2,40}, (?:even if|but|although|though|and|so) (i\b|i'|my\b)`)
	vocative   = lazily(`^([A-Z][a-z]+), (?:after|when|last|since|before|while|during|yesterday|today|as|we|it|there|this)\b`)
	// timely are words in the place of a name that is spoken to.
	timely = words(`yesterday today tonight recently lately sometimes once first finally then now also still however anyway besides meanwhile plus afterwards later
		earlier soon originally initially eventually unfortunately fortunately luckily sadly hopefully obviously apparently usually normally
		personally honestly actually overall instead otherwise therefore thus nevertheless nonetheless indeed though clearly surprisingly
		thankfully basically especially mostly generally occasionally often again next`)
)

// opened is a sentence without what leads over to it.
func opened(s string) string {
	s = opener.ReplaceAllString(s, "")
	if m := vocative.FindStringSubmatch(s); m != nil && !timely[strings.ToLower(m[1])] && !calendar[strings.ToLower(m[1])] && !life[strings.ToLower(m[1])] {
		s = s[len(m[1])+2:]
	}
	return s
}

// told leaves out of a sentence the parts behind dashes that tell nothing: what is
// asked, shown or said to the other; then the clauses that are about the other.
func told(s string) string {
	parts := dash.Split(s, -1)
	if len(parts) > 1 {
		var kept []string
		for _, p := range parts {
			if p = trimmed(p); p != "" && !question(p) && !partner.MatchString(p) && !deictic.MatchString(p) && !future.MatchString(p) && !filler.MatchString(p) && !appears.MatchString(p) {
				kept = append(kept, p)
			}
		}
		s = strings.Join(kept, " - ")
	}
	if partner.MatchString(s) {
		s = without(s, partner)
	}
	return s
}

// clauses are the parts of a sentence that are linked by commas and small words.
func clauses(s string) []string {
	var out []string
	from := 0
	for _, at := range linked.FindAllStringIndex(s, -1) {
		if at[0] > from {
			out = append(out, s[from:at[0]])
			from = at[0]
		}
	}
	out = append(out, s[from:])
	for n := range out {
		out[n] = strings.TrimRight(joiner.ReplaceAllString(out[n], ""), ", ")
	}
	return out
}

// without keeps of the clauses of a sentence the longest run that does not match.
func without(s string, re *pattern) string {
	best, run, from := "", "", 0
	flush := func() {
		if len(run) > len(best) {
			best = run
		}
		run = ""
	}
	cut := func(part string) {
		if re.MatchString(part) {
			flush()
			return
		}
		if run == "" {
			part = joiner.ReplaceAllString(part, "")
		}
		run += part
	}
	for _, at := range linked.FindAllStringIndex(s, -1) {
		if at[0] > from {
			cut(s[from:at[0]])
			from = at[0]
		}
	}
	cut(s[from:])
	flush()
	if len(tokens(best)) < 3 {
		return s
	}
	return strings.TrimRight(best, ", ")
}

// mainClause is the longest run of clauses in which nobody only talks, feels or
// promises.
func mainClause(s string) string {
	return without(s, chatter)
}

// chatter is what makes a clause small talk.
var chatter = lazily(`(?i)\b(?:you|your|can't wait|cant wait|gonna be|i (?:really |just |still )?(?:hope|think|guess|bet|wonder|believe|feel|hear|heard)|i(?:'ll|'d)|we'll|let's|i'm (?:so |really |super |very )?(?:\w+ed|happy|glad|proud|sure|sorry|down|ready))\b`)

// displayed turns a picture that is shown into what it shows.
func displayed(s string) string {
	m := displays.FindStringSubmatch(s)
	if m == nil || pictured.MatchString(m[1]) {
		return ""
	}
	return "I showed " + m[1] + m[2]
}
