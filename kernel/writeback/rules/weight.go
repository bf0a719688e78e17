package rules

import (
	"strings"
)

// worth is what a sentence must weigh to be told.
const worth = 3

// weight says how much a sentence tells of the user's life.
func weight(s string) int {
	w := tokens(s)
	verb, score := deed(w), shaped(s)
	event := verb > 0 || leavesOut(s)
	if !event && score < worth && !own.MatchString(s) {
		return 0
	}
	if when.MatchString(s) {
		score++
	}
	if m := fresh.FindStringSubmatch(s); m != nil && !hollow[strings.ToLower(m[1])] {
		score++
	}
	names := min(properNames(s), 1)
	nouns := min(lifeNouns(w), 2)
	if event {
		score += 2 + carried(w, verb, nouns == 0, names == 0 && !frequently.MatchString(s))
	}
	return score + names + nouns - lightness(s, nouns) - slight(s, w, verb)
}

// carried says what a deed weighs by what it is done to: more with an object when
// no noun weighs already, less when the verb tells nothing without one and nothing
// else is told.
func carried(w []string, verb int, bareOf, alone bool) int {
	what := object(w[verb:])
	empty := func() bool {
		return verb > 0 && weak(w[verb]) && !(verb > 1 && life[w[verb-2]]) && !what && lifeNouns(w[verb:]) == 0
	}
	if empty() {
		verb = beside(w, verb)
		what = object(w[verb:])
	}
	n := 0
	if bareOf && what {
		n++
	}
	if alone && empty() {
		n--
	}
	return n
}

// trifles are deeds that are none.
var trifles = lazily(`(?i)\b(?:(?:make|made|makes|making) an? (?:\w+ )?(?:team|pair|duo|point)|(?:take|taking|took) (?:\w+ ){0,3}(?:time|day|days) (?:off|out)|had (?:some|a bit of|a little|no) (?:trouble|difficulty)|(?:put|putting) (?:\w+ ){0,6}(?:effort|work|hours|time)|(?:^|\bi |\bwe )(?:meet|meeting|met|connect|connected|talk|talked) (?:\w+ ){0,3}(?:people|folks|others)|an? certain|had to (?:try|laugh|smile|share|say|tell|admit|stop|wait|go|leave|ask|get)|got to (?:go|run|get|pick|take|leave)|our (?:friendship|chats?|conversations?|talks?|bond|connection)|(?:had|have|ate|having|eating|made|making) (?:\S+ ){1,4}for (?:breakfast|lunch|dinner|brunch)|(?:cooked|made|had|ate|cooking|making) (?:\w+ )?(?:dinner|lunch|breakfast|brunch)$|clean(?:ed|ing)? (?:up )?(?:the|my) \w+$|laundry|(?:do|did|doing|wash|washed|washing) (?:the |my |some )?dishes|groceries|(?:fell|fall|falling) asleep|(?:seen|watched|read|played|tried|heard|know|saw) (?:that|it|those|this)|(?:saw|see|met|watched|heard) (?:someone|somebody|people|a (?:guy|man|woman|lady|person))|had an? (?:\w+ ){0,2}(?:day|week|morning|night|weekend)\b|the most of|(?:enjoy|enjoyed|love|loved) every|(?:tonight|tomorrow)\b|(?:got|have|made|found|bought|took|see|saw) (?:this|these|that|those) \w+(?: \w+)?$)`)

// asking is what somebody asked for, which was no doubt.
var asking = lazily(`(?i)\b(?:asked|asking) (?:\w+ ){0,2}if (?:i|we) (?:could|can|might)\b`)

// called says what somebody's name is.
var called = lazily(`(?i)\b(?:his|her|its|their) names?(?:'s| is| are) (?-i:[A-Z][a-z]+)`)

// ofKin is how those are whom the user has.
var ofKin = lazily(`(?i)^(?:my|our) (?:\w+ )?` + kinWord + ` (?:is|are|was|were) ([^,;]+)`)

// lightness says what speaks against it: the talk of a moment, what is pointed at,
// what is vague.
func lightness(s string, nouns int) int {
	n := 0
	for _, against := range []*pattern{talk, future, deictic, trifles} {
		if against.MatchString(s) {
			n += 2
		}
	}
	if m := ofKin.FindStringSubmatch(s); m != nil && !concrete(tokens(m[1])) && !called.MatchString(s) {
		n += 2
	}
	if vague(s) {
		n++
		if nouns+min(properNames(s), 1) < 2 {
			n++
		}
	}
	if moods.MatchString(s) && nouns == 0 {
		n++
	}
	return n
}
