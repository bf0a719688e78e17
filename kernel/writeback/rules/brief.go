package rules

// piece is what is worked on for a while.
const piece = `(?:task|job|ticket|issue|bug|pr|mr|pull request|merge request|change|change ?set|commit|branch|patch|diff|feature|refactor\w*|experiment|exercise|script|file|function|method|class|query|run|session|conversation|chat|sprint|demo|meeting|step|round|iteration|one|time|week|month|morning|afternoon|evening|weekend)`

// weekday is a time that comes soon.
const weekday = `(?:mon|tues|wednes|thurs|fri|satur|sun)day`

var (
	// passing is said of what holds for a while only.
	passing = lazily(`(?i)(?:` +
		`\b(?:for now|for the moment|at the moment|right now|for the time being|for the meantime|in the meantime|temporarily|just once|only once|this once|as a one-?off|today only|(?:just|only) today|for (?:today|tonight|tomorrow|a (?:bit|while|moment|day|few \w+))|(?:for |during )?the rest of (?:this|the|today)\b.*)\b` +
		`|^(?:today|tonight|tomorrow|this time)\b|\b(?:today|tonight|tomorrow)[.! ]*$` +
		`|\bthis time(?: (?:only|around))?[,.;! ]*$` +
		`|\b(?:until|till|til) (?:next |this |the end of )?(?:` + weekday + `|tomorrow|tonight|noon|midnight|eod|then|further notice|next (?:week|month)|(?:the )?(?:week|month|day|sprint)(?:'s end)?|january|february|march|april|june|july|august|september|october|november|december)\b` +
		`|^(?:until|till) (?:the|we|this|i|our)\b` +
		`|\b(?:for|in|on|during|within|just|only|while (?:in|on)) (?:just )?(?:this|the current) (?:\w+ )?` + piece + `\b` +
		`|\bthis (?:week|month|sprint|morning|afternoon|evening|weekend)\b` +
		`|\b(?:while|as long as) (?:we|you|i)(?:'re| are|'m| am)? (?:still )?(?:debug\w*|test\w*|work\w*|do\w*|investigat\w*|try\w*|migrat\w*|fix\w*) (?:on )?(?:this|that|it)\b)`)
	// lasting denies that it passes.
	lasting = lazily(`(?i)\b(?:not|isn't|and not) (?:just|only)? ?(?:for |in |on )?(?:now|today|this (?:once|\w+))\b`)
	// briefly is such a remark by itself.
	briefly = lazily(`(?i)^(?:but |and |just |only |that's |this is |it's )*(?:just |only )?(?:for (?:now|today|tonight|the moment|this \w+)|this (?:once|time)|today|temporary|temporar(?:y|ily)|until \w+(?: \w+)?|in this \w+)[.! ]*$`)
)

// brief says whether a sentence holds for a while only.
func (s *statement) brief() bool {
	return passing.MatchString(lasting.ReplaceAllString(s.text, "")) || briefly.MatchString(s.next)
}
