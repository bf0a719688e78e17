package rules

import (
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

var (
	onward = lazily(polite + `(?:from (?:now|here) on(?:wards?)?|going forward|in (?:the )?future|as a (?:general )?rule|moving forward|for all future \w+|ab (?:jetzt|sofort)|in zukunft|künftig|zukünftig|désormais|dorénavant|à partir de maintenant|à l'avenir|de ahora en adelante|a partir de ahora|en el futuro|以后请?|从现在起|今後は|これからは)[,:，、]? ?(.+)$`)
	tails  = lazily(`(?i)^(.+?),? (?:from (?:now|here) on(?:wards?)?|going forward|in (?:the )?future|ab jetzt|in zukunft|désormais|à l'avenir|de ahora en adelante|a partir de ahora)[.!]*$`)
	// Always and never, as what an imperative begins with.
	imperative  = lazily(polite + `(?:you (?:should|must|need to|have to) |make sure (?:to |you |that you |we )?|be sure to |to )?((?:always|never(?: ever)?|(?:do not|don'?t|dont) ever) ([a-z` + "`" + `@][\w'` + "`" + `-]*)\b.*)$`)
	foreignAl   = lazily(polite + `((?:immer|nie(?:mals)?|toujours|(?:ne |n'|n’)\S+ jamais|siempre|nunca|(?:总是|永远(?:都)?(?:要|不要)|不要再|一律|必ず|常に|絶対に|항상|절대)).+)$`)
	foreignMid  = lazily(`(?i)^((?:bitte |benutze?|verwende|nimm|schreibe?|nutze|führe|mache?|utilise|utilisez|écris|lance|fais|usa|utiliza|escribe|ejecuta|haz|pon)\b.*\b(?:immer|nie|niemals|nur noch|toujours|jamais|siempre|nunca)\b.*)$`)
	conditional = lazily(`(?i)^((?:when|whenever|before|after|if|for|in|on) [^,]{3,90}, (?:please |you should |we )?(?:always|never|do not ever|don'?t ever) ([a-z` + "`@" + `][\w'` + "`" + `-]*)\b.*)$`)
	// Always and never as other languages tell a story with them. German puts the
	// verb of such an instruction at the end.
	narrates = lazily(`(?i)^(?:immer (?:noch|wieder|mehr|wenn|dasselbe)|nie (?:mehr|wieder)? ?(?:gesehen|gehört|gedacht)|toujours (?:pas|le|la|les|un|une|en|aussi|rien)|siempre (?:fall\w+|me|que|se|es|está\w*|hay|lo|la)\b|nunca (?:he|ha|me|se|lo|la|había|fall\w+|es|está\w*)\b|一律通过)`)
	germanAl = lazily(`(?i)^(?:immer|nie|niemals) `)
	germanDo = lazily(`(?i)\w(?:en|ern|eln)[.!]?$|, (?:nie|nicht|immer) `)
	// The same within a sentence: a rule should say to always do so.
	within = lazily(`(?i)\b(?:to|you|that|says?|and|so|should) ((?:always|never) ([a-z]\w+) .{6,})$`)
	meant  = lazily(`(?i)\b(?:update|change|add|make sure|ensure|should|specify)\b`)
	// What is not allowed or not needed.
	forbids  = lazily(polite + `((?:we|i) (?:do not|don'?t|never) (?:want|need|use|care about|do|allow|support|write|commit|add|have to)\b.+)$`)
	ever     = lazily(`(?i)\b(?:ever|any ?more|at all|again|never|any)\b[.!]*`)
	needless = lazily(`(?i)\b(?:no need (?:to|for)|is(?:n't| not) (?:needed|necessary|required)|not needed|unnecessary|never necessary)\b`)
	// It must be so, and not so.
	musts = lazily(`(?i)^((?:(?:but |and |so )?there (?:should|must) (?:not|never|always|only) be .+)|(?:the|all|any|every|each|our|your|commits?|tests?|branches|files?|prs?|tasks?|\w+s) .*\b(?:must|has to|have to|needs to|need to|should|shall)(?: only| always| never| not|n't)? (?:be|use|go|have|live|stay|start|end|follow|come|contain|run|pass|happen)\b.*)$`)
	only  = lazily(`(?i)\b(?:always|never|only|not|instead of|rather than|without)\b`)
	// What follows always and never when people talk.
	chatty = words(`happy glad here welcome be been a an the love loved loving nice great good wanted want thought think heard hear mind give gave forget forgot knew know had have hear seen see stop lose let hope hoping wonder fun feel felt makes make made gets get got remember remind believe look looking dream surprised excited grateful supporting learning something someone works worked happens helps reminds brings said did does do is are was were quit doubt up by with down in on at there ready open your my so too easy fails busy trying`)
)

// instruction finds what holds from now on.
func instruction(s *statement) (Candidate, bool) {
	if s.brief() {
		return Candidate{}, false
	}
	text := strings.TrimRight(s.text, "!. ")
	if m := onward.FindStringSubmatch(text); m != nil && (!s.pasted || s.edge) && !doubtful(m[1]) && technicalOrAddressed(m[1]) {
		return widened(instruct(trimmed(m[1]), 0.9), s), true
	}
	if s.pasted {
		return Candidate{}, false
	}
	if m := tails.FindStringSubmatch(text); m != nil && !unsaid(m[1]) && technicalOrAddressed(m[1]) {
		return instruct(trimmed(m[1]), 0.9), true
	}
	if m := imperative.FindStringSubmatch(text); m != nil && !s.doubtful(text) && s.commands(m[1], strings.ToLower(m[2])) {
		return widened(instruct(m[1], 0.9), s), true
	}
	if m := conditional.FindStringSubmatch(text); m != nil && !s.doubtful(text) && technical(text) && s.commands(m[1], strings.ToLower(m[2])) {
		return widened(instruct(m[1], 0.85), s), true
	}
	for _, re := range []*pattern{foreignAl, foreignMid} {
		if m := re.FindStringSubmatch(text); m != nil && !s.unsaid(text) && !narrates.MatchString(m[1]) && (!germanAl.MatchString(m[1]) || germanDo.MatchString(m[1])) {
			return instruct(m[1], 0.85), true
		}
	}
	if m := within.FindStringSubmatch(text); m != nil && m[2] != "to" && !mocks.MatchString(text) && (!reports.MatchString(text) || meant.MatchString(text+" "+s.next)) && technical(m[1]) && s.commands(m[1], strings.ToLower(m[2])) {
		return instruct(m[1], 0.7), true
	}
	return ruling(s, text)
}

// ruling finds the weaker forms: what is not wanted, not needed, must be.
func ruling(s *statement, text string) (Candidate, bool) {
	if s.specified() || s.unsaid(text) || passes.MatchString(text) || !s.work && s.crafted(text) == 0 {
		return Candidate{}, false
	}
	body := trimmed(text)
	if vagueSubject.MatchString(body) && !forbids.MatchString(body) && !habits.MatchString(body) &&
		!taboo.MatchString(body) && !manner.MatchString(body) && !there.MatchString(body) {
		return Candidate{}, false
	}
	if m := forbids.FindStringSubmatch(body); m != nil && (!hereNow.MatchString(body) || usage.MatchString(body)) {
		if c := instruct(m[1], 0.75); ever.MatchString(body) {
			return c, true
		}
		if strings.HasPrefix(strings.ToLower(m[1]), "we") {
			c := instruct(m[1], 0.65)
			c.Category, c.Importance = Decision, 0.65
			return c, true
		}
	}
	if m := habits.FindStringSubmatch(body); m != nil && !momentary.MatchString(body) && len(tokens(body)) < 30 {
		return widened(instruct(m[1], 0.7), s), true
	}
	if m := manner.FindStringSubmatch(body); m != nil && !s.opens {
		return instruct(m[1], 0.65), true
	}
	if m := taboo.FindStringSubmatch(body); m != nil && !definite.MatchString(m[1]) && !s.opens {
		return instruct(m[1], 0.6), true
	}
	if needless.MatchString(body) && len(tokens(body)) > 5 {
		return instruct(body, 0.65), true
	}
	if m := musts.FindStringSubmatch(body); m != nil && only.MatchString(body) {
		return instruct(m[1], 0.7), true
	}
	return Candidate{}, false
}

// habits are asked for in a form that holds beyond this piece of work: not to be
// done unless, to be stopped, to be done everywhere.
var habits = lazily(`(?i)^((?:don'?t|do not|never) .+ (?:unless|without (?:asking|my|me)|until i (?:say|ask|tell))\b.*|stop \w+ing (?:\w+ )?\w+s\b.*|(?:make sure|be sure|ensure)(?: that)? (?:you |to |we )?.+ (?:before (?:you|each|every|any)|after (?:each|every|any)|whenever|every time|each time)\b.*|(?:use|write|add|prefer|follow|run|put|name|document|keep|avoid|include|ask) .+ (?:everywhere|for (?:all|every|each|any) .+|in (?:all|every|each|any) .+|(?:every|each) time.*|whenever .+|before (?:every|each|any|you) .+|after (?:every|each|any) .+)|you (?:don'?t|do not|needn'?t) (?:need|have)? ?(?:to )?(?:ask|check with|confirm|wait)\b.*)$`)

var (
	// usage is what the project does not do, here.
	usage = lazily(`(?i)^we (?:do not|don'?t|never) (?:use|write|do|commit|add|support|allow) [\w-]+(?: [\w-]+)? here[.!]*$`)
	// manner is how the agent is to speak and to work.
	manner = lazily(`(?i)^((?:please )?(?:be (?:more )?(?:concise|brief|terse|direct)|keep (?:your |the )?(?:answers|replies|responses|explanations) \w+|stick (?:to|with) (?:the standard library|\w+ style|\w+)|(?:don'?t|do not|stop) (?:apologi[sz](?:e|ing)|us(?:e|ing) emojis?|summari[sz](?:e|ing)|explain(?:ing)?|repeat(?:ing)?)\b).*)$`)
	// taboo is what is not done at all: no definite thing is named.
	taboo    = lazily(`(?i)^((?:please )?(?:don'?t|do not|avoid) (?:us(?:e|ing)|writ(?:e|ing)|add(?:ing)?|commit(?:ting)?|push(?:ing)?|mock(?:ing)?|import(?:ing)?|creat(?:e|ing)|install(?:ing)?|introduc(?:e|ing)|rely(?:ing)? on|edit(?:ing)?|touch(?:ing)?) .+)$`)
	definite = lazily(`(?i)\b(?:the|this|that|these|those|it|them|here|yet|now|again|my|your|another|so|such|too)\b`)
)

// there must be, or must not.
var there = lazily(`(?i)^there (?:should|must) (?:not|never|always|only) be\b`)

// broader is said of an instruction that is not for this project alone.
var broader = lazily(`(?i)^(?:please |and )?(?:record|make|save|store|apply|remember|treat|do|add|use|this (?:is|holds|applies)|that (?:holds|applies))\b.*\b(?:global(?:ly)?|all (?:my |our )?projects|every project|everywhere|not just (?:for|in|to))\b(?:[^:]*| ?[:-] not .*)$`)

// widened moves an instruction to the memory of all projects when the next
// sentence says so.
func widened(c Candidate, s *statement) Candidate {
	if broader.MatchString(s.next) && c.Target == memory.ScopeProject {
		c.Target = memory.ScopeGlobal
	}
	return c
}

// hereNow is about this piece of work.
var hereNow = lazily(`(?i)\b(?:this here|here|to (?:do|specify|change|fix|add|touch|worry about) (?:this|that|it|any of)|now|yet)\b`)

// commands says whether always or never is followed by what an agent can do,
// rather than by what people wish each other.
func (s *statement) commands(text, verb string) bool {
	if strings.HasSuffix(verb, "ed") && verb != "need" || strings.HasSuffix(verb, "ing") || len(tokens(text)) < 3 {
		return false
	}
	if !s.work && !technical(text) && !telling[verb] {
		return false
	}
	return !chatty[verb] || technical(text) && !consoles.MatchString(text) && chattyVerbs[verb]
}

// telling are the verbs that an agent is told in a talk that is not about work.
var telling = words(`rely use answer reply write call ask tell speak respond include add keep check explain format address greet show give translate summarize summarise list cite quote mention begin start end send suggest recommend avoid say talk assume refer reference double-check verify confirm run test commit`)

// chattyVerbs are those of chatty that an agent can be told, too.
var chattyVerbs = words(`give forget make get let look remember do be`)

var addressed = lazily(`(?i)\b(?:you|your|please|use|run|write|call|answer|reply|ask|tell|speak|explain|respond|don'?t|do not|always|never|du|dich|bitte|tu|vous|usted)\b`)

func technicalOrAddressed(s string) bool {
	return len(tokens(s)) >= 2 && (technical(s) || addressed.MatchString(s)) || len([]rune(s)) > 4 && len(tokens(s)) == 1
}

func instruct(s string, confidence float64) Candidate {
	c := Candidate{Category: Instruction, Type: procedural, Importance: 0.85, Confidence: confidence}
	c.Target, c.Content = aimed(s)
	if c.Target == memory.ScopeUser && ofUser.MatchString(s) {
		c.Category, c.Type = Preference, semantic
	}
	return c
}
