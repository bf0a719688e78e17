package rules

import (
	"strings"
	"unicode/utf8"
)

// lastly is how many sentences at the end of what an agent says may propose.
const lastly = 6

// chosen are the verbs of what is decided for long, rather than done once: the
// form that follows "we", and what ends in -ing.
const (
	chosen   = `(?:use|go with|opt for|choose|pick|prefer|settle on|stick (?:with|to)|keep|store|switch (?:(?:the |our )?[\w-]+ (?:[\w-]+ )?)?to|move to|migrate to|adopt|standardi[sz]e on|default to|base|host|deploy (?:to|with|on)|target|rely on|name|call|pin|split|replace|drop|put|serve|cache|support|save|move|generate|version|sign|squash|write (?:the|all|our|new) \w+ in|return|treat|model|represent)`
	choosing = `(?:using|going with|opting for|choosing|picking|settling on|sticking (?:with|to)|keeping|storing|switching to|moving to|migrating to|adopting|standardi[sz]ing on|defaulting to|basing|hosting|deploying (?:to|with|on)|targeting|relying on|naming|calling|pinning|splitting|replacing|dropping|putting|serving|caching|supporting|saving|moving|generating|versioning|signing|squashing|returning|treating)`
	chose    = `(?:used|went with|opted for|chose|picked|settled on|stuck (?:with|to)|kept|stored|switched to|moved to|migrated to|adopted|standardi[sz]ed on|defaulted to|based|hosted|deployed (?:to|with|on)|targeted|relied on|named|called|pinned|split|replaced|dropped|put|served|cached|supported|saved|moved)`
	proposal = `(?:propose|suggest|recommend|advise|vote for)`
)

var (
	// lead is what a proposal is for, and what it follows from.
	lead = `(?i)^((?:for|in|as|given|since|because|to) [^,]{2,80}, )?(?:(?:so|then|in that case|ok|okay|instead|therefore|and|or|alternatively|now|personally|also)[, ]+)?`
	// offers are the ways in which an agent proposes: after the lead, what.
	offers = []*pattern{
		lazily(lead + `(?:i(?:'d| would)?(?: strongly| also)? ` + proposal + `(?: that)? (?:we|you) (?:should |could )?|i(?:'d| would)?(?: strongly| also)? ` + proposal + ` (?:to )?|(?:i think |i believe |i'd say )?(?:we|you) (?:could|should|can|might) (?:just |simply )?|(?:should|shall|can|could) we |let's (?:just )?|(?:how|what) about (?:if )?(?:we|i) |what if (?:we|i) |i (?:propose|suggest|recommend): ?(?:we (?:should )?|to |let's )?|why don't we |why not (?:just )?|i(?:'d| would)(?: rather| just| simply)? |i(?:'m| am) inclined to |my (?:proposal|suggestion|recommendation|advice|preference)(?:: ?(?:we (?:should )?|to |let's )?| is(?: to)? | is that we (?:should )?| would be to )|(?:proposal|suggestion|recommendation): ?(?:we (?:should )?|to |let's )?|(?:should|shall) i (?:just )?|(?:do|would) you (?:want|like) (?:me|us) to |(?:the )?best (?:option|way|choice)(?: here)? (?:is|would be) to )(` + chosen + ` .+)$`),
		lazily(lead + `(?:i(?:'d| would)?(?: strongly)? ` + proposal + ` |(?:how|what) about |my (?:proposal|suggestion|recommendation)(?:: ?| is )|(?:proposal|suggestion|recommendation): ?)(` + choosing + ` .+)$`),
		lazily(lead + `what if (?:we|i) (?:just )?(` + chose + ` .+)$`),
		lazily(lead + `(?:i(?:'d| would)?(?: strongly)? (?:propose|suggest|recommend) |(?:how|what) about |my (?:proposal|suggestion|recommendation)(?:: ?| is ))((?:the )?` + "(?:`[^`]+`|[A-Z][\\w.+#-]*)" + `(?: [\w.+#-]+){0,3}?(?:,? (?:over|instead of|rather than|for|because|since|as) .+|\?)?)$`),
	}
	// confirms asks whether to go on with what was proposed.
	confirms = lazily(`(?i)^(?:(?:so|is that|is this|would that be|does that|does this|do(?:es)? (?:it|that|this)|are you)? ?(?:ok(?:ay)?|alright|fine|good|sounds? (?:good|okay|ok|right|reasonable|fine)|works?(?: for you)?|make sense|agree|agreed|acceptable|right|deal)(?: (?:with|for|by|to) (?:you|me|that))?|(?:shall|should|can|may) (?:i|we)(?: (?:do (?:that|it|so|this)|set (?:it|that|this) up|implement (?:it|that|this)|apply (?:it|that|this)|make (?:that|this|the) (?:change|switch)|go (?:ahead|on|for (?:it|that))|proceed|go with (?:that|it)|continue|start)(?: (?:with|on|like) (?:that|this|it))?)?|what do you (?:think|say|prefer)|(?:any )?(?:thoughts|objections)|do you agree|want me to (?:do (?:that|it|so)|go ahead|proceed)|(?:do|would) you (?:want|like) me to (?:do (?:that|it|so)|go ahead|proceed)|let me know(?: what you think| if (?:that|this) (?:works|is ok(?:ay)?|sounds good))?|yes or no|does that (?:work|sound (?:good|ok|right))(?: (?:for|to) you)?)[?.! ]*$`)
	// leavesOpen is an alternative that is left open.
	leavesOpen = lazily(`(?i)^(?:or|alternatively|otherwise we|another (?:option|way)|the other (?:option|way))\b`)
	// explains follows a proposal with its reason.
	explains = lazily(`(?i)^(?:because|since|that way|this way|so that|the reason|otherwise|it|it's|they|they're|that|this)\b`)

	assent = `(?:(?:oh |hell |ok(?:ay)?,? )?(?:yes|yep|yeah|yup|ya|aye|ok|okay|k|sure|agreed|i agree|absolutely|definitely|exactly|of course|alright|all right|right|fine|perfect|great|nice|cool|excellent|deal|approved|confirmed|correct|lgtm|sgtm|\+1|👍|good (?:idea|call|plan|point|choice)|great (?:idea|plan)|sounds (?:good|great|fine|reasonable|right|perfect)|makes sense|that makes sense|(?:that|this|it) works|works|(?:that|this)(?:'s| is) (?:fine|good|great|ok|perfect|right)|fine (?:by|with) me|i like (?:it|that)|love it|i'm (?:fine|ok|good) with (?:that|it)|why not|do (?:it|that|so|this)|do go ahead|let's do (?:it|that|this|so)|let's go(?: (?:for|with) (?:it|that))?|let's|go (?:ahead|for it|on|with (?:it|that))|please(?: do(?: (?:it|that|so))?| go ahead)?|thanks|thank you|proceed|make it so|ja|jawohl|gern|mach das|oui|sí|si|vale|d'accord|de acuerdo|claro|好的?|はい)(?: (?:to me|for me|by me|with me|please|thanks|thank you|then|too|that|indeed|ahead|with (?:that|it|your (?:suggestion|proposal|plan))|your (?:suggestion|proposal|plan)))*)`
	// accepts is assent, with nothing in it but what comes next.
	accepts = lazily(`(?i)^` + assent + `(?:(?: -|[,.!;:])* ` + assent + `)*(?:,? (?:and|then|now) [^?]{1,80}|,? (?:because|since|as) [^?]{1,80})?[.! 👍]*$`)
	// though is a reserve that leaves what was decided.
	though    = lazily(`(?i)[,.;]? (?:but|though|just|only) .+$`)
	turnsBack = lazily(`(?i)^(?:but|however|except|instead|actually|wait|no|not|although|hm+|on second thought|or|only if|unless)\b`)
	otherwise = lazily(`(?i)\b(?:not|instead|rather|except|don't|without)\b`)
	// soWe follows from what is said before it.
	soWe = lazily(`(?i)^([^,?]{8,120}), so ((?:i|we|let's|my)\b.+)$`)
)

// proposed is what the end of an agent's turn proposes: one thing, and nothing else
// is asked after it; or "".
func proposed(said []string) string {
	what, at := "", -1
	for n, s := range said {
		p := offered(s)
		if p == "" {
			continue
		}
		if what != "" {
			return "" // which of them?
		}
		what, at = p, n
	}
	if at < 0 {
		return ""
	}
	for n, s := range said[at+1:] {
		switch {
		case leavesOpen.MatchString(s):
			return ""
		case confirms.MatchString(s):
		case question(s):
			return ""
		case explains.MatchString(s) && n == 0 && len(what)+len(s) < maxContent-40:
			what = joined(what, s)
		}
	}
	return what
}

// joined is a proposal with the sentence after it.
func joined(what, next string) string {
	if low := strings.ToLower(next); strings.HasPrefix(low, "because ") || strings.HasPrefix(low, "since ") || strings.HasPrefix(low, "so that ") {
		return what + ", " + strings.ToLower(next[:1]) + next[1:]
	}
	return what + ". " + next
}

// offered is what a sentence proposes, as what was decided; or "".
func offered(s string) string {
	s = strings.TrimRight(s, "?.! ")
	why := ""
	if m := soWe.FindStringSubmatch(s); m != nil {
		why, s = m[1], m[2]
	}
	for n, re := range offers {
		m := re.FindStringSubmatch(s)
		if m == nil || steps.MatchString(m[2]) || alternatives.MatchString(m[2]) || passing.MatchString(s) || passes.MatchString(s) {
			continue
		}
		what := m[2]
		if alone.MatchString(s) && !reason.MatchString(s) {
			continue // a step of the work
		}
		if n == len(offers)-1 {
			what = "use " + what
		}
		what = "decided to " + plainVerb(what)
		switch {
		case why != "":
			what = "Since " + lowerFirst(why) + ", " + what
		case m[1] != "":
			what = m[1] + what
		}
		return strings.TrimSuffix(tidy(what), ".")
	}
	return ""
}

// alone is what the agent offers to do by itself, once.
var alone = lazily(`(?i)\b(?:i|me to) (?:just )?(?:move|put|replace|drop|split|rename|save|generate|return|call|name|pick|choose|host|pin|squash|sign|write)\b`)

// alternatives leave open which of two.
var alternatives = lazily(`(?i)\b(?:or|either|one of)\b`)

// plainVerb brings the verb that a proposal begins with into its plain form.
func plainVerb(s string) string {
	word, rest, _ := strings.Cut(s, " ")
	low := strings.ToLower(word)
	if to, ok := chosenForms[low]; ok {
		return to + " " + rest
	}
	return low + " " + rest
}

// chosenForms are the other forms of the verbs of chosen.
var chosenForms = forms(`use using used|go going went|opt opting opted|choose choosing chose|pick picking picked|settle settling settled|stick sticking stuck|keep keeping kept|store storing stored|switch switching switched|move moving moved|migrate migrating migrated|adopt adopting adopted|standardize standardizing standardized|standardise standardising standardised|default defaulting defaulted|base basing based|host hosting hosted|deploy deploying deployed|target targeting targeted|rely relying relied|name naming named|call calling called|pin pinning pinned|split splitting|replace replacing replaced|drop dropping dropped|put putting|serve serving served|cache caching cached|support supporting supported|save saving saved|generate generating generated|version versioning versioned|sign signing signed|squash squashing squashed|return returning returned|treat treating treated`)

func forms(s string) map[string]string {
	set := map[string]string{}
	for verb := range strings.SplitSeq(s, "|") {
		f := strings.Fields(verb)
		for _, w := range f[1:] {
			set[w] = f[0]
		}
	}
	return set
}

// assents says whether a turn of the user begins by accepting what was proposed.
func assents(turn, what string) bool {
	turn = strings.TrimSpace(straight.Replace(turn))
	if first, _, cut := strings.Cut(turn, "\n"); cut {
		turn = strings.TrimSpace(first)
	}
	if utf8.RuneCountInString(turn) > 400 {
		return false
	}
	list := sentences(turn)
	if len(list) == 0 {
		list = []string{turn}
	}
	first := list[0]
	for _, next := range list[1:] {
		if turnsBack.MatchString(next) {
			return false
		}
	}
	if cut := though.FindString(first); cut != "" && passing.MatchString(cut) {
		first = strings.TrimSuffix(first, cut)
	}
	return accepts.MatchString(first) && !otherwise.MatchString(first) || echoesIt(first, what)
}

// agreeing begins an answer that says again what was proposed.
var agreeing = lazily(`(?i)^` + assent + `[,.!;:]* +(?:let's |please |we should |we'll |do )*(.+?)[.! ]*$`)

// echoesIt says whether an answer agrees, and names nothing but what was proposed.
func echoesIt(s, what string) bool {
	m := agreeing.FindStringSubmatch(s)
	if m == nil || otherwise.MatchString(m[1]) || refuses.MatchString(m[1]) {
		return false
	}
	in := map[string]bool{}
	for _, w := range tokens(what) {
		in[stem(w)] = true
	}
	for _, w := range tokens(m[1]) {
		if !empty[w] && !in[stem(w)] {
			return false
		}
	}
	return len(tokens(m[1])) > 0
}

// goesFurther says more than that one agrees.
var goesFurther = lazily(`(?i)\b(?:and|then|now|but|always|never)\b`)

// accepted finds a proposal of the agent that the user's turn begins by accepting.
func (x *extraction) accepted(turn string) (Candidate, bool) {
	what := proposed(x.said)
	if what == "" || !x.work && !ofWork(strings.Join(x.said, " ")) && !reason.MatchString(what) || !assents(turn, what) {
		return Candidate{}, false
	}
	return decide(what, what, "", 0.65), true
}

// ofWork says whether a text names something of the work on a computer.
func ofWork(s string) bool {
	for _, w := range tokens(s) {
		if tools[w] {
			return true
		}
	}
	return technical(s)
}

// lastSentences are the last sentences of a text.
func lastSentences(s string) []string {
	if len(s) > maxClosing {
		s = s[len(s)-maxClosing:]
	}
	var list []string
	for _, block := range prose(s).blocks {
		list = append(list, sentences(block)...)
	}
	return list[max(0, len(list)-lastly):]
}
