package rules

import (
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

var (
	// No, this and not that.
	denies   = lazily(`(?i)^(?:no+|nope|nah|wrong|incorrect|correction|stop|wait|nein|non|falsch|faux)\b[,.!:;]* *`)
	wrongs   = lazily(`(?i)^(?:(?:no|sorry|but|hmm|wait)[,.]? )*(?:that(?:'s| is| was)|thats|this is|it's|its|you(?:'re| are|r)) (?:wrong|incorrect|not (?:right|correct|true|what i (?:meant|said|wanted|asked))|the (?:wrong|opposite))[^,.;:]*[,.;:]? *`)
	repeats  = lazily(`(?i)^(?:but |like |as |again,? )*i(?:'ve| have)? (?:already )?(?:told|asked|said|keep telling|keep saying)(?: you)?(?: (?:before|already|twice|again|many times|several times))?(?: that| to|:|,)* (.+)$`)
	replaces = lazily(`(?i)^(?:please |always |you should |we |we should |just |only |let'?s |to )*((?:use|run|call|write|name|import|prefer|take|pick|put|commit to|deploy to|target|edit|test|it'?s|we use|we run|we call|we want to \w+|i want to \w+|we need to \w+|i use|i prefer)\b.+?(?:,? (?:instead of|rather than|in place of|over)|,? (?:and |but )?not) .+)$`)
	instead  = lazily(`(?i)^(?:no,? )?(?:instead of|rather than) (.+?),? (?:please )?((?:use|run|call|write|name|import|prefer|take|pick|put|just use|we use) .+)$`)
	never    = lazily(`(?i)^(?:never|don'?t|do not) .+[,;] (?:but )?(?:rather|use|instead|always) .+$`)
	contrast = lazily(`(?i)^((?:the|our|my|this|it|that|they|these|those|we|all|[a-z@` + "`" + `][\w./@` + "`" + `-]*) .*\b(?:is|are|was|lives?|goes|go|runs?|uses?|called|named|should be|must be|needs? to be|belongs?|means?|expects?|will be created|created|stored|kept|done)\b.*,? (?:and )?not (?:(?:in|at|by|with|on|from|to|the|a|an|as|via|through|for) )*[^,]{2,80})$`)
	actually = lazily(`(?i)^(?:no,? )?actually,? ((?:it|the|we|our|my|this|that|i)\b.* (?:is|are|uses?|lives?|runs?|prefer|called|named|has|have)\b.+)$`)
	// Told as a reproach: what was done, and what should have been.
	reproach = lazily(`(?i)^(?:but |and |so |wait,? |hey,? |again,? )*(?:why (?:did|are|were|do|have) (?:you|we)|you(?:'re| are| were|r)(?: still| again)?|you|youre) (?:still )?([a-z]+(?:ing|ed|t|e)?|commit|edit|put|ran|made) ?(.*?),? (?:and )?(?:not|instead of) (?:(?:in|on|to|with|from|at|into|using) )?((?:the|a|an|our|my)? ?[\w#@./` + "`" + `' -]{3,60}?)[?.!]*$`)
	// rebuked is a reproach that ends with how it is done, in group 1.
	rebuked = lazily(`(?i)^(?:but |and |so |wait,? |hey,? |again,? )*(?:why (?:did|are|were|do|have|would) (?:you|we) |you(?:'re| are| were|r)?(?: still| again)? )[^,;:?]{3,80}(?:[,;:?]| -) ?(?:when |because |but )?([^?]{8,200})[?.!]*$`)
	place   = lazily(`(?i)^.*\b(?:in|on|to|with|from|at|into|using)\b (.{3,60})$`)
	whyNot  = lazily(`(?i)^(?:but |and |so )*why (?:didn'?t|don'?t|haven'?t|aren'?t) (?:you|we) ((?:use|run|follow|check|call|read|write|test|commit|push|update)\b.{3,90}?)(?: just now| here| again| this time| then)*[?.!]*$`)
	// What was left out, of which there is a right way.
	omitted = lazily(`(?i)^(?:but |and |so |wait,? |hey,? )*you (?:did not|didn'?t|have not|haven'?t|forgot to|failed to) ((?:define|use|write|put|name|follow|format|add|create|run|commit|document|tag|update|place|store|structure|record)\b.{3,110}?)[.!]*$`)
	rightly = lazily(`(?i)\b(?:right|correct|proper|agreed|required|usual|standard) (?:format|way|place|directory|folder|branch|style|order|name|naming|template|structure|convention|file|location)\b|\bas (?:described|specified|documented|stated) in\b`)
	whyUse  = lazily(`(?i)^(?:but |and |so |wait,? )*why (?:are|did|do|were) (?:you|we) (?:still |even )?(using|use|running|run|calling|importing|linking|installing|editing|mocking) ([\w@./` + "`" + `'-]+(?: [\w@./` + "`" + `'-]+){0,5}?)[?.!]*$`)
	prior   = lazily(`(?i)^why did you (?:start|begin|go ahead and|jump (?:in)?to)?\w* ?(.+?) (?:prior to|before|without) (.+?)[?.!]*$`)
	// What a correction must not be about: this one piece of work.
	momentary = lazily(`(?i)\b(?:this (?:change|one|time|commit|part|line|file|task|bug|error|test)|that (?:change|one|part|line|file|error|bug)|these (?:changes|files|tests)|those (?:changes|files|tests)|the (?:next|previous|last|first|second|third|above|attached|remaining|following|wrong|same) |again|yet|manually|for me|yourself)\b|^(?:that|it|this)$`)
)

// correction finds where the user puts the agent right, and says what is right.
func correction(s *statement) (Candidate, bool) {
	if s.specified() || s.doubtful(s.text) || s.brief() {
		return Candidate{}, false
	}
	if c, ok := reproached(s); ok {
		return c, true
	}
	if question(s.text) || passes.MatchString(s.text) {
		return Candidate{}, false
	}
	text, strong, told := s.text, false, false
	for _, re := range []*pattern{denies, wrongs, denies} {
		if rest := re.ReplaceAllString(text, ""); rest != text {
			text, strong = rest, true
		}
	}
	if text == "" || len(tokens(text)) < 2 {
		if text = s.next; !strong || text == "" || s.unsaid(text) {
			return Candidate{}, false
		}
	}
	if m := repeats.FindStringSubmatch(text); m != nil {
		if text, strong, told = bidden(m[1]), true, s.work; !doing.MatchString(text) && !contrast.MatchString(text) && !holds.MatchString(text) {
			return Candidate{}, false
		}
	}
	if m := actualOf.FindStringSubmatch(text); m != nil && contrast.MatchString(m[1]) {
		text, strong = m[1], true
	}
	if s.opens && !strong {
		return Candidate{}, false // there is nothing to put right yet
	}
	return corrected(text, strong, s.work, told)
}

var (
	// actualOf puts right what the thing is.
	actualOf = lazily(`(?i)^(?:no,? |oh,? |well,? )*actually,? ((?:the|our|my) .+)$`)
	// shuns is what is not to be done, of the work, and with whatsoever.
	shuns     = lazily(`(?i)^(?:never|don'?t|do not) (?:ever )?(?:use|call|write|import|add|commit|push|touch|edit|mock|install|create|rely on|log|print|hard-?code|catch|return|throw|name|squash|rebase|merge|deploy|run|open|delete)\b`)
	bids      = lazily(`(?i)^(?:always |only )?(?:use|call|prefer|write|import) `)
	uncertain = lazily(`(?i)\b(?:it|this|that|them|those|these|whatever|anything|something|one|ones|so)\b`)
	notTo     = lazily(`(?i)^(not|never|always)(?: ever)? to `)
)

// bidden is what somebody was told to do, as it is told: not to push is do not push.
func bidden(s string) string {
	m := notTo.FindStringSubmatch(s)
	if m == nil {
		return s
	}
	rest := s[len(m[0]):]
	if strings.EqualFold(m[1], "not") {
		return "Do not " + rest
	}
	return m[1] + " " + rest
}

func corrected(text string, strong, work, told bool) (Candidate, bool) {
	text = trimmed(text)
	shunned := work && shuns.MatchString(text) && !uncertain.MatchString(text) && (strong || never.MatchString(text)) ||
		told && bids.MatchString(text) && !uncertain.MatchString(text) && len(tokens(text)) <= 8
	if momentary.MatchString(text) || !technical(text) && !shunned && !(strong && contrast.MatchString(text)) {
		return Candidate{}, false
	}
	switch {
	case instead.MatchString(text):
		m := instead.FindStringSubmatch(text)
		return correct(strings.TrimRight(m[2], ". ")+" instead of "+m[1], 0.85), true
	case replaces.MatchString(text):
		return correct(replaces.FindStringSubmatch(text)[1], 0.8), true
	case never.MatchString(text):
		return correct(text, 0.8), true
	case actually.MatchString(text):
		return correct(actually.FindStringSubmatch(text)[1], 0.7), true
	case contrast.MatchString(text) && len(tokens(text)) <= 30:
		return correct(text, 0.7), true
	case strong && (shunned || holds.MatchString(text) || doing.MatchString(text) && !oneOff.MatchString(text)):
		return correct(text, 0.65), true
	}
	return Candidate{}, false
}

// holds are statements of how things are.
var holds = lazily(`(?i)^(?:we (?:only |always |never )?(?:use|do|run|deploy|test|write|have|keep|need|don'?t|do not)|(?:the|our|my) .{3,60} (?:is|are|lives?|uses?|runs?|listens?|points?|deploys?))\b`)

// oneOff are the deeds that are asked for once.
var oneOff = lazily(`(?i)^(?:to )?(?:make|add|write|put|keep|check|start|commit|push|run)\b`)

// reproached reads a reproach as the instruction that was not followed.
func reproached(s *statement) (Candidate, bool) {
	text := s.text
	if !s.work && s.crafted(text) == 0 {
		return Candidate{}, false
	}
	if m := prior.FindStringSubmatch(text); m != nil {
		return correct("Do not "+base(m[1])+" before "+m[2], 0.7), true
	}
	if m := whyNot.FindStringSubmatch(text); m != nil && !momentary.MatchString(m[1]) {
		return correct(m[1], 0.6), true
	}
	if m := rebuked.FindStringSubmatch(text); m != nil {
		if right := strings.TrimRight(m[1], "?!. "); customary(right) {
			return correct(right, 0.7), true
		}
	}
	if m := reproach.FindStringSubmatch(text); m != nil && !momentary.MatchString(m[3]) {
		wrong := m[2]
		if at := place.FindStringSubmatch(m[2]); at != nil {
			wrong = at[1]
		}
		if strings.TrimSpace(wrong) != "" {
			return correct("Use "+strings.TrimSpace(m[3])+", not "+strings.TrimSpace(wrong), 0.75), true
		}
	}
	if m := omitted.FindStringSubmatch(text); m != nil && !momentary.MatchString(m[1]) && rightly.MatchString(m[1]) {
		return correct(m[1], 0.65), true
	}
	if m := whyUse.FindStringSubmatch(text); m != nil && !momentary.MatchString(m[2]) {
		return correct("Do not "+base(m[1]+" "+m[2]), 0.6), true
	}
	return Candidate{}, false
}

// usual are customs that a reproach ends with.
var usual = lazily(`(?i)^(?:we (?:don'?t|do not|never|only|always) (?:use|mock|write|add|commit|push|touch|edit|import|test|run|put|call|name|merge|deploy) .+|(?:the |all |our )?[a-z]+s (?:go|live|belong|are (?:kept|stored|put|written|named)) (?:in|into|under|to|at|next to|with|as) .+)$`)

// customary says whether a clause states how things are done here.
func customary(s string) bool {
	if question(s) || doubtful(s) || momentary.MatchString(s) || passing.MatchString(s) || state(s) || len(tokens(s)) < 3 {
		return false
	}
	for _, re := range customs {
		if re.MatchString(s) {
			return true
		}
	}
	if usual.MatchString(s) {
		return true
	}
	return contrast.MatchString(s) && technical(s) && !vagueSubject.MatchString(s)
}

// base takes "making changes" back to "make changes", for the verbs that agents
// are reproached with.
func base(s string) string {
	word, rest, _ := strings.Cut(s, " ")
	if to, ok := gerunds[strings.ToLower(word)]; ok {
		word = to
	}
	return strings.TrimSpace(word + " " + rest)
}

var gerunds = map[string]string{
	"making": "make", "editing": "edit", "writing": "write", "committing": "commit", "pushing": "push", "running": "run",
	"using": "use", "changing": "change", "coding": "code", "implementing": "implement", "deleting": "delete", "creating": "create", "linking": "link", "importing": "import", "installing": "install", "calling": "call", "mocking": "mock",
}

func correct(s string, confidence float64) Candidate {
	scope, content := aimed(s)
	c := Candidate{Category: Correction, Type: procedural, Importance: 0.8, Confidence: confidence, Target: scope, Content: content}
	if scope == memory.ScopeUser {
		c.Type = semantic
	}
	return c
}

var objects = lazily(`(?i)^(?:no,? |again,? |but |hey,? |and )*you(?:'re| are|r)? (?:still |again )?(?:in|(?:editing|working|changing|making changes|writing|committing|running|coding)(?: \w+){0,2}? (?:in|on|to|into|from)|editing) (the [\w/. -]{3,40}?)(?: again)?[.!]*$`)

// objection is the place in which the user says that the agent works, or "".
func objection(s *statement) string {
	if m := objects.FindStringSubmatch(s.text); m != nil && !momentary.MatchString(m[1]) {
		return strings.ToLower(m[1])
	}
	return ""
}
