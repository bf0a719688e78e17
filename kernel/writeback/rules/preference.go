package rules

import (
	"regexp"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

const i = `(?:i(?:'m| am|'ve| have|'d)?|we(?:'re| are|'ve| have)?) (?:also |been |both |all |just |really |usually |generally |normally |mostly |still |always |personally |strongly |particularly |especially |absolutely |do |totally |definitely |so |kinda |pretty |currently |definitely )*`

var (
	// What the user likes, and how much the rule trusts the form.
	likings = []struct {
		form       *regexp.Regexp
		confidence float64
	}{
		{regexp.MustCompile(`(?i)\bi (?:\w+ )?(?:prefer|favou?r)\b`), 0.9},
		{regexp.MustCompile(`(?i)\b` + i + `(?:hate|dislike|despise|detest|can'?t stand|don'?t like|dont like|not a fan of|allergic to|avoid)\b`), 0.8},
		{regexp.MustCompile(`(?i)\b` + i + `(?:love|like|enjoy|loved|liked|enjoyed|adore|loving|enjoying)\b`), 0.75},
		{regexp.MustCompile(`(?i)\b` + i + `(?:a (?:big |huge |total |real )?(?:fan of|fan|believer in|lover of)|into\b|passionate about|interested in|obsessed with|fascinated by|fond of|keen on|drawn to|dedicated to|committed to|addicted to|good at|looking for|up for|hoping to|getting into)`), 0.75},
		{regexp.MustCompile(`(?i)\b(?:my|one of my) (?:\w+ ){0,2}(?:favou?rites?|faves?|passions?|hobb(?:y|ies)|dreams?|goals?|aims?|plans?|ambition|creative outlets?|go-to|focus|priority|priorities|main focus(?:es)?|style|thing)(?: (?:\w+ ){0,3}(?:is|are|was|to|for)\b|,|$)`), 0.75},
		{regexp.MustCompile(`(?i)\b(?:are|is|'s) (?:\w+ ){0,3}(?:my (?:\w+ )?(?:thing|passion|favou?rites?|faves?|hobby|go-to|jam)|one of my (?:\w+ )?(?:favou?rites?|faves?))\b`), 0.75},
		{regexp.MustCompile(`(?i)\b(?:helps?|guides?|lets|keeps?|gives?|inspires?|motivates?|makes?|reminds?|calms?|relaxes|brings?|teaches|drives?|energizes?|fuels?) (?:me|myself)\b`), 0.6},
		{regexp.MustCompile(`(?i)\b(?:is|are|'s|means?|meant|has been|been) (?:\w+ ){0,4}(?:(?:important|special|dear|fulfilling|meaningful|valuable|inspiration|joy) (?:to|for) (?:me|us)|a lot to me|so much to me|everything to me|huge part of my|big part of my|my life)\b`), 0.65},
		{regexp.MustCompile(`(?i)\b(?:is|are|'s) something (?:that )?i (?:really )?(?:value|love|care about|enjoy|cherish)\b`), 0.75},
		{regexp.MustCompile(`(?i)^(?:\w+,? ){0,3}` + i + `(?:value|care about|believe in|dream of|aim to|hope to|plan to|want to|wanna|aspire to|strive to)\b`), 0.55},
		{regexp.MustCompile(`(?i)\bi(?:'ve| have) always (?:wanted|loved|liked|felt|been|dreamed|enjoyed|had)\b`), 0.8},
		{regexp.MustCompile(`(?i)\bmy (?:\w+ )?(?:love|passion|interest|obsession|admiration) (?:of|for|in)\b`), 0.6},
		{regexp.MustCompile(`(?i)\b(?:(?:is|are) what (?:gets?|keeps?|makes?|helps?|drives?) me|(?:is|are) (?:a |my )?(?:\w+ )?ways? for me to|boosts? my)\b`), 0.65},
		{regexp.MustCompile(`(?i)^(?:lovin'?|loving|obsessed with) `), 0.4},
	}
	foreignLikings = []struct {
		form *regexp.Regexp
		to   string
	}{
		{regexp.MustCompile(`(?i)^ich bevorzuge `), "Der Nutzer bevorzugt "},
		{regexp.MustCompile(`(?i)^ich (?:mag|liebe) `), "Der Nutzer mag "},
		{regexp.MustCompile(`(?i)^(?:ich heiße|ich heisse|mein name ist) `), "Der Nutzer heißt "},
		{regexp.MustCompile(`(?i)^ich arbeite (bei|als|in|für|mit) `), "Der Nutzer arbeitet $1 "},
		{regexp.MustCompile(`(?i)^ich (?:wohne|lebe) in `), "Der Nutzer wohnt in "},
		{regexp.MustCompile(`(?i)^(?:je préfère|moi je préfère) `), "L'utilisateur préfère "},
		{regexp.MustCompile(`(?i)^j'(?:aime|adore) `), "L'utilisateur aime "},
		{regexp.MustCompile(`(?i)^(?:je m'appelle|mon nom est) `), "L'utilisateur s'appelle "},
		{regexp.MustCompile(`(?i)^je travaille (chez|comme|en|à|dans|pour|avec) `), "L'utilisateur travaille $1 "},
		{regexp.MustCompile(`(?i)^j'habite (à|en|au) `), "L'utilisateur habite $1 "},
		{regexp.MustCompile(`(?i)^(?:yo )?prefiero `), "El usuario prefiere "},
		{regexp.MustCompile(`(?i)^me gusta(n?) `), "Al usuario le gusta$1 "},
		{regexp.MustCompile(`(?i)^(?:me llamo|mi nombre es) `), "El usuario se llama "},
		{regexp.MustCompile(`(?i)^(?:yo )?trabajo (en|como|para|con) `), "El usuario trabaja $1 "},
		{regexp.MustCompile(`(?i)^(?:yo )?vivo en `), "El usuario vive en "},
		{regexp.MustCompile(`^我(更?喜欢|偏好)`), "用户$1"},
		{regexp.MustCompile(`^我(?:叫|的名字是)`), "用户叫"},
		{regexp.MustCompile(`^(?:私は|僕は)`), "ユーザーは"},
	}
	// What a liking must not be about: what was just said or shown.
	pointing = regexp.MustCompile(`(?i)\b(?:love|like|liked|loved|enjoy|prefer|value|into|hate|dislike|want|fan of|avoid) (?:how |that|this|it|them|those|these|the (?:idea|way|approach|look|sound|second|first|latter|former|other)|option|your|you|to (?:see|hear|know|come|join|do|help|check|say|share|read|go|try|meet|look))\b`)
	wouldBe  = regexp.MustCompile(`(?i)\b(?:could|i'd|i would|would|i'll|i will|can't wait|cant wait|let me|gonna|(?:want|wanna|like|love) .* now)\b`)
	partner  = regexp.MustCompile(`(?i)\b(?:you|your|you're|you've|you'll|yours|yourself|ya|u)\b`)
	selfish  = regexp.MustCompile(`(?i)^i(?:'m|'ve)? .*\b(?:let|bring|give|make|get|help)s? me\b`)
	// relative is a liking in passing: those we love.
	relative = regexp.MustCompile(`(?i)\b(?:those|people|things?|what|everything|ones?|someone|something|(?:the|a|an|my) \w+) (?:that |who )?(?:i|we) (?:really )?(?:love|like|enjoy|value|admire|care about)\b`)
	wishes   = regexp.MustCompile(`(?i)\bprefer that (?:you|we|the|all|every)\b`)
	routine  = regexp.MustCompile(`(?i)^(?:i want (?:to|you)|i need|i'd like|i don'?t want|i want)\b`)
)

// preference finds what the user likes, wants and aims at, in his own words.
func preference(s *statement) (Candidate, bool) {
	if s.pasted || jokes.MatchString(s.text) {
		return Candidate{}, false
	}
	text := told(trimmed(strings.TrimRight(s.text, "!. ")))
	for _, f := range foreignLikings {
		if f.form.MatchString(text) && !question(text) {
			return aboutUser(Preference, tidy(f.form.ReplaceAllString(text, f.to)), 0.85), true
		}
	}
	if unsaid(text) || partner.MatchString(text) && !likings[0].form.MatchString(text) || pointing.MatchString(text) && !wishes.MatchString(text) || len(tokens(text)) < 4 && !likings[0].form.MatchString(text) || passes.MatchString(text) {
		return Candidate{}, false
	}
	whole := relative.ReplaceAllString(text, "")
	for _, l := range likings {
		if !l.form.MatchString(whole) {
			continue
		}
		confidence := l.confidence
		if wouldBe.MatchString(text) || vague(text) || selfish.MatchString(text) {
			confidence -= 0.3
		}
		if (crafted(text) >= 2 || s.work && technical(text)) && (routine.MatchString(text) || confidence < 0.7) {
			return Candidate{}, false // what is wanted of this piece of work
		}
		return aboutUser(Preference, tidy(third(text)), confidence), confidence >= 0.5
	}
	return Candidate{}, false
}

func aboutUser(category Category, content string, confidence float64) Candidate {
	return Candidate{
		Target: memory.ScopeUser, Category: category, Type: semantic, Content: content,
		Importance: 0.4 + confidence*0.3, Confidence: confidence,
	}
}

var (
	vagueSubject = regexp.MustCompile(`(?i)^(?:got it|almost|nearly|not|don'?t|doesn'?t|didn'?t|can'?t|it|this|that|they|these|those|\w+ing (?:it|this|that|them)|there|he|she|here|things?|everything|everyone)\b|^(?:the user |i )?(?:did|do) (?:it|that)\b`)
	vagueObject  = regexp.MustCompile(`(?i)\b(?:i|i've|i'm|i'd)(?: (?:am|was|have|had|been|just|really|also|still|finally|already|always|so|never))*(?: [a-z']+)? (?:(?:it|them|so|there|something|anything|things?|options|stuff)\b|(?:this|that|these|those|one|some)(?: (?:and|but|to|for|in|on|at|with|when|because|so|too|up|after|before|from|is|was|as)\b|[,.]|$))|\b(?:fan|into|interested|passionate)$|\b(?:this|that|these|those) ones?\b|^(?:makes?|helps?|gives?|reminds?|keeps?|brings?|inspires?) `)
)

// itMatters has a subject after all: what follows.
var itMatters = regexp.MustCompile(`(?i)^it(?:'s| is) (?:really |so |very )?important (?:to|for) me (?:that|to)\b`)

// vague says whether a sentence can't be understood without what was said before.
func vague(s string) bool {
	return !itMatters.MatchString(s) && (vagueSubject.MatchString(s) || vagueObject.MatchString(s))
}
