package rules

import (
	"unicode/utf8"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// tale is what the user tells of himself, to which the sentences after it may
// belong: I adopted a dog. I called it Rex.
type tale struct {
	c      Candidate
	order  int
	amends bool
	gap    int // sentences since that told nothing
	open   bool
}

// maxGap is how many sentences may stand between a tale and what goes on with it.
const maxGap = 2

var (
	// refers begins what goes on with what was said.
	refers = lazily(`(?i)^(?:it|its|it's|they|they're|they've|their|he|he's|his|she|she's|her|this|that|that's|these|those|both|there|the (?:first|second|other|last) one)\b|^(?:\S+ ){1,5}?\S+, (?:it|they|he|she)\b`)
	// points is said of what is seen.
	points = lazily(`(?i)^(?:this is|these are)\b|[:;]-?[()DP]|^(?:that|this)(?:'s| is) (?:\w+ ?){1,2}$`)
	// onIt is a deed with what was spoken of.
	onIt = lazily(`(?i)\b(?:i|we)(?:'ve|'m|'re|'d)? (?:[\w']+ ){1,4}(?:it|them|him|her|there|one)\b|^(?:i|we)\b.* (?:it|them|him)$|^(?:my|our) (?:\w+ ){1,3}(?:it|them|him)\b`)
)

// goesOn returns what a sentence adds to the tale before it, or "".
func goesOn(s *statement) string {
	if question(s.text) || s.pasted || begins.MatchString(s.text) || s.doubtful(s.text) {
		return ""
	}
	text := s.tells()
	if !refers.MatchString(text) && !onIt.MatchString(text) || partner.MatchString(text) || future.MatchString(text) || deictic.MatchString(text) || question(text) {
		return ""
	}
	n := substance(text)
	if n == 0 || n == 1 && !own.MatchString(text) && !ofMe.MatchString(text) && !object(tokens(text)) || points.MatchString(text) {
		return ""
	}
	return text
}

// takes adds a sentence to the tale, if there is room.
func (t *tale) takes(text string) bool {
	add := tidy(together(third(text)))
	if utf8.RuneCountInString(t.c.Content)+utf8.RuneCountInString(add) >= maxContent {
		return false
	}
	t.c.Content += " " + add
	return true
}

// slightSure is up to what confidence a finding is too slight to stand beside a
// tale: it goes along with it.
const slightSure = 0.75

// joins adds a slight finding to the tale that it follows.
func (t *tale) joins(c Candidate) bool {
	if !t.open || t.gap > 1 || !ofLife(t.c) || !ofLife(c) || c.Confidence > slightSure {
		return false
	}
	if utf8.RuneCountInString(t.c.Content)+utf8.RuneCountInString(c.Content) >= maxContent {
		return false
	}
	t.c.Content += " " + c.Content
	return true
}

// ofLife says whether a candidate tells of the user's life.
func ofLife(c Candidate) bool {
	return c.Target == memory.ScopeUser && (c.Category == Fact || c.Category == Preference)
}

// antecedent is the sentence before, when it says what this one is about.
func (s *statement) antecedent() string {
	if s.prev == "" || s.taken || question(s.prev) || doubtful(s.prev) {
		return ""
	}
	text := told(plainly(s.prev))
	if len(tokens(text)) < 3 || partner.MatchString(text) || vague(text) || deictic.MatchString(text) || talk.MatchString(text) || pointing.MatchString(text) || substance(text) < 2 || idly(text) {
		return ""
	}
	return text
}
