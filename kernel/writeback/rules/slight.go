package rules

// slights are ways to say nothing that have the shape of a tale, and what each
// takes from the weight. A careful reader keeps none of them for itself.
var slights = []struct {
	form  *pattern
	takes int
}{
	// How it feels to know, see or have something, rather than what was done.
	{lazily(`(?i)^(?:just |and |but )?(?:knowing|seeing|hearing|realizing|realising|witnessing|feeling|being|having|thinking|noticing|getting to (?:see|know|hear|feel)|helping|sharing|finding|keeping|staying) (?:\S+ ){0,14}?(?:is|are|was|were|has been|feels|felt|makes?|made|gives|gave|means|meant|helps?) `), 2},
	{lazily(`(?i)^(?:it|that)(?:'s| is| was|'s been| has been| feels| felt| makes me feel| made me feel) (?:\w+ ){0,4}?(?:to|(?:that|when|how)) (?:see|know|hear|have|be|feel|witness|think|find|get|watch|realize|remember|be able|people|others|someone)\b`), 2},
	{lazily(`(?i)^(?:it|that)(?:'s| is| was|'s been| has been| feels| felt) (?:\w+ ){0,4}?(?:seeing|knowing|hearing|having|being|feeling|witnessing|thinking|finding|getting|watching|realizing|remembering)\b`), 2},
	// What others tell, and nobody knows of whom.
	{lazily(`(?i)\b(?:read|saw|heard|watched|found|came across|seen|reading|watching) (?:an?|this|that|the|some|one) (?:\w+ ){0,2}(?:story|stories|article|post|quote|clip|meme|tweet|news|interview|report|video|documentary|book|movie|film|show) (?:(?:about|of|on|from|by) )?(?:an? (?:guy|man|woman|person|kid|girl|boy)|someone|somebody|people|how|why|what)\b`), 2},
	{lazily(`(?i)^it(?:'s| is| was) (?:\w+ )?an? (?:pity|shame|bummer|relief|blessing|joy|treat|pleasure|good thing|bad thing|miracle|wonder)\b|^(?:the )?(?:last|first|next|only) time (?:i|we)\b[^,]*$`), 2},
	{lazily(`(?i)\b(?:something|things?|stuff|a lot|lots|much) (?:\w+ )?(?:happened|came up|went (?:wrong|down|on)|changed|has changed|going on)\b`), 2},
	// What winning, losing and being there felt like.
	{lazily(`(?i)^(?:just |finally |actually )?(?:winning|losing|finishing|playing|performing|competing|being|getting|reaching|achieving|overcoming|succeeding|making) ?(?:it|that|them|there|this)? (?:is|was|feels|felt|has been) (?:\w+ ){0,4}(?:thrill|amazing|awesome|incredible|great|fun|rush|feeling|moment|blast|high|relief|tough|hard|unreal|best|crazy|wild|insane|magical|special)\b`), 3},
	{lazily(`(?i)\b(?:always|constantly|still|just|ever|really) (?:looking|trying|working|striving|aiming|pushing|hoping) to (?:up|improve|better|raise|hit|push|get|do|be|grow|learn|reach|beat|level|outdo|challenge)\b|\btempted to\b|\bfingers (?:are )?crossed\b|^(?:i )?wish (?:i|we|my)\b|\b(?:excited|stoked|curious|eager|thrilled|pumped|ready) to (?:see|find out|hear|know|learn) (?:where|what|how|if)\b`), 3},
	{lazily(`(?i)\b(?:found|find|finding|came across|discovered|stumbled (?:up)?on) (?:an?|some|the|another|this|that|my|our) (?:even )?(?:\w+ ){0,2}(?:spots?|ideas?|ways?|tips?|tricks?|places?|options?|stuff|things?)\b`), 2},
	{lazily(`(?i)\b(?:i|we)(?:'ve|'d)? (?:just |already |also |even )*(?:tried|try|trying|made|got|found|saw|bought|started|considered) (?:making |doing |getting |using |having |finding |buying |writing )?(?:one|some|any|it|that|those|them)\b(?: (?:but|once|before|too|myself|and|yet)\b.*)?$`), 2},
	// Nothing but effort, and what comes of it.
	{lazily(`(?i)\b(?:(?:dig|dug|digging) deep|keep (?:on )?(?:pushing|going|trying|fighting|moving|striving|working|improving|learning|growing)|(?:push|pushed|pushing) (?:on|through|past|forward|ahead|myself|ourselves|each other|the limits|our limits|my limits)|(?:hang|hung|hanging) in there|(?:pull|pulled|pulling) (?:it off|through|together)|(?:came|come|coming|stick|stuck|sticking|pulled) together|(?:am|was|were|been|be|being) there for|each other's backs?|in (?:it|this) together|mak(?:e|ing) (?:it work|ends meet|it happen)|made it (?:work|happen|worth)|(?:pays?|paid|paying) off|(?:turn|turned|turning) (?:it|things) around|(?:get|got|getting) (?:the hang of|used to|through|over|past|going|back on track|it together)|(?:give|gave|giving|given) it (?:my|our) (?:all|best)|(?:do|did|doing|done|try|tried|trying) (?:my|our) (?:very )?best|(?:work|worked|working) (?:so |really |super |very )?hard|(?:take|took|taking) (?:it (?:easy|slow)|one step|things slow)|had to (?:\w+ )?(?:push|overcome|fight|struggle|adapt|adjust|figure|deal|reach out|work hard|be)|bonded|clicked|hit it off)\b`), 1},
	{lazily(`(?i)\b(?:ma[dk]e|making) (?:\w+ )?(?:a|an|the|some|real|much) (?:\w+ )?(?:difference|impact|change|progress)\b|\b(?:make|made|making) (?:some |lots of |such |so many )?(?:\w+ )?memories\b|\b(?:raise|raised|raising) (?:some|a lot of|lots of|enough) (?:funds|money)\b|\b(?:help|helped|helping) (?:\w+ )?(?:those|people|others|everyone|folks|anyone) (?:in need|out)?|\b(?:respond|responded|responding) to (?:a|the|any|all) (?:\w+ )?(?:situation|call|emergency|need)s?\b|\b(?:spend|spent|spending) (?:\w+ ){0,3}time (?:together|with|\w+ing)\b|\b(?:share|shared|sharing) (?:\w+ ){0,2}(?:laughs|memories|moments|ideas|thoughts|stories)\b`), 1},
}

// nameless are deeds done to what has no name, whenever it was.
var nameless = []*pattern{
	lazily(`(?i)\b(?:looking|searching|asking|hunting|look|need|want) (?:for )?(?:some|a few|any|more|new|good) (?:\w+ ){0,3}(?:ideas?|tips?|advice|recommendations?|suggestions?|inspiration|input|feedback|pointers)\b`),
	// What is only pointed at or shown.
	lazily(`(?i)\b(?:i|we)(?:'ve|'m|'re|'d)? (?:\w+ ){0,3}?[a-z]+(?:ed|ing|[a-z]) (?:(?:up|out|on|in|with|at|across|upon|into|off|over|about|for|through) )*(?:this|that|these|those) (?:\w+ )?[a-z]+(?: (?:there|here|too|now|once|before|already|lately|recently|earlier|yesterday|with (?:them|him|her|us)|while \w+))?$`),
	lazily(`(?i)\b(?:i|we)(?:'ve)? (?:\w+ )?(?:have|had|got|took|take|snapped|shot|made|found|kept) (?:an?|some|lots of|a lot of|many|a few|so many|more|tons of|another)(?: of)? (?:my |our )?(?:\w+ )?(?:pics?|pictures?|photos?|shots?|snaps?|selfies?|images?|videos?)(?: (?:of (?:it|them|me|us|this|that|these|those|him|her)|from (?:it|this|that|then|the \w+)|here|there|during|with)\b.*)?(?:[,-].*)?$`),
	// What has no more than a name for things of its kind.
	lazily(`(?i)\b(?:had|have|did|made|took|went through|faced|got|working on|worked on|been (?:on|through)|found|tried|started|finished|doing|planning) (?:an?|some|another|my|our|the|two|three|several|a few|something) (?:(?:\w+-)?(?:similar|same|new|big|huge|small|little|cool|great|nice|fun|awesome|amazing|unexpected|interesting|crazy|wild|tough|different|exciting|recent|important|special|personal|bit of an?|major|real) )*(?:experiences?|projects?|incidents?|things?|situations?|places?|events?|trips? to (?:an?|some) (?:new |different )?place|activit(?:y|ies)|stuff|issues?|problems?|challenges?|adventures?|ideas?|plans?|sketches|notes|sketches and notes|notes and sketches|lists?|stories to tell|discussions?)(?: (?:lately|recently|too|myself|like that|as well|before|once|on (?:my|the|our) way(?: \w+)?|right now|today|these days|to (?:tell|share|do|finish)))*(?:(?: -|,| and it| but it).*)?$`),
	lazily(`(?i)^(?:it|this|that) (?:just |really )?reminds (?:me|us) of (?:an?|the|my|our) \w+ (?:i|we) (?:took|had|made|saw)(?: last \w+| once| before| recently)?$`),
	lazily(`(?i)^my (?:\w+ )?(?:dogs?|cats?|pup|puppy|kitten|pets?|turtles?|snakes?)(?: \w+)? (?:just |also )?(?:came|ran|jumped|sat|slept|barked|snuggled|curled|climbed)\b.* me\b`),
}

var (
	// unnamed is what "we" did when nobody says who they are.
	unnamed = lazily(`(?i)^(?:(?:and|but|so|then|plus|also|yeah|last \w+|yesterday),? )*we(?:'ve|'re|'d)?\b`)
	// titleless is a work or a place that is told of and not named, and entitled
	// what says more of it.
	titleless = lazily(`(?i)\b(?:read|reading|played|playing|watched|watching|saw|seen|heard|visited|tried|found|discovered|listened to|came across|checked out|use|used) (?:an?|this|that|one|some|certain) (?:\w+ ){0,2}(?:book|novel|game|movie|film|show|series|song|story|place|spot|podcast|video|article|documentary|restaurant|cafe|method|technique|app|site|website)\b`)
	entitled  = lazily(`(?i)\b(?:fantasy|sci-fi|science|mystery|thriller|romance|romantic|historical|history|horror|self-help|cook|cooking|strategy|adventure|role-playing|board|card|puzzle|crime|detective|biographical|comic|graphic|poetry|psychology|superhero|animated|war|spy|dystopian|non-?fiction|classic|racing|fighting|survival|simulation|multiplayer|open-world|platform|animation|rock|jazz|folk|country|classical|italian|japanese|chinese|thai|indian|mexican|french|korean|vietnamese|greek|vegan|seafood|vegetarian|about|called|named|titled|by|on|set in|from|like|based|where|for|near|with|to)\b`)
	// circumstance begins what tells when, and subjects are whose it may be.
	circumstance = lazily(`(?i)^(?:every time|each time|whenever|when|while|once|as soon as|until|because|cause|'cause|since) [^,]{3,60}$`)
	subjects     = lazily(`(?i)\b(?:i|we|it|that|this|they|he|she)(?:'\w+)?\b|\bmy \w+`)
	// happens is an event of which nothing is said.
	happens = lazily(`(?i)\b(?:something|things?|stuff) (?:\w+ )?(?:happened|came up|went (?:wrong|down|on))\b`)
)

// slight says how much of the weight of a sentence, with its words and the place
// of its deed, is taken by what tells nothing. Who, and when, makes it a tale
// again.
func slight(s string, w []string, verb int) int {
	n := 0
	if circumstance.MatchString(s) && len(subjects.FindAllString(s, 2)) < 2 {
		n += 3
	}
	named := properNames(s) > 0
	if !named && titleless.MatchString(s) && !entitled.MatchString(s) || happens.MatchString(s) {
		n += 2
	}
	if named {
		return n
	}
	for _, re := range nameless {
		if re.MatchString(s) {
			n += 2
		}
	}
	if when.MatchString(s) {
		return n
	}
	for _, l := range slights {
		if l.form.MatchString(s) {
			n += l.takes
		}
	}
	if verb > 0 && weak(w[verb]) && !(is(w[verb], "p") && lifeNouns(w[verb:]) > 0) && unnamed.MatchString(s) && !frequently.MatchString(s) && !closest(s) {
		n++
	}
	return n
}
