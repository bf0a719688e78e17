package rules

import "strings"

var (
	// denies begins a correction, perhaps as a sentence of its own.
	denies = lazily(`(?i)^(?:(?:no+|nope|nah|wrong|incorrect|correction|actually|stop|wait|sorry|nein|non|falsch|faux)\b[,.!:;]* *|(?:that(?:'s| is| was)|this is|it's|you(?:'re| are)) (?:wrong|incorrect|not (?:right|correct|true|what i (?:meant|said|wanted|asked))|the (?:wrong|opposite))[^,.;:]*[,.;:]? *|(?:but |like |as |again,? )*i(?:'ve| have)? (?:already )?(?:told|asked|keep telling)(?: you)?(?: (?:before|already|twice|again|many times|several times))?(?: that| to|:|,)* +)+`)
	// corrections name the right and the wrong.
	corrections = []*pattern{
		lazily(`(?i)^((?:please |always |you should |we |we should |just |only )?(?:use|run|call|write|name|import|prefer|target|edit|test|commit to|deploy to|push to|work in|install)\b [^,;]{2,80}?(?:,? (?:instead of|rather than|in place of)|,? (?:and )?not) [^,;]{2,60})$`),
		lazily(`(?i)^((?:instead of|rather than) [^,]{2,60},? (?:please )?(?:use|run|call|write|name|import|prefer|target|edit|test|install) .{2,80})$`),
		lazily(`(?i)^((?:the|our|my) [^,;]{2,60} (?:is|are|lives?|goes|go|runs?|listens?|uses?|belongs?|points?|called|named|kept|stored)\b[^,;]{1,60},? (?:and )?not (?:(?:in|at|by|with|on|from|to|the|a|an|as|via|through) )*[^,;]{2,60})$`),
	}
	// reminded is what the user had said already: how things are done here, or what
	// has a new value.
	reminded = []*pattern{
		lazily("(?i)^((?:never|always|don'?t|do not) (?:ever )?(?:use|call|write|import|add|commit|push|touch|edit|mock|install|create|rely on|log|hard-?code|squash|rebase|merge|deploy|run|delete) .{2,90})$"),
		lazily(`(?i)^(we (?:only |always |never |don'?t |do not )?(?:use|run|deploy|test|write|keep|support) .{2,90})$`),
	}
	valued = lazily("(?i)^((?:the|our|my) [\\w '-]{2,60} (?:is|are|listens on|runs on|points to|lives in|deploys to) (?:now )?(?:port |called |named |in |on |at )*`?[\\w.:/-]*\\d[\\w.:/-]*`?)(?: now)?[.! ]*$")
	// momentary is of this one piece of work.
	momentary = lazily(`(?i)\b(?:the (?:wrong|right|correct|first|second|new|old) |manually|for me|yourself|yet|now|here)\b`)
)

// correction finds where the user puts the agent right in words that name what is
// right.
func correction(s *statement) (c Candidate, ok bool) {
	text := strings.TrimRight(s.text, "!. ")
	rest := denies.ReplaceAllString(text, "")
	denied := rest != text || s.prev != "" && denies.ReplaceAllString(s.prev, "") == ""
	m := firstMatch(corrections, rest)
	switch {
	case m != nil && (denied || namesBoth(m[1])):
	case denied:
		if m = firstMatch(reminded, rest); m == nil {
			m = valued.FindStringSubmatch(rest)
		}
	default:
		m = nil
	}
	if m == nil || momentary.MatchString(m[1]) || question(m[1]) || !s.statesValue(m[1]) {
		return c, false
	}
	return s.candidate(Correction, m[1], 0.8), true
}

// statesValue is states for a text that may be about a number.
func (s *statement) statesValue(text string) bool {
	return s.states(figure.ReplaceAllString(text, "n"))
}

var figure = lazily(`\b\d[\w.:]*\b`)

// namesBoth says whether at least two things of a text have names that need no
// explanation: literals, identifiers, programs.
func namesBoth(text string) bool {
	n := 0
	for _, w := range strings.Fields(text) {
		if bare := strings.Trim(w, ",.;:!?()'"); identifier.MatchString(bare) || programs[strings.ToLower(bare)] {
			n++
		}
	}
	return n >= 2
}

// identifier is a word that is written as no other word is.
var identifier = lazily("^(?:`[^`]+`|@[\\w-]+/[\\w-]+|[a-z]+[A-Z]\\w*|\\w+_\\w+|\\w+-\\w+-?\\w*|--?[a-z][\\w-]+|[\\w.-]*[./]\\w[\\w./-]*)$")
