package rules

// liking is a form in which people say what they like, want or aim at.
type liking struct {
	form       *pattern
	confidence float64 // how much the rule trusts it
}

// direct is how many of the forms, the first ones, are likings of something that
// is named beside them.
const direct = 6

// likes are the words of which a liking is made.
var likes = lazily(`(?i)\b(?:favou?rites?|faves?|enjoy\w*|lov(?:e[ds]?|ing)|lik(?:e[ds]?|ing)|hat(?:e[ds]?|ing)|prefer\w*|fan|passion\w*|interested|into|obsessed|fascinated|drawn|good|dreams?|goals?|plans?|somehow)\b`)

// mattering is how people feel about what matters to them.
const mattering = `(?:fulfilling|rewarding|freeing|liberating|satisfying|empowering|therapeutic|meaningful|gratifying)`

const i = `(?:i(?:'m| am|'ve| have|'d)?|we(?:'re| are|'ve| have)?) (?:also |been |both |all |just |really |usually |generally |normally |mostly |still |always |personally |strongly |particularly |especially |absolutely |do |totally |definitely |so |kinda |pretty |currently |more |mostly |mainly )*`

// likings are the forms in which people say what they like, and how much the
// rule trusts each.
var likings = []liking{
	{lazily(`(?i)\bi (?:\w+ )?(?:prefer|favou?r)\b`), 0.9},
	{lazily(`(?i)\b` + i + `(?:hate|dislike|despise|detest|can'?t stand|don'?t like|not (?:really |that |too |much |very |so |at all )*(?:into|interested in|keen on|fond of|big on|crazy about|good at)|never (?:really |much )?(?:liked|enjoyed|loved|cared for|got into)|dont like|not a fan of|allergic to|avoid)\b`), 0.8},
	{lazily(`(?i)\b` + i + `(?:love|like|enjoy|loved|liked|enjoyed|adore|loving|enjoying)\b`), 0.75},
	{lazily(`(?i)\b` + i + `(?:a (?:big |huge |total |real )?(?:fan of|fan|believer in|lover of)|into\b|passionate about|interested in|obsessed (?:with|by)|fascinated (?:with|by)|fond of|keen on|drawn to|dedicated to|committed to|addicted to|good at|looking for\b|up for|hoping to|getting into|got into|gotten into|all about)`), 0.75},
	{lazily(`(?i)\b(?:my|one of my) (?:\w+ ){0,2}(?:favou?rites?|faves?|passions?|hobb(?:y|ies)|dreams?|goals?|aims?|plans?|ambition|creative outlets?|go-to|focus|priority|priorities|main focus(?:es)?|style|thing)(?: (?:\w+ ){0,3}(?:is|are|was|to|for)\b|,|: |$)`), 0.75},
	{lazily(`(?i)\b(?:are|is|'s) (?:\w+ ){0,3}(?:my (?:\w+ )?(?:thing|passion|favou?rites?|faves?|hobby|go-to|jam)|one of my (?:\w+ )?(?:favou?rites?|faves?))\b`), 0.75},
	{lazily(`(?i)\b(?:helps?|guides?|lets|keeps?|gives?|inspires?|motivates?|makes?|reminds?|calms?|relaxes|brings?|teaches|drives?|energizes?|fuels?) (?:me|myself)\b`), 0.6},
	{lazily(`(?i)\b(?:is|are|was|were|'s|means?|meant|has been|been) (?:\w+ ){0,4}(?:(?:important(?: things?)?|special|dear|fulfilling|meaningful|valuable|inspiration|joy|interesting|calming|therapeutic|freeing|liberating) (?:to|for|in) (?:me|us|my life)|a lot to me|so much to me|everything to me|huge part of my|big part of my|my life)\b`), 0.65},
	{lazily(`(?i)\b(?:is|are|'s) something (?:that )?i (?:really )?(?:value|love|care about|enjoy|cherish)\b`), 0.75},
	{lazily(`(?i)^(?:\w+,? ){0,3}` + i + `(?:value|care about|believe in|dream of|aim to|hope to|plan to|want to|wanna|aspire to|strive to)\b`), 0.55},
	{lazily(`(?i)\bi(?:'ve| have) always (?:wanted|loved|liked|felt|been|dreamed|enjoyed|had)\b`), 0.8},
	{lazily(`(?i)\bmy (?:\w+ )?(?:love|passion|interest|obsession|admiration) (?:of|for|in)\b`), 0.6},
	{lazily(`(?i)\b(?:(?:is|are) what (?:gets?|keeps?|makes?|helps?|drives?) me|(?:is|are) what i (?:live for|love (?:most|best|doing)|do best)|(?:has|have|holds?) (?:a lot of |so much |great |special |deep )?(?:meaning|significance|sentimental value) (?:to|for) me|(?:is|are) (?:a |my )?(?:\w+ )?ways? for me to|(?:is|are|'s) (?:a |an |such a )?(?:\w+ ){0,2}(?:ways?|outlets?) (?:for me )?to (?:\w+ ){1,3}?(?:my|myself)\b|boosts? my)\b`), 0.65},
	{lazily(`(?i)^(?:lovin'?|loving|obsessed with) `), 0.4},
	{lazily(`(?i)\b` + i + `(?:admire|look(?:ing)? up to|idoli[sz]e|respect|in love with|crazy about|hooked on|nuts about|big on|partial to|dig|treasure|cherish|inspired by|influenced by|motivated by|curious about|devoted to|invested in|proud (?:owner|member|parent) of|can'?t (?:live|imagine life|get enough) (?:without|of)|never get tired of|(?:very |really )?(?:close to|attached to) my)\b`), 0.65},
	{lazily(`(?i)\b(?:are|is|was|were|'s|'re|been) (?:\w+ ){0,4}(?:my (?:\w+ )?(?:favou?rites?(?: \w+)?|faves?|team|hero|heroes|idol|idols|role model|rock|inspiration|escape|sanctuary|haven|happy place|safe (?:place|space|haven)|comfort (?:food|zone|show|movie|book)|therapy|guilty pleasure|specialty|speciality|strong suit|stress reliever|outlet|(?:\w+ )?therapy|calling|purpose|first love|bucket list|wish list|life)|one of my (?:\w+ )?(?:favou?rites?(?: \w+)?|passions|hobbies|goals|dreams|inspirations|heroes)|(?:a )?(?:goals?|dreams?|passions?|favou?rites?|hobb(?:y|ies)|habits?) of (?:mine|ours)|(?:on|at the top of) (?:my|our) (?:(?:bucket|wish|to-do|reading|watch|travel|must-\w+) ?)?list)\b`), 0.7},
	{lazily(`(?i)\b(?:fuels?|feeds?|lifts?|soothes?|warms?|clears?|fills?|eases?|settles?|recharges?|refreshes|calms?|brightens?|makes?|made|lights? up|frees?|nourishes|sparks?|boosts?|shapes?|shaped|changed|sharpens?|opens?|opened) (?:up )?my (?:\w+ )?(?:soul|heart|spirits?|mind|head|mood|day|creativity|imagination|nerves|energy|batteries|confidence|eyes|world|life|stress|anxiety|focus|outlook|perspective)\b`), 0.65},
	{lazily(`(?i)^(?:\S+ ){1,8}?(?:has|have)(?: also| really| truly| always| just)* (?:opened up|changed|shaped|taught|given|helped|brought|shown|inspired)\b.*\b(?:me|my life|(?:for|to) me|part of my)\b`), 0.55},
	{lazily(`(?i)^it(?:'s| is| was|'s been| has been| had been| has always been|'s always been) (?:(?:a|my|our|always|long|lifelong|one of my|long-time) )+(?:\w+ )?(?:dreams?|goals?|ambitions?|wish|plan|aim) (?:of mine |for me |for us |of ours )?to (?:\w+ ){2,}`), 0.7},
	{lazily(`(?i)\bmy (?:most |really )?(?:prized|treasured|cherished|beloved|precious|favou?rite) (?:possessions?|keepsakes?|items?|things?|treasures?|heirlooms?)\b`), 0.7},
	{someday, 0.7},
	{lazily(`(?i)^(?:\S+ ){1,6}?(?:is|are|was|'s|has been) (?:really |truly |kind of |kinda |almost |always |just |been )*(?:like )?(?:a |an |my |pure )?(?:therapy|therapeutic|meditation|heaven|home|magic|second nature|second home|a breath of fresh air|passion|hobby|form of \w+|kind of \w+|labor of love) (?:to|for) (?:me|us)\b|^(?:and )?for me,? [a-z]+ing? ?(?:\w+ ){0,3}is (?:about|a way|all about|the)\b`), 0.65},
	{lazily(`(?i)^i(?:'m)? (?:just |really |also )*hop(?:e|ing) (?:that )?(?:my|our) [\w' -]{2,30}? (?:can|will|could|to|gets?|makes?|reach(?:es)?|inspires?|helps?|becomes?|finds?|touch(?:es)?) (?:\w+ ){1,}`), 0.6},
	{lazily(`\b[Mm]y favou?rites?(?: \w+)?(?:,|:) ?"?[A-Z]`), 0.7},
	{lazily(`(?i)^(?:and |but |as )?(?:for me|personally),? it(?:'s| is| was) (?:all about )?\w{3,}`), 0.7},
	{lazily(`(?i)^it(?:'s| is) (?:always |so |really |super |such |very |been |also |pretty |truly |just )*` + mattering + ` (?:to me )?to (?:share|use|help|teach|express|spend|work|create|make|play|perform|build|grow|give|volunteer|mentor|write|paint|stay|learn|connect|inspire|support|contribute)\b.*\b(?:my|myself|others)\b`), 0.6},
	{lazily(`(?i)\bi (?:\w+ )?(?:work|write|learn|think|feel|perform|play|sleep|study|focus|create|function|relax) (?:best|better|well) (?:when|with|in|at|after|if|while|alone|under)\b|\bi find (?:calm|peace|comfort|joy|solace|inspiration) (?:in|when|by|through|while) |\bi find (?:it )?(?:\w+ ){1,3}(?:helps? me|relaxing|calming|inspiring|peaceful|soothing|therapeutic|peace|comfort|joy|calm|solace|inspiration)\b`), 0.7},
	{lazily(`(?i)\b` + i + `want (?:my|our) [\w' -]{2,30}? to (?:reach|be|make|have|inspire|grow|help|become|show|touch|bring|feel|connect)\b`), 0.6},
	{lazily(`^(?:"[^"]{2,60}"|(?:The )?[A-Z][\w']+(?: (?:of|the|and|in) )?(?: ?[A-Z][\w']+)+) (?:is|was) (?:(?:so|such|really|an?|absolutely|just|truly|definitely|pretty) )*(?:great|awesome|amazing|good|fantastic|brilliant|incredible|excellent|beautiful|classic|masterpiece|must-read|must-see|special|inspiring|the best|(?:awesome|great|amazing|fantastic|good|incredible) (?:\w+ ){0,2}(?:book|movie|film|show|series|novel|game|song|album|read|trilogy|author|band|artist|singer|player))\b`), 0.55},
	{lazily(`(?i)^i(?:'m| am) (?:so |really |super |very )*(?:excited|thrilled|stoked|pumped|psyched|buzzing|hyped|looking forward|eager) (?:to|about|for) (?:\S+ ){1,12}?(?:called "|(?-i:[A-Z][a-z]+))`), 0.55},
	{lazily(`(?i)\bi(?:'ve| have) (?:long |really )?wanted to (?:\S+ ){2,}?(?:since|for (?:a|as|so|years|ages|\w+ years))\b`), 0.7},
	{lazily(`(?i)\bi(?:'m| am) (?:more of )?(?:an?|the) (?:\w+ ){1,3}(?:person|guy|girl|kind of (?:person|guy|girl)|lover|fanatic|enthusiast|addict|nerd|geek|buff|junkie|freak|believer|foodie|bookworm|homebody)\b|\bi(?:'m| am) an? (?:\w+ )?(?:foodie|bookworm|homebody|introvert|extrovert|perfectionist|morning person|night owl|early bird|cinephile|gamer)\b`), 0.7},
	{lazily(`(?i)\b(?:is|are|was|has been|'s) (?:\w+ ){0,2}(?:my|our) (?:\w+ )?(?:way (?:of|to)|tradition|ritual)\b|\b(?:is|are|'s) an? (?:\w+ ){0,2}(?:tradition|ritual|staple|must)\b.* (?:our|my|us|me)\b`), 0.7},
}
