package rules

import "regexp"

// worth is what a sentence must weigh to be told.
const worth = 3

// weight says how much a sentence tells of the user's life.
func weight(s string) int {
	w := tokens(s)
	d := deed(w)
	shape := shaped(s)
	event := d.verb > 0 || leavesOut(s)
	if !event && shape < 3 && !own.MatchString(s) {
		return 0
	}
	score := shape
	if event {
		score += 2
	}
	if when.MatchString(s) {
		score++
	}
	if fresh.MatchString(s) {
		score++
	}
	nouns := min(lifeNouns(w), 2)
	behind := w[min(d.verb, len(w)):]
	names := object(behind)
	if d.weak(w) && !names && lifeNouns(behind) == 0 {
		d = d.beside(w)
		behind = w[min(d.verb, len(w)):]
		names = object(behind)
	}
	if nouns == 0 && event && names {
		score++
	}
	if d.weak(w) && !frequently.MatchString(s) && !names && lifeNouns(behind) == 0 && properNames(s) == 0 {
		score--
	}
	score += nouns
	if properNames(s) > 0 {
		score++
	}
	return score - lightness(s, nouns)
}

// trifles are deeds that are none.
var trifles = regexp.MustCompile(`(?i)\b(?:(?:make|made|makes|making) an? (?:\w+ )?(?:team|pair|duo|point)|had (?:some|a bit of|a little|no) (?:trouble|difficulty)|(?:put|putting) (?:\w+ ){0,6}(?:effort|work|hours|time)|(?:meet|meeting|met|connect|connected|talk|talked) (?:\w+ ){0,3}(?:people|folks|others)|an? certain|had to (?:try|laugh|smile|share|say|tell|admit|stop|wait|go|leave|ask|get)|got to (?:go|run|get|pick|take|leave)|our (?:friendship|chats?|conversations?|talks?|bond|connection)|(?:had|have|ate|having|eating|made|making) (?:\S+ ){1,4}for (?:breakfast|lunch|dinner|brunch)|(?:seen|watched|read|played|tried|heard|know|saw) (?:that|it|those|this)|(?:saw|see|met|watched|heard) (?:someone|somebody|people|a (?:guy|man|woman|lady|person))|had an? (?:\w+ ){0,2}(?:day|week|morning|night|weekend)\b|the most of|(?:enjoy|enjoyed|love|loved) every|(?:tonight|tomorrow)\b|(?:got|have|made|found|bought|took|see|saw) (?:this|these|that|those) \w+(?: \w+)?$)`)

// ofKin is how those are whom the user has.
var ofKin = regexp.MustCompile(`(?i)^(?:my|our) (?:\w+ )?` + kinWord + ` (?:is|are|was|were) ([^,;]+)`)

// lightness says what speaks against it: the talk of a moment, what is pointed at,
// what is vague.
func lightness(s string, nouns int) int {
	n := 0
	for _, against := range []*regexp.Regexp{talk, future, deictic, trifles} {
		if against.MatchString(s) {
			n += 2
		}
	}
	if m := ofKin.FindStringSubmatch(s); m != nil && !concrete(tokens(m[1])) {
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
