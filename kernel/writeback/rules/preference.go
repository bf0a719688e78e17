package rules

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

var (
	foreignLikings = []struct {
		form *pattern
		to   string
	}{
		{lazily(`(?i)^ich bevorzuge `), "Der Nutzer bevorzugt "},
		{lazily(`(?i)^ich (?:mag|liebe) `), "Der Nutzer mag "},
		{lazily(`(?i)^(?:ich heiße|ich heisse|mein name ist) `), "Der Nutzer heißt "},
		{lazily(`(?i)^ich arbeite (bei|als|in|für|mit) `), "Der Nutzer arbeitet $1 "},
		{lazily(`(?i)^ich (?:wohne|lebe) in `), "Der Nutzer wohnt in "},
		{lazily(`(?i)^(?:je préfère|moi je préfère) `), "L'utilisateur préfère "},
		{lazily(`(?i)^j'(?:aime|adore) `), "L'utilisateur aime "},
		{lazily(`(?i)^(?:je m'appelle|mon nom est) `), "L'utilisateur s'appelle "},
		{lazily(`(?i)^je travaille (chez|comme|en|à|dans|pour|avec) `), "L'utilisateur travaille $1 "},
		{lazily(`(?i)^j'habite (à|en|au) `), "L'utilisateur habite $1 "},
		{lazily(`(?i)^(?:yo )?prefiero `), "El usuario prefiere "},
		{lazily(`(?i)^me gusta(n?) `), "Al usuario le gusta$1 "},
		{lazily(`(?i)^(?:me llamo|mi nombre es) `), "El usuario se llama "},
		{lazily(`(?i)^(?:yo )?trabajo (en|como|para|con) `), "El usuario trabaja $1 "},
		{lazily(`(?i)^(?:yo )?vivo en `), "El usuario vive en "},
		{lazily(`^我(更?喜欢|偏好)`), "用户$1"},
		{lazily(`^我(?:叫|的名字是)`), "用户叫"},
		{lazily(`^(?:私は|僕は)`), "ユーザーは"},
	}
	// What a liking must not be about: what was just said or shown.
	pointing = lazily(`(?i)^(?:this|that|these|those|the) (?:\w+ ){0,2}(?:pics?|pictures?|photos?|shots?|images?|posts?)\b|\binterested in (?:hearing|seeing|knowing|learning)|\b(?:in|of|about) (?:this|that|your|these|those) \w+$|\b(?:love|like|liked|loved|enjoy|prefer|value|into|hate|dislike|want|fan of|avoid|admire|dig|respect|treasure|cherish) (?:how |where |what |that|this|it|them|those|these|the (?:colou?rs?|light|lighting|views?|photos?|pictures?|pics?|details?|scenery|outfit|smile|energy|contrast|atmosphere|composition|design|idea|way|approach|look|sound|second|first|latter|former|other)|option|your|you|to (?:see|hear|know|join|check|say|try|meet|look))\b|\b(?:'d|would|want) (?:\w+ )?(?:love|like|enjoy|prefer)? ?to (?:come|do|help|share|read|go)\b`)
	wouldBe  = lazily(`(?i)\b(?:could|i'd|i would|would|i'll|i will|can't wait|cant wait|let me|gonna|(?:want|wanna) .* now)\b`)
	partner  = lazily(`(?i)\b(?:you|your|you're|you've|you'll|yours|yourself|ya|u)\b`)
	selfish  = lazily(`(?i)^i(?:'m|'ve)? (?:[a-eg-z]\w*|f[a-hj-z]\w*) (?:\w+ ){0,3}(?:let|bring|give|make|get|help)s? me\b`)
	// relative is a liking in passing: those we love.
	relative = lazily(`(?i)\b(?:those|people|things?|what|everything|ones?|someone|(?:do|doing|have|having|find|finding|share|sharing|with|about|create|creating) (?:something|anything|all)|(?:the|a|an|my) \w+) (?:that |who )?(?:i|we) (?:really )?(?:love|like|enjoy|value|admire|care about)\b`)
	wishes   = lazily(`(?i)\bprefer that (?:you|we|the|all|every)\b`)
	// goals may be for now.
	goals     = lazily(`(?i)\b(?:my|our) (?:\w+ ){0,2}(?:plan|goal|dream|aim|focus|priority|priorities)s?\b`)
	childhood = lazily(`(?i)\b(?:ever since i was|when i turned|at the age of|at age|as a (?:kid|child|teen|teenager)|growing up|when i was (?:a |an )?(?:\w+ )?(?:kid|child|teen|young|little|small|student|younger|in)|back in)\b`)
	// someday is said of what is wanted for a life rather than for now.
	someday = lazily(`(?i)\bi(?:'d| would) (?:\w+ )?(?:love|like) to (?:\S+ )*?(?:one day|some ?day|in the future|eventually|my own|next year|before i)\b|\b(?:one day|some ?day|in the future|eventually),? i(?:'d| would) (?:\w+ )?(?:love|like) to\b|\b(?:one day|some ?day),? (?:i|we)(?:'ll| will) (?:\w+ )?(?:own|have|open|make|write|publish|visit|travel|live|move|build|buy|get|run|start|become|be|play|perform|learn|go|win|create) (?:\w+)|\b(?:i|we)(?:'ll| will) (?:\w+ )?(?:own|have|open|make|write|publish|visit|travel|live|move|build|buy|get|run|start|become|play|perform|learn|go|win|create) (?:\S+ ){1,8}?(?:one day|some ?day)\b`)
	coming  = lazily(`(?i)\b(?:will|gonna|going to|would)\b`)
	ofMe    = lazily(`(?i)\b(?:me|us|myself)\b`)
	routine = lazily(`(?i)^(?:i want (?:to|you)|i need|i'd like|i don'?t want|i want)\b`)
)

// preference finds what the user likes, wants and aims at, in his own words.
func preference(s *statement) (Candidate, bool) {
	if s.pasted || jokes.MatchString(s.text) {
		return Candidate{}, false
	}
	text := s.tells()
	for _, f := range foreignLikings {
		if f.form.MatchString(text) && !question(text) {
			return aboutUser(Preference, tidy(f.form.ReplaceAllString(text, f.to)), 0.85), true
		}
	}
	if m := picks.FindStringSubmatch(s.text); m != nil && lastingChoice(m[2]) {
		return aboutUser(Preference, tidy("The user's "+cmp.Or(strings.ToLower(m[1]), "favorite")+" would be "+third(m[2])), 0.7), true
	}
	if s.unsaid(text) || !prefers(text) {
		return Candidate{}, false
	}
	whole := relative.ReplaceAllString(text, "")
	for n, l := range likings {
		if !l.form.MatchString(whole) {
			continue
		}
		if vague(text) {
			if text = clearer(text, l.form); idly(text) {
				continue
			}
		} else if n > 0 && n < direct && substance(likes.ReplaceAllString(text, " ")) == 0 {
			continue // it names nothing that is liked
		} else if n == direct && !sourced(text) {
			continue
		}
		head, _, _ := strings.Cut(text, ", ")
		if !l.form.MatchString(head) {
			head = text
		}
		return s.liked(text, head, l.confidence)
	}
	return Candidate{}, false
}

// picks is a favourite that somebody names because he has to choose one.
var picks = lazily(`(?i)\bif i (?:had|have|had got|was forced) to (?:pick|choose|name|say|go with) (?:just |only )?(?:one|a|my)(?: single| top)? ?(favou?rite(?: \w+)?|first choice|pick)?,? (?:it|that)(?: would|'d)(?: definitely| probably| have to| surely)* be ([^.!]+)`)

// lastingChoice says whether what is chosen is named.
func lastingChoice(s string) bool { return properNames("x "+s) > 0 || lifeNouns(tokens(s)) > 0 }

// clearer is the clause of a sentence that has the form and is clear by itself; or
// the sentence.
func clearer(text string, form *pattern) string {
	for _, c := range clauses(text) {
		if c = trimmed(c); form.MatchString(c) && !vague(c) && len(tokens(c)) >= 4 {
			return c
		}
	}
	return text
}

// prefers says whether a sentence may tell of a liking that lasts.
func prefers(text string) bool {
	if likings[0].form.MatchString(text) {
		return !pointing.MatchString(text) || wishes.MatchString(text)
	}
	return !partner.MatchString(text) && !idly(text) && !trifles.MatchString(text) && !pointing.MatchString(text) && (len(tokens(text)) >= 4 || len(tokens(text)) == 3 && lifeNouns(tokens(text)) > 0) && (!passes.MatchString(text) || goals.MatchString(text))
}

// liked makes a candidate of a liking. What it is about may stand in the sentence
// before it, and head is the part of it that tells the liking.
func (s *statement) liked(text, head string, confidence float64) (Candidate, bool) {
	content := s.personal(third(text))
	if unclear := vague(text); unclear && !s.work && !future.MatchString(text) && !coming.MatchString(text) {
		if before := s.antecedent(); before != "" && (own.MatchString(before) || ofMe.MatchString(before) || properNames(before) > 0) {
			content = tidy(together(third(before))) + " " + tidy(together(third(text)))
		} else {
			confidence -= 0.3
		}
	} else if unclear {
		confidence -= 0.3
	}
	if wouldBe.MatchString(head) && !childhood.MatchString(text) && !someday.MatchString(text) || selfish.MatchString(text) {
		confidence -= 0.3
	}
	if (s.crafted(text) >= 2 || s.work && s.crafted(text) >= 1) && (routine.MatchString(text) || confidence < 0.7) {
		return Candidate{}, false // what is wanted of this piece of work
	}
	return aboutUser(Preference, content, confidence), confidence >= 0.5 && utf8.RuneCountInString(content) <= maxContent
}

func aboutUser(category Category, content string, confidence float64) Candidate {
	return Candidate{
		Target: memory.ScopeUser, Category: category, Type: semantic, Content: content,
		Importance: 0.4 + confidence*0.3, Confidence: confidence,
	}
}

var (
	vagueSubject = lazily(`(?i)^(?:got it|almost|nearly|not|don'?t|doesn'?t|didn'?t|can'?t|it|they|(?:this|that|these|those)(?:'s|'ll|$| (?:is|was|are|were|has|have|had|ones?|will|would|can|could|really|just|also|all|ma[dk]es?|help(?:s|ed)?|gives?|gave|keeps?|kept|reminds?|reminded|means?|meant|feels?|felt|looks?|looked|sounds?|seems?|takes|took|kind|sort|and|time|way|moment|part|spot|place)\b)|\w+ing (?:on |with |at |in |through |about )?(?:(?:it|them)\b|(?:this|that|these|those) (?:is|was|are|were|takes?|makes?|gives?|helps?|keeps?|has|really|just|always|feels?|felt)\b)|\w+ing (?:\S+ ){0,3}?(?:those|that)|there|he|she|here|which|who|whose|things?|everything|everyone)\b|^(?:the user |i )?(?:did|do) (?:it|that)\b`)
	vagueObject  = lazily(`(?i)\b(?:i|i've|i'm|i'd)(?: (?:am|was|have|had|been|just|really|also|still|finally|already|always|so|never))*(?: [a-z']+)? (?:(?:it|them|so|there|something|anything|things?|options|stuff)\b|(?:this|that|these|those|one|some)(?: (?:and|but|to|for|in|on|at|with|when|because|so|too|up|after|before|from|is|was|as)\b|[,.]|$))|\b(?:fan|into|interested|passionate)$|\b(?:this|that|these|those) ones?\b|^\S+(?: \S+){0,4} (?:with|of|about|in|on|for|to|into|[a-z]+ing) (?:this|that|these|those|it|them)$|^(?:makes?|helps?|gives?|reminds?|keeps?|brings?|inspires?) `)
)

// itMatters has a subject after all: what follows.
var itMatters = lazily(`(?i)^it(?:'s| is) (?:really |so |very )?important (?:to|for) me (?:that|to)\b|^it(?:'s| is| was| feels| felt|'s been| has been) (?:always |so |really |super |such |very |been |also |pretty |truly |just |a )*` + goodFeel + ` (?:to me )?(?:to [a-z]+|[a-z]+ing)\b|^(?:this|that|it) (?:is|was) (?:one of )?my favou?rite [a-z]{3,}|^(?:and |but |as )?for me,? |^it(?:'s| is| was|'s been| has been|'s always been| has always been) (?:(?:a|my|our|one of my|long|lifelong) )+(?:dream|goal|ambition|plan|aim)\b.* to [a-z]+|^(?:this|that|it)(?:'s| is) (?:one of )?my (?:most )?(?:prized|treasured|cherished|beloved|precious) [a-z]{3,}`)

// vague says whether a sentence can't be understood without what was said before.
func vague(s string) bool {
	return !itMatters.MatchString(s) && (vagueSubject.MatchString(s) || vagueObject.MatchString(s))
}
