package analysis

import "strings"

// stops are function words and the verbs that carry no meaning of their own.
// The list is small on purpose: not, no, all, up, down, out change what a note
// says.
var stops = wordSet(`
	a an and are am as at be been being but by can could did do does doing for
	from had has have having he her hers him his how i if in into is it its me
	my of on or our ours shall she should so than that the their theirs them
	then there these they this those to was we were what when where which who
	whom whose why will with would you your yours
	arent cant couldnt didnt doesnt dont hadnt hasnt havent isnt shouldnt wasnt
	werent wont wouldnt`)

// isStop reports whether a folded word is a function word.
func isStop(folded string) bool {
	return stops[folded]
}

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}
