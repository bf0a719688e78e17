package rules

import (
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

var (
	decided = lazily(`(?i)^(?:(?:ok|okay|so|yes|yeah|alright|right|then|and|in the end|after (?:some|a) discussion|final(?:ly)?|decision:?)[,:]? )*((?:(?:we|i)(?:'ve| have| had)? (?:decided|agreed|settled|concluded|chosen|chose|opted|picked|ruled)|we(?:'re| are)? (?:going|gonna go|went|go|sticking|staying) with|i(?:'m| am) going with|the decision is|it(?:'s| is| was) decided|wir haben (?:uns )?(?:\S+ )*(?:entschieden|beschlossen)|nous avons (?:décidé|choisi)|on a décidé|(?:hemos )?decidi(?:do|mos)|我们决定|決定)(?:\b| ).+)$`)
	chooses = lazily(`(?i)^(?:(?:ok|okay|so|yes|yeah|yep|sure|alright|right|then|and|no|great|good|fine|agreed|sounds good|makes sense|in that case|for .{3,50})[,.:!]? )*((?:let'?s|we'?ll|we will|we should|we'?re going to|i'?ll|we can just) (?:just |only |rather |all )?(?:go with|use|call|name|stick (?:with|to)|keep|store|switch to|move to|adopt|standardi[sz]e on|default to|base|put|extract|avoid|settle on|support|drop|replace|target|rely on|deploy (?:to|with)|save) .+)$`)
	wants   = lazily(`(?i)^(?:and |also |so |plus |now )*((?:i|we)(?:'d| would)?(?: also)? (?:want|like|need) (?:all |the |our |every |each |any )?[\w@/` + "`" + `' -]{2,60}? to (?:be (?:stored|kept|called|named|placed|written|in|on|under|the|a|sorted|shown|hidden|optional|required|created|done|run)|contain|include|have|live|use|stay|default|point|follow|start with|end with|support)\b.+)$`)
	reason  = lazily(`(?i)\b(?:because|since|so that|as it|as this|due to|in order to|otherwise|the reason|bc|weil|damit|parce qu|car|porque|因为)\b`)
	// What is done once, or says nothing without what was said before.
	steps = lazily(`(?i)\b(?:one of them|that one|this one|the (?:first|second|third|last|next|former|latter|other) (?:one|option)?|option (?:\d|[a-d])\b|first$|^\S+(?: \S+)? (?:it|them|both)$|those|these|now|next|again|this (?:bug|error|issue|change|task|file)|that (?:bug|error|issue|change|task|file)|your (?:suggestion|approach|idea|plan|version))\b`)
	// reserved is what may be decided otherwise.
	reserved = lazily(`(?i),? (?:and|but|or) (?:if|maybe|perhaps|possibly)\b.*$`)
	trying   = lazily(`(?i)\b(?:try|see if|figure out|look at|check|find|think about|talk about|discuss|start|continue|fix)\b`)
	refuses  = lazily(`(?i)\b(?:no|not|but|instead|rather|wait|first|however|except)\b`)
)

// decision finds what was decided.
func decision(s *statement) (Candidate, bool) {
	if s.specified() {
		return Candidate{}, false
	}
	text := strings.TrimRight(s.text, "!. ")
	if s.unsaid(text) {
		text = reserved.ReplaceAllString(text, "")
	}
	if s.unsaid(text) || passes.MatchString(text) || s.brief() {
		return Candidate{}, false
	}
	if pointed.MatchString(text) || deeds.MatchString(text) {
		return Candidate{}, false
	}
	heads := headed.MatchString(text)
	text = headed.ReplaceAllString(text, "$1")
	if m := decided.FindStringSubmatch(text); m != nil && (s.about(text) || s.work && (settled.MatchString(m[1]) || s.weighed(text)) && !steps.MatchString(text)) {
		return decide(m[1], text, s.next, 0.85), true
	}
	if heads && s.work && len(tokens(text)) >= 3 && !steps.MatchString(text) {
		return decide(text, text, s.next, 0.8), true
	}
	if !s.about(text) && !(s.work && s.weighed(text)) || steps.MatchString(text) {
		return Candidate{}, false
	}
	if m := chooses.FindStringSubmatch(text); m != nil && (len(tokens(m[1])) >= 4 || len(tokens(m[1])) == 3 && ofWork(m[1])) && (!trying.MatchString(m[1]) || reason.MatchString(text)) {
		return decide(m[1], text, s.next, 0.65), true
	}
	if m := wants.FindStringSubmatch(text); m != nil && !s.opens {
		return decide(m[1], text, s.next, 0.6), true
	}
	return Candidate{}, false
}

var (
	// headed says that what follows is decided.
	headed = lazily(`(?i)^(?:(?:so|ok|okay|final|our|the|my)[,:]? )*decision(?: made)?(?:: | - )(?:we(?:'ve| have) decided (?:to|that) )?(.+)$`)
	// pointed is known only to who heard what was said before; deeds are done once.
	pointed = lazily(`(?i)\b(?:with|use|keep|on|for) (?:it|that|this|these|those)(?: then| instead)?$`)
	deeds   = lazily(`(?i)\bdecided to (?:re-?run|re-?start|run|fix|check|look|try|debug|commit|push|revert|continue|wait|skip|go (?:home|back|on)|ask|call it)\b`)
	// settled is what only a choice is said of.
	settled = lazily(`(?i)\b(?:decided (?:on|against|in favou?r of)|agreed on|settled (?:on|for)|chose|chosen|opted for|picked|ruled out|going with|went with|sticking with|staying with|go with)\b`)
)

// weighed says whether what is chosen is of the work, and a reason is given.
func (s *statement) weighed(text string) bool {
	return ofWork(text) || reason.MatchString(text) || because.MatchString(s.next) && !unsaid(s.next)
}

var because = lazily(`(?i)^(?:because|since|that way|this way|so that|the reason|otherwise|it(?:'s| is| will|'ll) (?:faster|simpler|safer|cheaper|easier|more|less|better)|weil|parce que|porque)\b`)

// decide makes a candidate of a decision, with the reason in the sentence after
// it.
func decide(what, text, next string, confidence float64) Candidate {
	c := Candidate{Target: memory.ScopeProject, Category: Decision, Type: semantic, Importance: 0.7, Confidence: confidence}
	if because.MatchString(next) && !unsaid(next) && len(what)+len(next) < maxContent {
		what = strings.TrimRight(what, ". ") + ". " + next
		text = next
	}
	if reason.MatchString(text) || because.MatchString(text) {
		c.Importance, c.Confidence = 0.8, min(1, confidence+0.15)
	}
	c.Content = tidy(third(what))
	if worldly.MatchString(what) {
		c.Target = memory.ScopeGlobal
	}
	return c
}
