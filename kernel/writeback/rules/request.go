package rules

import (
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

var (
	polite = `(?i)^(?:(?:please|pls|plz|hey|ok|okay|so|and|also|but|oh|no|yes|yeah|actually|sorry|wait|correction|update|oops|well|hm+|btw|claude|agent|bitte|por favor|s'il te plaît|s'il vous plaît|can you|could you|would you|will you|you should|you must|you have to|i want you to|i need you to|i'd like you to|kannst du)[,:]? )*`
	// What is asked to be remembered, in group 1.
	remembers = []*pattern{
		lazily(polite + `(?:remember|keep in mind|bear in mind|don'?t forget|do not forget|never forget|memori[sz]e)(?: for (?:the future|later|next time))?(?: that |: ?| this: ?)(.+)$`),
		lazily(polite + `(?:remember|keep in mind|bear in mind|don'?t forget|do not forget)(?: for (?:the future|later|next time))?,? ((?:i|we|my|our|to always|to never|never|always)\b.+)$`),
		lazily(polite + `(?:remember|keep in mind|bear in mind)(?: for (?:the future|later|next time))?,? ((?:the|this|all|every|each|in|on|when)\b.+)$`),
		lazily(polite + `(?:make|take|leave) (?:yourself )?a (?:permanent |mental )?note (?:that|of|:|to)[: ]*(.+)$`),
		lazily(polite + `note(?: for (?:the future|later|next time|future sessions|future reference|yourself))(?: that|:|,)[: ]*(.+)$`),
		lazily(polite + `(?:save|store|add|put|write|record|commit) (?:this |that |it )?(?:in|to|into) (?:your |the |long-term |project )*memor(?:y|ies)(?: that|:|,)[: ]*(.+)$`),
		lazily(polite + `for (?:future reference|the record|next time|future sessions|your memory|your information in future)[,:]? (.+)$`),
		// German
		lazily(polite + `(?:merke?|behalte?) (?:dir|es dir)(?: bitte)?(?:,? dass |: ?|, )(.+)$`),
		lazily(polite + `(?:denk|vergiss)e? (?:bitte )?(?:immer )?(?:daran|dran|nicht)(?:, dass |: ?|, )(.+)$`),
		lazily(polite + `notiere? (?:dir)?(?: bitte)?(?: für die zukunft)?(?:,? dass |: ?|, )(.+)$`),
		// French
		lazily(polite + `(?:souviens-toi|rappelle-toi|souvenez-vous|retiens|retenez|n'oublie pas|n'oubliez pas|note)(?: bien)?(?: que | qu'|: ?| : )(.+)$`),
		// Spanish
		lazily(polite + `(?:recuerda|recuerde|acuérdate de|no olvides|no olvide|ten en cuenta|anota)(?: que |: ?)(.+)$`),
		// Chinese, Japanese, Korean
		lazily(`^(?:请|請)?(?:你)?(?:记住|記住|记得|記得)(?:这一点|這一點)?[，,：: ]*(.+)$`),
		lazily(`^(.+?)(?:こと)?(?:を|と)?(?:覚えておいて|おぼえておいて|覚えて|記憶して)(?:ください|下さい|ね)?[。.]?$`),
		lazily(`^(.+?)(?:을|를|것을|고)? ?기억해(?: ?주세요| ?줘)?[.]?$`),
	}
	// "Remember this:" alone, and what is meant follows or came before.
	remembersNext = lazily(polite + `(?:remember|memori[sz]e|keep in mind|note) (?:this|the following)(?: for (?:later|the future|next time))?[:.]?$`)
	// To do something is asked for once, unless it says when or where.
	remembersTo = lazily(polite + `(?:remember|don'?t forget|do not forget) to (.+)$`)
	standing    = lazily(`(?i)\b(?:always|never|every(?: single)? (?:time|commit|change|release|pr|session|day|week|file)|each (?:time|commit|change|release|pr|session)|whenever|before (?:you )?(?:commit|push|merg|releas|deploy|each|every|any)\w*|after (?:you )?(?:commit|push|merg|releas|deploy|each|every|any)\w*|in (?:this|our|the) (?:repo|repository|project|codebase)|from now on|in (?:the )?future|going forward)\b`)
	// subclause is a German one, of which the verb stands at the end.
	subclause = lazily(`(?i)^[^:]{1,60}\bdass `)
	// Reminiscence and consolation are not requests.
	consoles = lazily(`(?i)\b(?:remember(?: the time)? when|believe in|yourself|your (?:dreams?|passion|heart)|you(?:'ve| have) got this|you can do (?:it|this)|take (?:care|it easy)|have fun|stay (?:safe|strong|positive))\b`)
	minds    = lazily(polite + `(?:keep|bear) in mind\b`)
	worldly  = lazily(`(?i)\b(?:in )?(?:all|any|every|each)(?: of)?(?: my| our)? (?:projects?|repos?|repositor(?:y|ies)|codebases?)\b|\bglobal(?:ly)?\b|\bacross projects\b|\bnot just (?:for|in) (?:this|\w+)$`)
	// How the user wants to be spoken to does not depend on the project.
	ofStyle = lazily(`(?i)^(?:please |to |always |never |only |just )*(?:answer|reply|respond|speak|talk to me|address me|call me|explain things|be (?:more )?(?:concise|brief|terse|direct|honest)|keep (?:your |the )?(?:answers|replies|responses|explanations)|antworte|sprich|réponds|parle|responde|háblame)\b|^(?:请)?用.{1,6}(?:回答|回复)|語で(?:答え|話し)`)
	ofUser  = lazily(`(?i)^(?:that )?(?:i|i'm|i've|i'd|my|we live|ich|mein|meine|je|j'|mon|ma|mes|yo|mi|mis|me llamo|我|私|僕)\b|^(?:我|私|僕)|^j'`)
)

// request finds what a person asks to be remembered.
func request(s *statement) (Candidate, bool) {
	text := strings.TrimSpace(strings.TrimSuffix(s.text, "?"))
	if s.pasted && !s.edge || consoles.MatchString(text) || quoted.MatchString(text) || jokes.MatchString(text) {
		return Candidate{}, false
	}
	what := ""
	for n, re := range remembers {
		if m := re.FindStringSubmatch(text); m != nil && (n != 2 || technical(m[1])) {
			what = m[1]
			break
		}
	}
	if m := remembersTo.FindStringSubmatch(text); what == "" && m != nil && standing.MatchString(m[1]) {
		what = m[1]
	}
	if what == "" && remembersNext.MatchString(text) && s.next != "" && !unsaid(s.next) {
		what = s.next
	}
	if what != "" && !s.work && (nameOnly(s.text, what) || reminds(s.text)) {
		return Candidate{}, false
	}
	if what == "" || len(tokens(what)) < 2 && len([]rune(what)) < 6 || question(what) && strings.HasSuffix(s.text, "?") {
		return Candidate{}, false
	}
	c := Candidate{Category: Request, Asked: true, Importance: 0.9, Confidence: 0.95}
	if minds.MatchString(text) && !standing.MatchString(text) { // it may be for this task only
		c.Asked, c.Importance, c.Confidence = false, 0.7, 0.65
		if s.opens {
			c.Confidence = 0.4
		}
	}
	if subclause.MatchString(text) {
		what = mainClauseOf(what)
	}
	if c.Target, c.Content = aimed(what); subclause.MatchString(text) {
		c.Content = tidy(what)
	}
	if told, ok := thirdAbroad(what); ok {
		c.Target, c.Content = memory.ScopeUser, tidy(told)
	}
	c.Type = semantic
	if c.Target != memory.ScopeUser {
		c.Type = kind(what)
	}
	return c, true
}

var (
	// recalled begins what two remember together: remember that match.
	recalled = lazily(`(?i)\b(?:remember|forget) that `)
	begged   = lazily(`(?i)\b(?:can|could|would|will|kannst|könntest) (?:you|du)\b|\bplease\b`)
	// clausal is what a clause has and a name of something has not.
	clausal = lazily(`(?i)\b(?:i|i'm|i've|i'd|i'll|my|we|we're|our|me|us|is|are|was|were|am|be|been|has|have|had|do|does|did|don't|doesn't|can|can't|could|will|won't|would|should|must|may|never|always|need|needs|want|wants|like|likes|prefer|prefers|use|uses|goes|go|live|lives|work|works|it's|he's|she's|that's|there's|they're)\b`)
)

// reminds says whether "remember that ...?" asks the other what he remembers, and not
// to remember ("can you remember that ...?").
func reminds(text string) bool {
	return strings.HasSuffix(text, "?") && !begged.MatchString(text)
}

// nameOnly says whether what follows "remember that" is a thing ("that movie night")
// rather than a statement. Longer ones have verbs that no list holds.
func nameOnly(text, what string) bool {
	return recalled.MatchString(text) && !clausal.MatchString(what) && len(tokens(what)) <= 2
}

// aimed says where a text belongs that was asked for or instructed, and how it
// reads there.
func aimed(s string) (memory.Scope, string) {
	switch {
	case worldly.MatchString(s):
		return memory.ScopeGlobal, tidy(third(s))
	case ofUser.MatchString(s):
		return memory.ScopeUser, tidy(third(s))
	}
	if ofStyle.MatchString(s) {
		return memory.ScopeUser, tidy(third(s))
	}
	return memory.ScopeProject, tidy(third(s))
}

var doing = lazily(`(?i)^(?:to )?(?:always|never|don'?t|do not|use|run|write|add|keep|put|avoid|prefer|make|call|commit|push|test|check|follow|start|format|immer|nie|niemals|toujours|jamais|ne|siempre|nunca|no)\b`)

// kind says whether a text tells how to do something, or what is.
func kind(s string) string {
	if doing.MatchString(s) {
		return procedural
	}
	return semantic
}
