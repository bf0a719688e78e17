package rules

import (
	"strings"
	"unicode/utf8"
)

// roles are what people are.
const roles = `(?:engineer|developer|designer|manager|student|teacher|researcher|scientist|writer|architect|consultant|freelancer|founder|cto|ceo|lead|analyst|admin|sysadmin|nurse|doctor|artist|musician|lawyer|beginner|vegan|vegetarian|vegetarisch|programmer|maintainer|mom|mum|mother|dad|father|parent|grandma|grandpa|grandmother|grandfather|widow|widower|accountant|actor|actress|astronomer|athlete|author|baker|banker|barber|barista|bartender|biologist|blogger|bookkeeper|broker|builder|butcher|captain|carpenter|cashier|chef|chemist|clerk|coach|comedian|composer|contractor|cook|counselor|counsellor|dancer|dentist|detective|dietitian|director|dj|doula|driver|drummer|economist|editor|electrician|entrepreneur|farmer|filmmaker|firefighter|florist|gamer|gardener|geologist|guitarist|hairdresser|historian|illustrator|immigrant|instructor|intern|interpreter|investor|janitor|journalist|judge|landscaper|librarian|lifeguard|linguist|marine|mathematician|mechanic|medic|midwife|minister|model|mortician|nanny|novelist|nutritionist|officer|optician|painter|paralegal|paramedic|pastor|pediatrician|pharmacist|photographer|physicist|pianist|pilot|plumber|poet|policeman|politician|postdoc|potter|principal|producer|professor|psychiatrist|psychologist|publicist|ranger|realtor|receptionist|recruiter|refugee|reporter|retiree|sailor|salesman|salesperson|screenwriter|sculptor|seamstress|secretary|sergeant|singer|soldier|sommelier|sophomore|freshman|songwriter|streamer|supervisor|surfer|surgeon|surveyor|tailor|technician|teen|teenager|therapist|trainer|translator|trucker|tutor|twin|undergrad|undergraduate|veteran|veterinarian|vet|violinist|vlogger|volunteer|waiter|waitress|welder|youtuber|worker)`

var (
	// Who the user is.
	identity = lazily(`(?i)\b(?:my (?:full |first |last |nick)?name(?:'s| is)|(?:you can |please )?call me (?-i:[A-Z])|i (?:\w+ )?work (?:at|for|as|on|in|with|from|during|remotely|part-time|full-time|nights)|i(?:'m| am) (?:an? |the )?(?:\w+[ -]){0,4}` + roles + `\b|i(?:'m| am) (?-i:[A-Z]\w+), (?:an? |the )(?:\w+[ -]){0,4}` + roles + `\b|i(?:'m| am) (?:an only child|(?:the|my \w+'s) (?:youngest|oldest|eldest|middle)|from|based in|living in|allergic(?: to|$)|(?:lactose|gluten|dairy)[ -]intolerant|diabetic|asthmatic|dyslexic|autistic|epileptic|celiac|bilingual|new to|colou?r[- ]?blind|deaf|blind|left-handed|married|single|divorced|transgender|\d+ years old)|i (?:\w+ )?(?:live|study|grew up|was born|moved) (?:in|at|near|from|to)|my (?:time ?zone|birthday|email|pronouns|native language|mother tongue|hometown|keyboard|os|editor|shell|machine|laptop|setup|github|job|role|title|company|employer|team) (?:is|are)|i (?:only )?speak|i use (?:a |an |the )?[A-Za-z]|i(?:'m| am) (?:on|running) (?:an? |the )?(?:mac\w*|windows|linux|ubuntu|arch|debian|fedora|nixos|wsl|m[1-5])\b)`)
	// seesRole is said of somebody else who is it: I'm going to see my doctor.
	seesRole = lazily(`(?i)\bi(?:'m| am) (?:\w+[ -]){0,3}(?:my|our|his|her|their|with|by|see|seeing|meeting|hearing|of|proud|for) (?:\w+[ -]){0,2}` + roles + `\b`)
	own      = lazily(`(?i)\bi(?:'m|'ve|'d)?\b|\bmy\b|\bwe(?:'ve|'re)?\b|\bour\b|\bme and my\b`)
	elided   = lazily(`(?i)^(?:just |finally |recently |lately |currently |been |also )*(?:thinking (?:of|about) \w+ing|considering \w+ing|got|dyed|started|finished|bought|took|went|made|visited|joined|adopted|working|playing|reading|learning|practicing|volunteering|studying|planning|writing|moved|booked|signed|had)\b`)
	when     = lazily(`(?i)\b(?:yesterday|growing up|as a (?:kid|child)|last (?:week|weekend|month|year|night|summer|winter|spring|fall|autumn|mon|tues|wednes|thurs|fri|satur|sun)\w*|(?:two|three|four|five|six|a few|few|\d+) (?:days?|weeks?|months?|years?) ago|this (?:week|weekend|month|year|summer|morning)|next (?:week|weekend|month|year|spring|summer|fall|autumn|winter)|in (?:the )?(?:spring|summer|fall|autumn|winter)|recently|lately|since (?:i|last|\d{4})|in \d{4}|for (?:about |over |almost |nearly |around |more than |at least |the (?:last|past) )?(?:\d+|an?|two|three|four|five|six|seven|eight|nine|ten|a few|a couple of|many|several|some) (?:years?|months?|weeks?|decades?)|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october|november|december|these days|every (?:day|week|morning|weekend))\b`)
	moods    = lazily(`(?i)\b(?:so |really |very |super |incredibly |extremely )?(?:happy|glad|proud|grateful|thankful|excited|stoked|thrilled|pumped|lucky|amazed|honou?red|impressed|sorry|sure|ready|okay|fine|bummed|overwhelmed|hyped|relieved|curious|jealous|determined|down|off|in)\b`)
	// Verbs of a moment's talk.
	talk    = lazily(`(?i)\bi(?:'m|'ve|'d|'ll)?(?: (?:am|have|also|just|really|totally|completely|so|definitely|do|can|can't|cant|could|cannot|would|will|couldn't|don't|dont))* (?:agree|appreciate|hope|think|guess|bet|wonder|see|understand|know|mean|wish|promise|swear|hear|feel|believe|imagine|remember|forget|forgot|admire|respect|let|keep|recommend|advise|suggest|thank|doubt|wait|say|tell|need|get it|look forward|looking forward|check|definitely|want|must|should|got it|have to)\b`)
	future  = lazily(`(?i)\b(?:i'll|i will|we'll|we will|let's|lets|can't wait|cant wait|gonna|i'd|i would|see you|talk to you|catch up|keep me posted|let me know|keep you)\b`)
	deictic = lazily(`(?i)\b(?:here's|here is|check (?:it|this|out)|look (?:at|what|who|how)|take a look|this pic|that pic|this photo|that photo|the photo|this picture|in the pic|(?:this|that|the|these|another) (?:\w+ ){0,2}(?:pics?|photos?|pictures?|shots?)|(?:have|got) (?:a few|some|any) (?:\w+ )?(?:recommendations|tips|suggestions|ideas|questions|advice)|worth a)\b`)
)

// fact finds what the user says about himself and his life.
func fact(s *statement) (Candidate, bool) {
	if s.pasted || s.doubtful(asking.ReplaceAllString(meanwhile.ReplaceAllString(s.text, ""), "asked to")) && !invited.MatchString(s.text) {
		return Candidate{}, false
	}
	text := s.tells()
	if m := presumes.FindStringSubmatch(s.text); m != nil {
		text = told(plainly(m[1]))
	}
	if shows := displayed(text); shows != "" {
		text = shows
	}
	if len(tokens(text)) < 3 || question(text) {
		return Candidate{}, false
	}
	if c := innermost(text); c != "" && (vague(text) || talk.MatchString(text)) && !passes.MatchString(text) && !s.work {
		return aboutUser(Fact, s.personal(third(c)), 0.7), true
	}
	if identity.MatchString(text) && !seesRole.MatchString(text) && !passes.MatchString(text) && !vague(text) && !(s.work && troubled.MatchString(text)) && !momentaryUse(text) {
		return aboutUser(Fact, s.personal(third(text)), 0.85), true
	}
	if partner.MatchString(text) || s.crafted(s.words(text)) >= 3 && (s.work || !closest(text)) || s.work && (s.crafted(text) >= 1 || weight(text) < 2*worth) || begins.MatchString(text) {
		return Candidate{}, false
	}
	return s.event(text)
}

// slashed is two words for one thing, and no path: schools/centers.
var slashed = lazily(`(?i)(^| )([a-z]{3,})/([a-z]{3,})\b([^/.]|$)`)

// words is a text in which words are not taken for paths, when no tools are used.
func (s *statement) words(text string) string {
	if s.work {
		return text
	}
	return slashed.ReplaceAllString(text, "$1$2 $3$4")
}

// event is what happened in the user's life, if it weighs enough.
func (s *statement) event(text string) (Candidate, bool) {
	score, before := weight(text), ""
	if score < worth {
		if core := mainClause(text); core != text && weight(core) >= worth {
			text, score = core, weight(core)
		}
	}
	if score < worth && vague(text) {
		for _, c := range clauses(text) {
			if c = trimmed(c); !vague(c) && weight(c) >= worth {
				text, score = c, weight(c)
				break
			}
		}
	}
	if !s.work && vague(text) {
		if before = s.antecedent(); before != "" {
			score++
		}
	}
	if score < worth {
		return Candidate{}, false
	}
	content := s.personal(dated(subject(text), s))
	if before != "" {
		content = tidy(together(third(before))) + " " + content
	}
	c := aboutUser(Fact, content, min(0.9, 0.4+float64(score)*0.05))
	if when.MatchString(text) {
		c.Type = episodic
		c.Importance -= 0.05 // it passes
	} else if shaped(text) >= worth || closest(text) {
		c.Importance += 0.03 // it lasts
	}
	return c, utf8.RuneCountInString(content) <= maxContent
}

var (
	thisWork = lazily(`(?i)\b(?:when i use|if i use|i use (?:it|this|that|the)|work on (?:this|that|the|#|task))\b`)
	troubled = lazily(`(?i)\b(?:but|fails?|failed|errors?|gets?|got|doesn'?t|not working|issues?|bugs?|crash\w*|broken|trying|now)\b`)
)

// momentaryUse says whether "I use" and "I work on" are about this moment.
func momentaryUse(s string) bool {
	return momentary.MatchString(s) || technical(s) && thisWork.MatchString(s)
}

// gerund is a subject of its own: learning it was hard.
var gerund = lazily(`(?i)^(?:finally |just |also )?\w+ing (?:\S+ ){0,9}?(?:is|are|has|have|was|were|can|helps?|makes?|gives?|feels?|felt|brings?|takes?)\b`)

// leavesOut says whether a sentence leaves out that it is about who says it.
func leavesOut(s string) bool {
	return (elided.MatchString(s) || starts(s)) && !gerund.MatchString(s) && (!general.MatchString(s) || ongoing.MatchString(s) || aims.MatchString(s))
}

// starts says whether a sentence begins with a deed and nobody who does it:
// checked out an art show, been busy fixing the roof.
func starts(s string) bool {
	w := tokens(s)
	n := 0
	for n < len(w)-1 && (adverbsOf[w[n]] || w[n] == "been" || w[n] == "busy" || w[n] == "real") {
		n++
	}
	if n+2 >= len(w) || w[n+1] == "me" || w[n+1] == "us" || w[n+1] == "by" || stricken[w[n]] {
		return false
	}
	been := n > 0 && w[0] == "been"
	if phrasal[w[n]] != "" && strings.HasSuffix(w[n], "ed") && strings.Contains(phrasal[w[n]], w[n+1]) {
		return !been
	}
	return been && underway(w[n], true) || !been && is(w[n], "p") && !is(w[n], "b") && !gerund.MatchString(s) ||
		aims.MatchString(s)
}

// aims begin with what somebody tries or plans.
var aims = lazily(`(?i)^(?:just |also |still |currently |now |really |finally )*(?:trying|planning|hoping|getting ready|preparing|learning|saving up|gonna|going to|working|thinking (?:of|about)|considering|looking into) ?(?:to|for|how to|on|\w+ing)\b`)

var (
	fresh   = lazily(`(?i)\b(?:a|an|my|another|two|three|some) (?:\w+ )?new (\w+)`)
	general = lazily(`(?i)^\w+ing\b`)
	ongoing = lazily(`(?i)^\w+ing (?:on|at|with|for|from) (?:a|an|my|this|the|some|another|two)\b`)
)

// properNames counts the words within a sentence that begin with a capital.
func properNames(s string) int {
	n := 0
	for i, w := range strings.Fields(s) {
		if i > 0 && len(w) > 2 && !calendar[strings.ToLower(strings.Trim(w, ".,!;:'s"))] && w[0] >= 'A' && w[0] <= 'Z' && !strings.HasPrefix(w, "I'") {
			n++
		}
	}
	return n
}

// calendar are names of times.
var calendar = words(`monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays
	january february march april may june july august september october november december wednesday thur tue god okay thank`)

// subject puts the user where a sentence leaves him out.
func subject(s string) string {
	if !elided.MatchString(s) && !starts(s) || gerund.MatchString(s) || own.MatchString(s) && !leavesOut(s) {
		return third(s)
	}
	word, rest, _ := strings.Cut(s, " ")
	for adverb(strings.ToLower(word)) && rest != "" {
		word, rest, _ = strings.Cut(rest, " ")
	}
	if strings.EqualFold(word, "been") {
		return "The user has been " + spoken(rest, true)
	}
	if strings.HasSuffix(strings.ToLower(word), "ing") || strings.EqualFold(word, "gonna") {
		return "The user is " + strings.ToLower(word) + " " + spoken(rest, true)
	}
	return "The user " + strings.ToLower(word[:1]) + word[1:] + " " + spoken(rest, true)
}

// dated adds the day on which it was said to what is told by it.
func dated(s string, st *statement) string {
	if st.time.IsZero() || !when.MatchString(s) {
		return s
	}
	return strings.TrimRight(s, ". ") + " (said on " + st.time.UTC().Format("2006-01-02") + ")"
}
