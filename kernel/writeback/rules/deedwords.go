package rules

var (
	// adverbsOf may stand between a person and the verb.
	adverbsOf = words(`also just always often sometimes still only almost even ever kinda sorta quite rather first then now too actually
		finally recently lately currently already really totally gladly eventually since both all mostly definitely basically personally simply
		usually normally typically regularly generally literally initially originally once myself ourselves together proudly
		barely nearly officially successfully obviously certainly probably happily luckily previously secretly slowly
		suddenly sure never not soon super so pretty absolutely completely yesterday again instead up don't dont`)
	auxBe   = words(`am are was were be been being`)
	auxHave = words(`have had has 've`)
	auxDo   = words(`did do`)
	persons = words(`i we`)
	owners  = words(`my our`)
	groups  = words(`team band company group crew club choir orchestra business startup studio shop store department church community firm`)
	// phrasal are verbs of talk that with a particle tell a deed.
	phrasal = map[string]string{
		"checked": "out", "checking": "out", "dropped": "by off out", "looking": "into after", "looked": "after",
		"headed": "to over up down", "heading": "to over up down", "turned": "down into", "called": "off", "split": "up", "caught": "up",
		"signed": "up", "asked": "out", "talking": "into", "settled": "in down", "settling": "in down", "warming": "up", "bumped": "into",
		"teamed": "up", "teaming": "up", "hooked": "up", "showed": "up",
	}
	helping = words(`help helped helping`)
	mulling = words(`thinking considering contemplating dreaming planning`)
	// indefinite opens what is not there yet.
	indefinite = words(`a an more another some new`)
	abouts     = words(`of about on`)
	// supposing before a person makes of a deed a circumstance.
	supposing = words(`when whenever if unless how what where why like whether`)
	// leading are words after which "to" and a deed tell of a plan or of what came
	// about.
	leading = words(`plan planning planned going gonna want wanting wanna hope hoping hoped aim aiming intend intending decided decide
		determined managed had able lucky fortunate blessed privileged thrilled tempted got gotten get chance opportunity pleasure honor honour privilege used begin
		began beginning start started starting try trying tried learned learning agreed offered volunteered set arranged preparing
		prepared continued continue chose chosen supposed scheduled due invited asked hired selected accepted`)
	// idleState are participles that tell a state with to be.
	idleState = words(`done gone set lost finished prepared wrapped left tired`)
	// stricken are participles that tell with to be how somebody feels or fares.
	stricken = words(`absorbed accustomed affected alarmed amused annoyed ashamed astonished attached attracted baffled blessed blown bogged bored
		buried burned burnt captivated caught challenged charmed comforted compelled concerned confused connected consumed convinced crushed
		dazed delighted depressed devastated disgusted dismayed distracted disturbed drained drawn driven dumbfounded elated embarrassed
		enchanted encouraged energized engrossed enthralled enthused exhausted fascinated flattered flooded floored frazzled frightened
		frustrated fulfilled gutted heartbroken hooked horrified humbled inclined influenced intimidated intrigued irritated isolated
		mesmerized mortified obsessed occupied offended overjoyed overloaded overwhelmed overworked perplexed pleased preoccupied privileged
		puzzled recharged refreshed rejuvenated relaxed resigned saddened satisfied scared shaken shattered shocked slammed snowed spent
		stressed stretched struck stuck stumped stunned surrounded swamped swept tempted terrified thrilled tied torn touched traumatized
		troubled unsettled upset wiped worried worn wowed`)
	// weakForms are the forms of the weak verbs.
	weakForms = formsAmong(weakVerbs)
)
