package rules

import "strings"

var (
	// likings are whole sentences about what the user likes; what is in group 1, of
	// what in group 2.
	likings = []*pattern{
		lazily(`(?i)^(?:(?:and|but|also|btw|fyi),? )*(i(?:'d| would)? (?:really |strongly |much )*prefer (?:that )?(you .+))$`),
		lazily(`(?i)^(?:(?:personally|honestly|generally|usually|and|but|also|by the way|btw|fyi),? )*((?:i|we) (?:really |strongly |generally |usually |always |much |also |absolutely )*(?:prefer|like|love|enjoy|hate|dislike|despise|can't stand|favou?r|(?:do not|don'?t) (?:really )?like) (.+))$`),
		lazily(`(?i)^(?:(?:and|but|also|btw|fyi),? )*(my (?:favou?rite|preferred) \w+(?: \w+)? (?:is|are) (.+))$`),
		lazily(`(?i)^((?:ich (?:bevorzuge|mag|liebe|hasse)|(?:moi )?je préfère|j'(?:aime|adore)|je déteste|(?:yo )?prefiero|me gustan?|odio) (.+))$`),
		lazily(`^(我(?:更?喜欢|偏好|讨厌)(.+))$`),
	}
	// definite is what was just said or shown, and not a kind of thing.
	definite = lazily(`(?i)^(?:(?:the|your|his|her|their|how|what|where|when|who|if|option|choice|version|idea|plan|number|both|all|either|one|some|any|none|to (?:see|hear|know|join|check|say|try|meet|look|do|go))\b|that\b|[a-d]$)`)
)

// maxLiking is how many words a liking has at most: a longer one tells of the work.
const maxLiking = 25

// preference finds what the user likes, dislikes or prefers.
func preference(s *statement) (c Candidate, ok bool) {
	text := strings.TrimRight(s.text, "!. ")
	m := firstMatch(likings, text)
	if m == nil || definite.MatchString(m[2]) || !s.states(m[1]) || len(tokens(text)) > maxLiking {
		return c, false
	}
	return s.candidate(Preference, m[1], 0.7), true
}
