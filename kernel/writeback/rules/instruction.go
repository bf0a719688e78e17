package rules

import "strings"

var (
	// onward says that what is in group 1 holds from now on.
	onward = []*pattern{
		lazily(polite + `(?:from (?:now|here) on(?:wards?)?|going forward|in (?:the )?future|as a (?:general )?rule|moving forward|ab (?:jetzt|sofort)|in zukunft|künftig|zukünftig|désormais|dorénavant|à partir de maintenant|à l'avenir|de ahora en adelante|a partir de ahora|en el futuro|以后请?|从现在起|今後は|これからは)[,:，、]? ?(.+)$`),
		lazily(polite + `(.+?),? (?:from (?:now|here) on(?:wards?)?|going forward|in (?:the )?future|ab jetzt|in zukunft|désormais|à l'avenir|de ahora en adelante|a partir de ahora)[.!]*$`),
	}
	// imperatives say what is always or never to be done, in group 1, by the verb in
	// group 2.
	imperatives = []*pattern{
		lazily(polite + `(?:you (?:should|must|need to|have to) |make sure (?:to |you |that you |we )?|be sure to )?((?:always|never(?: ever)?|(?:do not|don'?t) ever) ([a-z][\w'-]*)\b.+)$`),
		lazily(polite + "((?:always|never) (`)[^`]+`.*)$"),
		lazily(`(?i)^((?:when|whenever|before|after|for|in|on) [^,]{3,90}, (?:please |you should |we )?(?:always|never|do not ever|don'?t ever) ([a-z][\w'-]*)\b.+)$`),
		lazily(`(?i)^(?:please )?((?:do not|don'?t|never) ([a-z][\w'-]*) .+ (?:ever|at all|unless .+|without (?:asking|my|me|permission|approval|tests?)\b.*|until i (?:say|ask|tell|confirm)\b.*|under any circumstances))[.!]*$`),
		// Emphasis, which is not that of a template in capitals.
		lazily(`^((?:[\w ]{2,40}, )?(?:[Pp]lease )?(?:DON'T|DO NOT|[Dd]o NOT|NEVER|ALWAYS) ([a-z][\w'-]*) .*[a-z].*)$`),
		// Habits of those who work here.
		lazily(`(?i)^((?:in (?:this|our|the) (?:repo|repository|project|codebase),? )?(?:we|i) (?:always|never|only) (` + habitual + `)\b.+)$`),
		// Other languages
		lazily(polite + `((?:immer|nie(?:mals)?) .*(\w(?:en|ern|eln)))[.!]*$`),
		lazily(polite + `((?:ne |n'|n’)?(\S+) (?:toujours|jamais) .+)$`),
		lazily(polite + `((?:siempre|nunca) (\p{L}+(?:a|e|as|es|ar|er|ir)) .+)$`),
		lazily(polite + `((benutze?|verwende|nimm|schreibe?|nutze|führe|usa|utiliza|escribe|ejecuta|haz|pon)\b.*\b(?:immer|nie|niemals|nur noch|siempre|nunca)\b.*)$`),
		lazily(polite + `((总是|永远(?:都)?(?:要|不要)|不要再|一律|必ず|常に|絶対に).+)$`),
	}
	// narrates is a story that other languages begin with the same words.
	narrates = lazily(`(?i)^(?:immer (?:noch|wieder|mehr|wenn|dieser|diese|dasselbe)\b|nie (?:mehr|wieder)\b|.*\btoujours (?:pas|le|la|les|un|une|en|aussi|rien)\b|siempre (?:fall\w+|me|que|se|es|está\w*|hay|lo|la)\b|nunca (?:he|ha|me|se|lo|la|había|fall\w+|es|está\w*)\b|一律通过)`)
)

// habitual are verbs of what is done again and again.
const habitual = `use|write|run|sign|squash|rebase|format|lint|name|prefix|keep|store|put|test|target|tag|follow|pin|commit|log|deploy|mock|push|merge|release|document|support`

var (
	// taboo is what is not done at all, and concrete names what is not to be done now.
	taboo    = lazily(`(?i)^(?:please )?((?:do not|don'?t|avoid) (?:us(?:e|ing)|writ(?:e|ing)|add(?:ing)?|commit(?:ting)?|push(?:ing)?|mock(?:ing)?|import(?:ing)?|install(?:ing)?|introduc(?:e|ing)|rely(?:ing)? on|edit(?:ing)?|touch(?:ing)?|log(?:ging)?|hard-?cod(?:e|ing)) .+)$`)
	concrete = lazily(`(?i)\b(?:the|my|your|another|such|so|too|any|more|now|here)\b`)
	// practice is said of all projects.
	practice = lazily(`(?i)^(?:(?:i|we) (?:always |only |never |usually )?(?:prefer|` + habitual + `)\b|.{3,60} (?:must|has to|have to) |\w+(?: \w+){0,3} (?:is|are) (?:\w+ly )?(?:in [A-Z]|kept|written|\w+ed\b))`)
)

// chatty are verbs that follow always and never when people talk.
var chatty = words(`say fun mind be been a an the love loved nice great good want thought think heard hear give gave forgot knew know had have see seen stop lose let hope wonder feel felt get got remind believe look dream excited something someone works worked happens said did does is are was were quit doubt up by with down in on at there ready your my so too easy fails busy happy glad here welcome to seem seems shows returns fail crash crashes`)

// instruction finds what holds from now on.
func instruction(s *statement) (c Candidate, ok bool) {
	text := strings.TrimRight(s.text, "!. ")
	if m := firstMatch(onward, text); m != nil && s.states(m[1]) && ordered.MatchString(m[1]) {
		return s.candidate(Instruction, m[1], 0.85), true
	}
	if m := taboo.FindStringSubmatch(text); m != nil && !s.opens && s.states(m[1]) && !concrete.MatchString(m[1]) {
		return s.candidate(Instruction, s.withNext(m[1]), 0.75), true
	}
	if s.everywhere && s.states(text) && (practice.MatchString(text) || doing.MatchString(text)) {
		return s.candidate(Instruction, text, 0.8), true
	}
	m := firstMatch(imperatives, text)
	if m == nil || !s.states(m[1]) || narrates.MatchString(m[1]) || !verbal(m[1], strings.ToLower(m[2])) {
		return c, false
	}
	return s.candidate(Instruction, s.withNext(m[1]), 0.85), true
}

// rather says what to do instead of what is forbidden.
var rather = lazily(`(?i)^(?:please |always |just )?(?:use|prefer|take|instead)\b`)

// withNext adds to a prohibition the sentence that says what to do instead.
func (s *statement) withNext(text string) string {
	if forbids.MatchString(text) && rather.MatchString(s.next) && !question(s.next) && !dangling.MatchString(s.next) {
		return strings.TrimRight(text, ". ") + ". " + s.next
	}
	return text
}

var forbids = lazily(`(?i)\b(?:never|don'?t|do not|avoid)\b`)

// ordered is said to somebody who is to do something, or of those who work here.
var ordered = lazily(`(?i)^(?:(?:you|we|i) (?:should|must|need to|have to|always|never|only|` + habitual + `)\b|please |also |just |only |all |every |each |commits? |tests? |when |before |after |if )|^(?:do not|don'?t|avoid|always|never|use|run|write|call|answer|reply|ask|tell|speak|explain|respond|keep|put|add|make|commit|push|test|check|follow|start|format|name|prefer|include|show|give|work|create|update|document|lint|build|deploy|antworte|benutze|verwende|schreibe?|réponds|utilise|écris|responde|usa|escribe)\b|^[\p{Han}\p{Hiragana}\p{Katakana}]`)

// verbal says whether always or never is followed by what an agent can do.
func verbal(text, verb string) bool {
	cjk := len(verb) > 0 && verb[0] >= 0x80
	if !cjk && (len(tokens(text)) < 3 || strings.HasSuffix(verb, "ing") || strings.HasSuffix(verb, "ed") && verb != "need" && verb != "embed") {
		return false
	}
	return !chatty[verb]
}
