package rules

var (
	// idles are likings, aims and comforts of nothing that one could remember: of
	// what was just shown, of the moment, of doing well.
	idles = []*pattern{
		// What is seen: it looks so cosy.
		lazily(`(?i)\b(?:it|that|this|they|everything|you|he|she) (?:just |really |all |both )*(?:look|looks|looked)\b|\bhere(?:'s| is| are)\b|^let's\b`),
		lazily(`(?i)\b(?:love|like|enjoy|adore|dig) (?:all )?the (?:\w+[ -]){0,5}(?:themes?|looks?|vibes?|energy|thought|thoughts|concept|notion|name|title|choice|mix|combo|combination|detail|details|pattern|patterns|colou?rs?|leaves|texture|shade|shades|layout|setup|style|mood|message|symbolism|meaning|quote|effort|enthusiasm|attitude|mindset|spirit|positivity|passion|dedication|support|suggestions?|recommendations?|advice)(?:,? (?-i:[A-Z]\w+))?$`),
		// It or this, whatever it is.
		lazily(`(?i)\b(?:loving|liking|enjoying|hating|adoring|digging) (?:it|this|that|them|these|those|every|how|what|the (?:progress|process|journey|view|moment|vibe|energy))\b|\b(?:love|like|enjoy)(?:s|d)? (?:seeing|watching|hearing|having|knowing) (?:it|this|that|them|these|those|him|her|everyone|people|you|how|what|so|the)\b`),
		// To get somewhere, to do good, to go on: who does not want it?
		lazily(`(?i)\b(?:want|wanna|hope|hoping|aim|aiming|strive|striving|plan|planning|looking forward|committed|dedicated|excited|determined|eager|trying|try)(?: to)?(?: (?:just|always|really|also|definitely|be|do))* (?:to |on )?(?:keep|keeping|continue|continuing|go on|stay|staying|remain|get better|getting better|improve|improving|grow|growing|learn|learning|do better|do well|do more|do my best|do our best|make|making|create|creating|see|seeing|hear|hearing|know|knowing|find out|finding out|experience|experiencing|share|sharing|be|being|have|having|push|pushing|take|taking|enjoy|enjoying|try|trying|succeed|win|move forward|experimenting)(?: (?:to|on|up|out|making|doing|going|being|working|pushing|improving|growing|learning|trying|moving|striving|creating|a|an|the|my|our|some|more|new|better|good|great|real|big|bigger|huge|positive|positively|strong|true|happy|healthy|motivated|focused|forward|together|fun|enjoyable|amazing|it|this|that|them|in|for|with|and|of|best|most|self|myself|ourselves|whole|exciting|special|memorable|wonderful|incredible|lots|many|as|much|so|even|what|how|where|we|i|can|they|do|goes|comes|next|happens|changes?|difference|impact|progress|world|place|people|things?|others|memories|moments|experiences|life|everyone|everything|person|version))*$`),
		// Looking forward to what has no name.
		lazily(`(?i)\blook(?:ing)? forward to (?:it|that|this|them|seeing|hearing|finding|creating|making|sharing|experimenting|continuing|learning|growing|whatever|what|more|the (?:next|future)|meeting|catching|chatting|talking|hanging|spending|having|getting|being|doing)\b`),
		lazily(`(?i)\b(?:toward|towards|reach\w*|achiev\w+|follow\w*|pursu\w+|chas\w+|crush\w*|hit|hitting|meet|meeting|on|about|up to) (?:my|our) (?:\w+ )?(?:goals?|dreams?|passions?|plans?|aims?|priorities)$|\b(?:love|like|enjoy)(?:s|d)? (?:just )?(?:chilling|unwinding|taking (?:it )?in|soaking (?:it )?(?:in|up))\b`),
		// What is only pointed at: this is one of my favourite spots, keen on two projects.
		lazily(`(?i)^(?:this|that|these|those|it|they)(?:'s| is| are|'re| was| were)(?: \w+){0,2}? my (?:\w+ )?favou?rites?(?: (?:spots?|places?|ones?|pics?|pictures?|photos?|shots?|pieces?|moments?|things?|parts?|memory|memories|times?|days?))?(?: (?:to|for|of|from|so|too)\b[^,]*)?$`),
		lazily(`(?i)\b(?:interested in|keen on|up for|into|fan of|focus on|passionate about|committed to) (?:(?:the|a|an|this|that|these|those|any|some|all|two|three|several|both|many|few|such) )+(?:new |next |big |good |other |different |tough |exciting |great )?(?:projects?|challenges?|ideas?|tasks?|things?|options?|plans?|adventures?|opportunit(?:y|ies)|possibilit(?:y|ies)|experiences?|journeys?|topics?|subjects?|stuff|results?|outcomes?|process|future|ride|change)(?: in particular| now| too| ahead| right now)?$`),
		// Wishes, and what would help.
		lazily(`(?i)^(?:i )?(?:just |really |kinda )?wish(?:ing|ed)? |\bfingers (?:are )?crossed\b|\b(?:it|this|that|they|these|those)(?:'ll| will| should| would|'d| could| can| may)\b[^,]* me\b`),
		lazily(`(?i)\b(?:looking for|interested in|up for|open to|keen on|into) (?:(?:\w+ ){0,3})(?:ideas?|tips?|advice|recommendations?|suggestions?|inspiration|input|feedback|opinions?|help|guidance|support|pointers)(?: too| as well| on\b.*| for\b.*| about\b.*)?$`),
		lazily(`(?i)\b(?:want|wanna|hope|hoping|plan|planning|need|like) (?:to )?(?:\w+ )?(?:solidify|finali[sz]e|polish|finish|sort out|figure out|nail down|think through|work out|settle|firm up|wrap up|get through|get) (?:it|this|that|the|everything|things|all) ?(?:\w+ )?(?:plan|plans|details|idea|ideas|first|out|done|right|sorted|up|down|before|soon)?(?: first| soon| now)?$`),
		lazily(`(?i)\b(?:love|like|enjoy|into|obsessed with|believe in) (?:working|doing|playing|reading|watching|using|making|being|going|talking|hearing|seeing|looking|having|trying|listening)? ?(?:on |with |to |at |in |about )?(?:it|them|us|him|her|this|that|these|those)\b(?: so much| a lot| too| to \w+(?: out| up| down)?)?$`),
		lazily(`(?i)\b(?:'d|would) (?:\w+ )?(?:love|like) to \w+ (?:it|them|that|this|those|these|there|one|him|her|some)\b`),
		lazily(`(?i)^(?:these|those|such|(?:moments|times|days|things|people|experiences) like (?:this|that|these|those))(?: \w+){0,2} (?:is|are|were|was) (?:exactly |part of )?(?:why|what|when|the reason)\b|\bha(?:ve|s) (?:such )?a way of (?:\w+ing)\b`),
		lazily(`(?i)\b(?:reminds?|reminded|reminder for) (?:me|us) (?:(?:to|that|how) (?:always |just |never |we |i )*)(?:slow down|appreciate|enjoy (?:the )?(?:small|little|every|life|moment)|be (?:grateful|thankful|patient|present)|cherish|stay (?:true|strong|positive|humble|grounded|focused)|keep (?:going|pushing|trying)|never give up|give up|take (?:time|it|things)|important|precious|lucky|much|strong|beautiful|amazing|far)\b`),
		// To see where it goes.
		lazily(`(?i)\b(?:excited|stoked|curious|eager|thrilled|pumped|interested|waiting|ready|happy|keen)(?: to)? (?:see|find out|discover|learn|know|hear|watch) (?:where|what|how|which|who|when|if)\b`),
		// Any people, any good.
		lazily(`(?i)\b(?:love|like|enjoy)(?:s|d)? (?:to )?(?:make|making|see|seeing|meet|meeting|be|being) (?:with |around )?(?:people|others|everyone|folks|someone|everybody|them)(?: happy| smile| laugh| out| feel \w+)?$`),
		lazily(`(?i)\b(?:bring|brings|get|gets|let|lets|put|puts|hold|holds|keep|keeps|drag|drags|bog|bogs|tear|tears|wear|wears|stop|stops) (?:this |it |that |anything |them )?(?:bring |get |hold |keep |stop )?me (?:down|back|out|off guard)\b|\b(?:won't|don't|not|never|can't) let\b`),
	}
	// comforts is what helps, guides and moves somebody.
	comforts = lazily(`(?i)^(.*?)\b(?:helps?|guides?|lets|keeps?|gives?|inspires?|motivates?|makes?|reminds?|calms?|relaxes|brings?|teaches|drives?|energizes?|fuels?) (?:me|myself)\b`)
)

// idly says whether a liking is of nothing in particular.
func idly(s string) bool {
	for _, re := range idles {
		if re.MatchString(s) {
			return true
		}
	}
	return false
}

// sourced says whether what helps or moves the user is named: painting and my
// team, not silver linings.
func sourced(s string) bool {
	m := comforts.FindStringSubmatch(s)
	if m == nil {
		return true
	}
	w := tokens(m[1])
	if lifeNouns(w) > 0 || properNames(s) > 0 || closest(m[1]) || firstMine.MatchString(m[1]) {
		return true
	}
	list := clauses(m[1])
	first := tokens(list[len(list)-1])
	return len(first) == 0 || !unsourced[first[0]] && !(is(first[0], "g") && weakForms[first[0]])
}

// unsourced begin what helps somebody and is not named.
var unsourced = words(`their his her its your this that it they these those he she life knowing being seeing hearing feeling having finding getting keeping
	everything something anything nothing things people somebody someone everyone who which what moments stuff
	accomplishment accomplishments achievement achievements success successes progress winning losing failure failures challenge challenges
	obstacles setbacks support encouragement feedback praise compliments kindness compassion gratitude positivity optimism hope love joy happiness
	laughter smiles memories moments words pictures photos images quotes reminders experiences conversations chats talking sharing change growth
	determination hard confidence courage strength teamwork freedom beauty all every any some such each one`)
