package rules

import (
	"regexp"
	"strings"
)

var (
	// Who the user is.
	identity = regexp.MustCompile(`(?i)\b(?:my (?:full |first |last |nick)?name(?:'s| is)|(?:you can |please )?call me (?-i:[A-Z])|i (?:\w+ )?work (?:at|for|as|on|in|with|from|during|remotely|part-time|full-time|nights)|i(?:'m| am) (?:an? |the )?(?:\w+[ -]){0,4}(?:engineer|developer|designer|manager|student|teacher|researcher|scientist|writer|architect|consultant|freelancer|founder|cto|ceo|lead|analyst|admin|sysadmin|nurse|doctor|artist|musician|lawyer|beginner|vegan|vegetarian|vegetarisch|programmer|maintainer)|i(?:'m| am) (?:from|based in|living in|allergic to|new to|colou?r-?blind|deaf|blind|left-handed|married|single|divorced|transgender|\d+ years old)|i (?:\w+ )?(?:live|study|grew up|was born|moved) (?:in|at|near|from|to)|my (?:time ?zone|birthday|email|pronouns|native language|mother tongue|hometown|keyboard|os|editor|shell|machine|laptop|setup|github|job|role|title|company|employer|team) (?:is|are)|i (?:only )?speak|i use (?:a |an |the )?[A-Za-z]|i(?:'m| am) (?:on|running) (?:an? |the )?(?:mac\w*|windows|linux|ubuntu|arch|debian|fedora|nixos|wsl|m[1-5])\b)`)
	own      = regexp.MustCompile(`(?i)\bi(?:'m|'ve|'d)?\b|\bmy\b|\bwe(?:'ve|'re)?\b|\bour\b|\bme and my\b`)
	elided   = regexp.MustCompile(`(?i)^(?:just |finally |recently |lately |currently |been |also )*(?:got|dyed|started|finished|bought|took|went|made|visited|joined|adopted|working|playing|reading|learning|practicing|volunteering|studying|planning|writing|moved|booked|signed|had)\b`)
	happened = regexp.MustCompile(`(?i)\b(?:i|we|i've|we've|i'm|we're|me)(?: (?:have|had|was|were|am|are|been|just|also|finally|recently|even|already|still|actually|currently|really|gladly|lately|since|then|now|both|even|only|mostly|and))*(?: (?:my|[a-z]+) (?:and i )?)?? (?:adopted|bought|got|found|finished|completed|started|starting|joined|joining|graduated|passed|won|took|taken|entered|received|earned|moved|moving|married|visited|visiting|went|gone|traveled|travelled|hiked|attended|met|made|making|built|painted|painting|wrote|written|writing|published|recorded|performed|performing|played|playing|learned|learning|learnt|practicing|volunteer(?:ed|ing|s)?|signed|quit|lost|broke|injured|ran|run|led|leading|hosted|organi[sz]ed|organi[sz]ing|created|creating|designed|designing|pitched|sold|launched|baked|cooked|cooking|grew|planted|saw|watched|watching|read|reading|booked|planning|plan|work(?:ing|ed)?|studying|studied|teaching|taught|coaching|coached|mentor(?:ing|ed)?|training|trained|raising|raised|promoted|hired|accepted|applied|researching|blogging|doing|taking|looking|putting|getting|trying|named|drew|drawing|customi[sz]ed|shooting|shot|dyed|struggled|own|have|has|had|live|lived|teamed|used|use|create|mentor|call(?:ed)?|realized|worked|set|chose|picked|testing|tested|exploring|freelanc\w+|campaigning|running|swimming|growing|collecting|collected|hanging|hang|start|having|walking|walked|came|faced|fostered|rescued|survived|recovered|scored|contributed|interviewed)\b`)
	when     = regexp.MustCompile(`(?i)\b(?:yesterday|growing up|as a (?:kid|child)|last (?:week|weekend|month|year|night|summer|winter|spring|fall|autumn|mon|tues|wednes|thurs|fri|satur|sun)\w*|(?:two|three|four|five|six|a few|few|\d+) (?:days?|weeks?|months?|years?) ago|this (?:week|weekend|month|year|summer|morning)|next (?:week|weekend|month|year)|recently|lately|since (?:i|last|\d{4})|in \d{4}|for (?:\d+|two|three|four|five|six|ten|many|several) (?:years|months)|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october|november|december|these days|every (?:day|week|morning|weekend))\b`)
	life     = words(`family wife husband partner boyfriend girlfriend son daughter kid kids child children baby mom mum mother dad father parents sister brother grandma grandmother grandpa grandfather aunt uncle cousin friend friends colleague colleagues neighbor neighbour dog dogs puppy pup cat cats kitten pet pets turtle turtles fish horse job work career company business startup promotion manager boss office school class classes course college university degree exam exams project projects research thesis conference workshop seminar internship book books novel script screenplay story article articles blog poem painting paintings drawing drawings art artwork music song songs album band concert tour guitar piano violin drums drum instrument video film movie movies show series game games gaming tournament team league match championship trophy hiking hike camping trip travel vacation road roadtrip flight tour beach mountains festival parade museum park garden gardening yoga meditation gym workout kickboxing running marathon surfing swimming climbing soccer football basketball tennis chess volunteer volunteering charity shelter community church club group program mentorship house home apartment car bike motorcycle house kitchen recipe recipes cooking baking cake dinner restaurant allergies allergy allergic health injury surgery therapy doctor diagnosis depression anxiety wedding birthday anniversary engagement pregnant adoption pottery photography camera collection store shop brand fans label studio event politics convention local hair workspace schedule routine library visuals characters engineering website freelance teen teens student students education neighborhood neighbourhood nature camping colleagues convention infrastructure counseling`)
	moods    = regexp.MustCompile(`(?i)\b(?:so |really |very |super |incredibly |extremely )?(?:happy|glad|proud|grateful|thankful|excited|stoked|thrilled|pumped|lucky|amazed|honou?red|impressed|sorry|sure|ready|okay|fine|bummed|overwhelmed|hyped|relieved|curious|jealous|determined|down|off|in)\b`)
	// Verbs of a moment's talk.
	talk    = regexp.MustCompile(`(?i)\bi(?:'m|'ve|'d|'ll)?(?: (?:am|have|also|just|really|totally|completely|so|definitely|do|can|can't|cant|could|cannot|would|will|couldn't|don't|dont))* (?:agree|appreciate|hope|think|guess|bet|wonder|see|understand|know|mean|wish|promise|swear|hear|feel|believe|imagine|remember|forget|forgot|admire|respect|let|keep|recommend|advise|suggest|thank|doubt|wait|say|tell|need|get it|look forward|looking forward|check|definitely|want|must|should|got it|had to|have to)\b`)
	future  = regexp.MustCompile(`(?i)\b(?:i'll|i will|we'll|we will|let's|lets|can't wait|cant wait|gonna|i'd|i would|see you|talk to you|catch up|keep me posted|let me know|keep you)\b`)
	deictic = regexp.MustCompile(`(?i)\b(?:here's|here is|check (?:it|this|out)|look at|take a look|this pic|that pic|this photo|that photo|the photo|this picture|in the pic|(?:this|that|the|these|another) (?:\w+ ){0,2}(?:pics?|photos?|pictures?|shots?)|(?:have|got) (?:a few|some|any) (?:\w+ )?(?:recommendations|tips|suggestions|ideas|questions|advice)|worth a)\b`)
)

// fact finds what the user says about himself and his life.
func fact(s *statement) (Candidate, bool) {
	text := told(trimmed(strings.TrimRight(s.text, "!. ")))
	if s.pasted || doubtful(s.text) || question(text) {
		return Candidate{}, false
	}
	if len(tokens(text)) < 3 || partner.MatchString(text) && !identity.MatchString(text) {
		return Candidate{}, false
	}
	if identity.MatchString(text) && !passes.MatchString(text) && !vague(text) && !(s.work && troubled.MatchString(text)) && !momentaryUse(text) {
		return aboutUser(Fact, tidy(third(text)), 0.85), true
	}
	if crafted(text) >= 2 || s.work && (technical(text) || weight(text) < 5) || begins.MatchString(text) {
		return Candidate{}, false
	}
	score := weight(text)
	if score < 3 {
		return Candidate{}, false
	}
	c := aboutUser(Fact, tidy(dated(subject(text), s)), min(0.9, 0.4+float64(score)*0.05))
	if when.MatchString(text) {
		c.Type = episodic
	}
	return c, true
}

var (
	thisWork = regexp.MustCompile(`(?i)\b(?:when i use|if i use|i use (?:it|this|that|the)|work on (?:this|that|the|#|task))\b`)
	troubled = regexp.MustCompile(`(?i)\b(?:but|fails?|failed|errors?|gets?|got|doesn'?t|not working|issues?|bugs?|crash\w*|broken|trying|now)\b`)
)

// momentaryUse says whether "I use" and "I work on" are about this moment.
func momentaryUse(s string) bool {
	return momentary.MatchString(s) || technical(s) && thisWork.MatchString(s)
}

// weight says how much a sentence tells of the user's life.
func weight(s string) int {
	event := happened.MatchString(s) || leavesOut(s) || habit.MatchString(s) || deed(s)
	if !event && !own.MatchString(s) {
		return 0
	}
	score := 0
	if event {
		score += 2
	}
	if when.MatchString(s) {
		score++
	}
	if fresh.MatchString(s) {
		score++
	}
	nouns := 0
	for _, w := range tokens(s) {
		if life[w] {
			nouns++
		}
	}
	score += min(nouns, 2)
	if properNames(s) > 0 {
		score++
	}
	for _, against := range []*regexp.Regexp{talk, future, deictic} {
		if against.MatchString(s) {
			score -= 2
		}
	}
	if vague(s) {
		score--
		if len(tokens(s)) < 9 {
			score--
		}
	}
	if moods.MatchString(s) && nouns == 0 {
		score--
	}
	return score
}

// gerund is a subject of its own: learning it was hard.
var gerund = regexp.MustCompile(`(?i)^\w+ing (?:\S+ ){0,9}?(?:is|are|has|have|was|were|can|helps?|makes?|gives?|feels?|felt|brings?|takes?)\b`)

// leavesOut says whether a sentence leaves out that it is about who says it.
func leavesOut(s string) bool {
	return elided.MatchString(s) && !gerund.MatchString(s) && (!general.MatchString(s) || ongoing.MatchString(s))
}

var (
	fresh   = regexp.MustCompile(`(?i)\b(?:a|an|my|another|two|three|some) (?:\w+ )?new \w+`)
	habit   = regexp.MustCompile(`(?i)\b(?:i|we|my \w+ and i) (?:also )?(?:usually|often|regularly|typically|sometimes|always) [a-z]+`)
	general = regexp.MustCompile(`(?i)^\w+ing\b`)
	ongoing = regexp.MustCompile(`(?i)^\w+ing (?:on|at|with|for|from) (?:a|an|my|this|the|some|another|two)\b`)
	deeds   = regexp.MustCompile(`(?i)\b(?:i|we)(?:'ve)? (?:(?:have|also|just|finally|recently|even|then|once|both) )*([a-z]{2,}ed|tried|spent)\b`)
	idle    = words(`wanted needed liked loved hoped asked agreed noticed guessed seemed mentioned suggested decided wondered enjoyed wished missed used happened looked talked chatted appreciated expected imagined remembered learned realized laughed smiled helped called turned ended relaxed freaked excited interested supposed`)
)

// deed says whether somebody tells what he did, whatever it was.
func deed(s string) bool {
	m := deeds.FindStringSubmatch(s)
	return m != nil && !idle[strings.ToLower(m[1])]
}

// properNames counts the words within a sentence that begin with a capital.
func properNames(s string) int {
	n := 0
	for i, w := range strings.Fields(s) {
		if i > 0 && len(w) > 2 && w[0] >= 'A' && w[0] <= 'Z' && !strings.HasPrefix(w, "I'") {
			n++
		}
	}
	return n
}

// subject puts the user where a sentence leaves him out.
func subject(s string) string {
	if own.MatchString(s) && !elided.MatchString(s) || gerund.MatchString(s) {
		return third(s)
	}
	word, rest, _ := strings.Cut(s, " ")
	if strings.EqualFold(word, "been") {
		return "The user has been " + third2(rest)
	}
	if strings.HasSuffix(strings.ToLower(word), "ing") {
		return "The user is " + strings.ToLower(word) + " " + third2(rest)
	}
	return "The user " + strings.ToLower(word[:1]) + word[1:] + " " + third2(rest)
}

// third2 is third for a sentence whose subject was named.
func third2(s string) string {
	named := true
	return owned(s, &named)
}

// dated adds the day on which it was said to what is told by it.
func dated(s string, st *statement) string {
	if st.time.IsZero() || !when.MatchString(s) {
		return s
	}
	return strings.TrimRight(s, ". ") + " (said on " + st.time.UTC().Format("2006-01-02") + ")"
}
