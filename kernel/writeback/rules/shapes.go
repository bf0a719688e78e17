package rules

import (
	"strings"
)

const (
	kinWord  = `(?:(?:\w+-)(?:year|month|week)-olds?|family|wife|husband|spouse|partner|boyfriend|girlfriend|fianc[eé]e?|ex|son|daughter|kids?|child|children|baby|twins?|youngest|oldest|eldest|mom|mum|mother|dad|father|parents|sisters?|brothers?|siblings?|grand\w+|grandma|grandpa|granny|aunt|uncle|cousins?|nephews?|nieces?|\w+-in-law|friends?|bestie|buddy|roommates?|flatmate|neighbou?rs?|colleagues?|co-?workers?|boss|manager|mentor|coach|teacher|professor|therapist|doctor|team|teammates?|band|company|dogs?|pup|puppy|cats?|kitten|pets?|turtles?|rabbit|hamster|parrot|horse|snakes?)`
	goodFeel = `(?:fulfilling|rewarding|freeing|liberating|satisfying|empowering|important|fun|great|nice|awesome|amazing|wonderful|lovely|special|therapeutic|relaxing|calming|exciting|inspiring|meaningful|good|hard|tough|difficult|scary|thrilling|enjoyable|gratifying|humbling)`
)

// invited says that others want the user for something.
var invited = lazily(`(?i)\b(?:they|he|she|we|[a-z]+) (?:just |even |also |recently )?(?:asked|invited|hired|chose|picked|selected|offered|promoted|nominated|signed|recruited|accepted|elected|commissioned|appointed) (?:me|us) (?:to (?:be|join|lead|teach|speak|perform|play|work|write|help|host|run|coach|become|do|show|present|exhibit|sing|paint|design|read|start|organi[sz]e|take|make|give)|as|for an?|an?|into|onto)\b`)

// shapes are sentences in which the user is not the one who acts, or not with a
// verb of his own, and what each adds to the weight.
var shapes = []struct {
	form *pattern
	adds int
}{
	// Somebody gave the user something, or asked him to be something.
	{lazily(`(?:^|[,.;] |\b(?:and|when|that|since|because) )(?:[Mm]y (?:\w+ ){1,3}|[Aa] (?:\w+ )?(?:friend|neighbou?r|colleague|relative|fan|client) (?:of mine )?|[A-Z][a-z]+ (?:and [A-Z][a-z]+ )?)(?:just |recently |also |once |even )*(?:got|gave|bought|made|sent|brought|knitted|baked|cooked|built|painted|wrote|taught|handed|lent|left|passed) (?:me|us) (?:an?|the|this|some|two|three|my|our|his|her|their|how)\b`), 3},
	{invited, 5},
	// What the user is about, and what he does not have.
	{lazily(`(?i)\bi(?:'m| am|'ve been| was)(?: \w+)? (?:in (?:talks|negotiations|contact) with|in the (?:process|middle) of (?:an?|my|our|\w+ing)|on (?:the|a) (?:waiting list|board|committee|team|mission)|off to (?-i:[A-Z])|on my way to becom)`), 3},
	{lazily(`(?i)\bi (?:don't|do not|never|dont)(?: (?:really|currently|even|actually|ever))? (?:have|had|own|eat|drink|smoke|drive) (?:(?:any|an?|my own) )?(?:(?:pets?|kids|children|siblings|brothers|sisters|family|parents|job|car|license|meat|fish|dairy|gluten|alcohol|coffee|caffeine|sugar|tv|pork|eggs|garden|roommates?|dogs?|cats?)\b)`), 5},
	{lazily(`(?i)^as an? (?:[\w-]+ ){0,3}` + roles + `(?: (?:myself|at|in|from|for) ?[\w ]*)?,? (?:i|my)\b`), 5},
	{lazily(`(?i)\b(?:my|our) (?:[\w'-]+ ){0,3}(?:book|novel|album|song|single|film|movie|play|show|exhibition|exhibit|shop|store|restaurant|cafe|bakery|business|app|game|podcast|course|story|poem|script|screenplay|painting|house|home|garden|studio|car|project|thesis|degree|website|blog|collection|sculpture|quilt) (?:is|are|was|got|has been)(?: (?:finally|now|almost|already|just|nearly|officially|all))+ (?:finished|done|ready|complete|completed|out|published|released|sold|open|restored|built|fixed|printed|launched|over|available)\b`), 3},
	// Where the user was, and what was when he was a child.
	{lazily(`(?i)^(?:(?:yesterday|recently|last \w+),? )?(?:i|we)(?:'ve)? (?:just |recently |also )?(?:was|were|been) (?:back |over |down |up )?(?:in|to) (?-i:[A-Z][a-z]{2,})`), 4},
	{lazily(`(?i)(?:^|, |\b(?:my|and|when) )(?:mom|mum|dad|grandma|grandpa|granny|grandmother|grandfather|mother|father|uncle|aunt|sister|brother|parents|folks) (?:first |also |once |always |even )?(?:signed|took|taught|gave|bought|showed|enrolled|drove|brought|raised|got|introduced|made|let|built|encouraged|inspired|helped|used to (?:take|tell|make|read|sing|play|bring|cook|bake|say|give)) (?:me|us)\b`), 4},
	{lazily(`(?i)^(?:and |then |back then,? )?(?:i|we)'d (?:always |often |usually |just )?(?:watch|play|spend|help|sit|cook|bake|go|visit|read|draw|ride|build|fish|listen|sing|dance|walk|make|collect)(?: \S+){0,6} (?:with|at|to|for) (?:my|our) ` + kinWord + `\b`), 5},
	// What goes on, and whom he is going to see about it.
	{lazily(`(?i)\bi(?:'m| am|'ll be|'ve been) (?:\w+ )?(?:carrying on|keeping up|keeping on|continuing|sticking with|persisting) (?:with )?(?:\w+ing|my|our|the)\b`), 3},
	{lazily(`(?i)\bi(?:'m| am) (?:\w+ )?(?:gonna|going to|planning to|hoping to|about to|meeting|talking) ?(?:to |with )?(?:chat|talk|speak|meet|connect|team up|get together|up)? ?(?:to|with) (?:my|our|an?|some|the|local|other|more|several|few) (?:\w+ )?(?:leaders?|organi[sz]ations?|teachers?|doctors?|therapists?|mentors?|producers?|publishers?|agents?|investors?|lawyers?|companies|company|schools?|groups?|artists?|experts?|professors?|coach(?:es)?|counselors?|team|clients?|shelters?|studios?|brands?|bands?)\b`), 4},
	// What befell the user.
	{lazily(`(?i)^(?:[\w,' -]{0,30}, )?(?:an? |some |the |my |our )(?:\w+ ){1,6}(?:hit|rear-ended|robbed|attacked|bit|stung|mugged|fired|evicted|crashed into|ran into|broke into|stole|damaged|destroyed|flooded) (?:me|us|my|our)\b`), 4},
	{lazily(`(?:^|[,.;] |\b(?:and|when|that|since|because) )(?:[Oo]ne of (?:the|my|our) (?:\w+ ){1,3}?)?(?:, )?[A-Z][a-z]+, (?:just |recently |also |once |even )*(?:gave|bought|made|sent|brought|wrote|taught|handed|lent|left|told|invited|helped) (?:me|us)\b`), 4},
	{lazily(`(?i)\b(?:i|we)(?:'ve)? (?:just |also |even |recently )*(?:asked|invited|convinced|persuaded|encouraged|got|talked) (?:my |our |some |a few |all |the )*(?:\w+ )?` + kinWord + `(?: and (?:my |our )?\w+)? (?:to|into) (?:join|try|come|start|play|help|take|visit|adopt|run|read|watch|sign|joining|trying|coming|starting|playing)\b`), 4},
	{lazily(`(?i)\b(?:his|her|its|their) names?(?:'s| is| are) (?-i:[A-Z][a-z]+)`), 3},
	// Those whom the user has.
	{lazily(`(?i)^(?:(?:yesterday|recently|last \w+|today|now),? )?(?:(?:both |all |one )(?:of )?)?(?:my|our) (?:\w+ )?` + kinWord + `(?:,? [A-Z][a-z]+,?)?(?:'s (?:name|birthday) is| (?:just |also |always |recently |even |still |never |really |both |all )*(?:is|was|are|were|has|had|have|loves?|loved|works?|worked|lives?|lived|plays?|played|passed away|died|got|gave|taught|helped|started|graduated|moved|married|wants?|wanted|likes?|enjoys?|enjoyed|runs?|owns?|owned|used to|came|went|bought|made|introduced|raised|grew|joined|turned|won|studies|teaches|comes?|gets?|goes|makes?|collects?))\b`), 2},
	{lazily(`\b(?:[A-Z][a-z]+|[Mm]y \w+) is (?:already |now |almost |just |about |only )?(?:\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) (?:years?|months|weeks) old\b`), 3},
	{lazily(`(?i)\b(?:thinking (?:about|of)|missing|remembering) my (?:late |dear )?` + kinWord + `\b`), 3},
	{lazily(`(?i)^(?:that's|this is|it's|these are|those are|here's|here are|meet) (?:my|our) (?:\w+ ){0,2}?` + kinWord + `\b`), 4},
	{lazily(`(?i)^(?:it's|it is|it was|this is|that's|these are|they're) from (?:my|our|a|an|the) (?:\w+ ){0,2}(?:trip|vacation|visit|holiday|honeymoon|tour|hike|wedding|show|concert|festival|game|party|race|retreat|workshop|class)\b`), 5},
	{lazily(`(?i)^(?:it's|it is|this is) an? (?:\w+ ){1,5}(?:of|from|for|that|by) .*\b(?:my|i|our)\b`), 2},
	{lazily(`(?i)\b(?:i|we)(?:'ve)? (?:just |have |had )*(?:got|adopted|rescued|found|bought) (?:him|her|them) (?:when|from|as|at|in|since|for|\w+ (?:years|months|weeks) ago|last)\b`), 4},
	{lazily(`(?i)\b(?:my|our) (?:\w+ ){0,2}(?:book|novel|album|song|single|film|movie|play|show|exhibition|exhibit|shop|store|restaurant|cafe|bakery|business|app|game|podcast|course|article|story|poem|script|painting)\b.{0,40} (?:comes? out|came out|launch\w*|opens?|opened|premier\w+|drops?|dropped|released?|(?:is|was|got|gets|being) (?:\w+ )?(?:published|accepted|selected|shown|featured|released|nominated))\b`), 3},
	// What the user did is the subject: touring with a band last week was wild.
	{lazily(`(?i)^(?:finally |just |actually )?(?:performing|playing|touring|visiting|travell?ing|hiking|driving|owning|winning|watching|meeting|attending|working|volunteering|teaching|learning|moving|living|building|making|cooking|baking|painting|writing|reading|running|swimming|surfing|climbing|camping|exploring|growing|raising|adopting|starting|finishing|getting|going|graduating|singing|dancing|recording|shooting|filming|hosting|organi[sz]ing|competing|training|coaching|mentoring|studying|skiing|riding|flying|sailing|diving|fishing|gardening|opening|running|launching|becoming|joining|losing|fixing|restoring|designing) (?:\S+ ){2,14}?(?:was|has been|were) (?:so |really |such |super |pretty |quite |absolutely |truly |just |definitely |a |an |the |my )*(?:wild|amazing|awesome|great|fun|incredible|unreal|magical|tough|hard|wonderful|special|dream come true|blast|challenge|highlight|fantastic|unforgettable|surreal|rewarding|epic|insane|crazy|best|favou?rite|experience|thrill|joy|honou?r)\b`), 3},
	// It was fun to do so with them.
	{lazily(`(?i)^it(?:'s| is| was|'s been| has been| feels| felt) (?:always |so |really |super |such |very |been |also |pretty |truly |just |a )*` + goodFeel + ` (?:to (?:share|use|help|teach|express|spend|work|create|make|play|perform|build|grow|give|volunteer|mentor|write|paint|cook|explore|travel)|(?:sharing|using|helping|teaching|spending|working|creating|making|playing|performing|building|giving|volunteering|mentoring|writing|painting|cooking|exploring|travelling|traveling))\b.*\b(?:my|our) (?:\w+ )?` + kinWord + `\b`), 2},
	// What was, and is thought of.
	{lazily(`(?i)^i(?:'ll| will) (?:never forget|always (?:remember|cherish|treasure))\b`), 4},
	{lazily(`(?i)\b(?:takes|took|brings|brought|reminds|reminded) (?:me|us) (?:back to|of) (?:(?:my|our|an?|the) )?(?:\w+ )?(?:trips?|vacations?|visits?|holidays?|honeymoon|tour|journey|time|days|childhood|adventure|summers?|hike|wedding|camp\w*)\b.* (?:to|in|at|with|when|we|i)\b`), 4},
	// What the user was able to do, or is about to.
	{lazily(`(?i)\b(?:i|we)(?:'ve)? (?:also |just |even |recently |finally |actually )*(?:(?:had|have had|got|have|been given|was given) (?:the|a|an) (?:\w+ )?(?:chance|opportunity|pleasure|honou?r|privilege)|(?:was|were) (?:really |so |also )?(?:lucky|fortunate|able|honou?red|invited|asked|chosen|selected|accepted|hired|promoted|picked)|managed|got) (?:enough )?to (?:meet|see|play|perform|visit|work|find|join|speak|go|attend|try|learn|travel|take|make|watch|build|help|teach|ride|drive|swim|win|open|buy|collaborate|tour|record)\b`), 2},
	{lazily(`(?i)\b(?:one|an|my|our|the) (?:\w+ )?(?:idea|plan|goal|dream|hope|thing) (?:(?:i|we) (?:have|had)|(?:of mine|for me|for us)|(?:right now|this year|next))? ?(?:is|was) to\b`), 2},
	{lazily(`(?i)^(?:i|we) always look forward to (?:my|our|the)\b`), 2},
	{lazily(`(?i)^i was reminded of (?:an?|my|our|the) (?:\w+ )?(?:trip|vacation|visit|holiday|honeymoon|tour|time|days|childhood|adventure|summer|hike|wedding|camp\w*)\b.* (?:to|in|at|with|when|we|i)\b`), 4},
	{lazily(`(?i)^i'll be (?:teaching|working|performing|playing|starting|attending|moving|visiting|travell?ing|hosting|leading|speaking|running|competing|studying|taking|volunteering|coaching|mentoring|launching|opening|releasing|joining|going to (?:a|an|the|my))\b`), 4},
	{lazily(`\b[Ii](?:'ve| have) (?:never|only|already|always) (?:been to|visited|lived in|seen|tried|met) (?:the )?[A-Z]\w+|\b[Ii](?:'ve| have) been to (?:the )?[A-Z]\w+`), 2},
	{lazily(`(?i)^i can (?:also |even |actually )?(?:play|speak|cook|bake|sing|juggle|dance|ski|draw|sew|drive|ride|fly|sail|knit) \w+`), 2},
	{lazily(`(?i)\bi (?:\w+ )?(?:get|have|suffer from|struggle with|live with|deal with) (?:\w+ )?(?:migraines?|headaches|allerg\w+|asthma|anxiety|depression|diabetes|insomnia|adhd|autism|dyslexia|arthritis|(?:panic|anxiety) attacks|back pain|celiac|epilepsy|tinnitus|eczema)\b`), 3},
	{lazily(`(?i)\bi(?:'m| am|'ve been) (?:\w+ )?(?:focused|focusing|concentrating) on (?:my|an?|our|the)\b`), 2},
	{lazily(`(?i)\b(?:we|and i)(?:'ve| have) been (?:\w+ )?(?:together|married|friends|engaged|dating|neighbou?rs|roommates|best friends|partners)\b`), 4},
	{lazily(`(?i)\b(?:my|our) (?:\w+ ){0,2}(?:wedding|exams?|finals|surgery|recital|interview|audition|graduation|due date|flight|trip|tour|show|exhibition|exhibit|competition|tournament|birthday|anniversary|concert|race|marathon|defen[cs]e)\b.{0,20} (?:is|are) (?:set|scheduled|planned|coming up|on|in|next|this)\b`), 2},
	{lazily(`(?i)\bi(?:'ve| have) been (?:\w+ )?(?:involved (?:in|with)|active in|part of|a member of) (?:\w+ )?(?:a|an|the|my|our|some|two|several|\w+ing)\b`), 3},
	{lazily(`(?i)\b(?:i|we)(?:'ve)? (?:\w+ ){0,2}(?:say|said|saying) goodbye to (?:(?:my|our) \w+|(?-i:[A-Z][a-z]+))`), 5},
	{lazily(`(?i)\b(?:i|we)(?:'ve| have) had (?:him|her|them) (?:for|since) \w+`), 5},
	{lazily(`(?i)^(?:when i was (?:a |an )?(?:\w+ )?(?:kid|child|teen|teenager|boy|girl|little|young|younger|small)|as a (?:kid|child|teen|teenager)|growing up),? (?:i|we)(?:'d| would| used to) (?:\w+ )?(?:spend|go|play|help|watch|visit|sit|build|make|read|draw|paint|cook|bake|fish|ride|work|collect|sing|dance|swim|run|walk|listen|stay|take)\b`), 5},
	// How the user is, for long.
	{lazily(`(?i)\b(?:i'm|i am|we're|we are) (?:also |now |both )?expecting (?:a|our|my|twins|another)\b`), 3},
	{lazily(`(?i)\bi(?:'ve| have) been (?:an? )?(?:[a-z-]*[a-fh-z] )(?:\w+ ){0,3}(?:for (?:over |about |almost |nearly |the (?:last|past) )?(?:\w+ )?(?:years|months|decades|a (?:year|decade))|since)\b`), 2},
	{lazily(`(?i)\bi(?:'m| am) (?:\w+ )?allergic\b|\bmy (?:\w+ )?(?:allerg(?:y|ies)|asthma|anxiety|depression|diabetes|migraines?|insomnia|adhd|autism|dyslexia|arthritis|disability|injury|diagnosis|surgery|recovery)\b`), 2},
	{lazily(`(?i)\b(?:my|i)\b.* as an? (?:\w+ )?(?:woman|man|mother|father|mom|dad|parent|teacher|student|artist|musician|nurse|engineer|veteran|immigrant|writer|athlete|player|volunteer|mentor|coach)\b`), 3},
	{lazily(`(?i)^i(?:'m| am) (?:\w+ ){0,2}(?:friends with|engaged|married|divorced|pregnant|expecting (?:a|my|our|twins)|retired|dating|a member of|a part of|part of (?:a|an|the|our|my)|the captain|captain of|(?:in|on) (?:a|the|my) (?:[\w'-]+ ){0,2}(?:relationship|band|team|choir|club|year|grade|program|course|class)|in charge of|responsible for|self-employed|unemployed|enrolled|majoring|certified|licensed|vegan|vegetarian)\b`), 3},
	{lazily(`(?i)^(?:this is|it's) (?:\w+ ){0,3}(?:for|of|from|with) (?:my|our) (?:\w+ )?(?:band|company|business|shop|store|team|blog|channel|club|studio|book|album|garden|farm|charity|class|school|project|car|house|home)\b`), 4},
	{lazily(`(?i)^it's (?:a|an|the|my|our) (?:first |second |new |latest |next |own )?(?:\w+ ){0,2}(?:project|job|business|album|book|album|band|shop|store|blog|company|studio)\b`), 2},
}

// frequently is said of what is done again and again.
var frequently = lazily(`(?i)\b(?:(?:i|we|and i) (?:also )?(?:usually|often|regularly|typically|normally|sometimes|always)|as usual|as always|(?:hang out|play|travel|read|cook|bake|go out|practi[cs]e|train|work out|write|paint|watch|listen|run|hike|visit|see each other|swim|dance) (?:\w+ ){0,3}a lot|all the time|every (?:day|week|weekend|month|year|morning|evening|night|summer|winter|spring|fall|christmas|sunday|monday|friday|saturday|time|other|single)|(?:once|twice|(?:two|three|four|several|a few|\d+) times) (?:a|every|or twice a|per) \w+|on (?:the )?(?:weekends?|sundays?|saturdays?|fridays|mondays|weekdays|holidays)|(?:in|during) (?:my|our) (?:free|spare|down)[- ]?time|during (?:the )?(?:holidays|summers?|winters?)|in the (?:mornings?|evenings?|afternoons?)|after (?:school|work|a (?:long|busy) day)|before bed|from time to time|each (?:year|week|month|day|summer)|these days|daily|weekly|regularly|most (?:days|weekends|mornings))\b`)

// shaped adds up the shapes that a sentence has.
func shaped(s string) int {
	n := 0
	for _, f := range shapes {
		if f.form.MatchString(s) {
			n = max(n, f.adds)
		}
	}
	if frequently.MatchString(s) {
		n++
	}
	return n
}

// inner is a part of a sentence that says more than the whole: now that I'm a manager.
var inner = lazily(`(?i)\b(?:now that|because|since|even though|although|that) (i(?:'m| am) (?:(?:an? |the )(?:[\w-]+ ){0,3}?[\w-]+|allergic[^,.;]*))(?:[,.;]| and | but | - |$)`)

// innermost is the clause that says who the user is, of a sentence that is vague.
func innermost(s string) string {
	if m := inner.FindStringSubmatch(s); m != nil && identity.MatchString(m[1]) {
		return strings.TrimSpace(m[1])
	}
	return ""
}
