package rules

import "strings"

func merged(a, b map[string]bool) map[string]bool {
	for w := range a {
		b[w] = true
	}
	return b
}

func number(w string) bool { return w != "" && w[0] >= '0' && w[0] <= '9' }

// lifeNouns counts the nouns of life in the words of a sentence.
func lifeNouns(w []string) int {
	n := 0
	for i, t := range w {
		if alsoVerbs[t] && (i == 0 || !determiners[w[i-1]] && !places[w[i-1]] && !qualities[w[i-1]] && !moodWords[w[i-1]] && !life[w[i-1]]) {
			continue // to work, they show
		}
		t = strings.TrimSuffix(t, "'s")
		if life[t] || life[strings.TrimSuffix(t, "s")] || strings.Contains(t, "-") && lifePart(t) {
			n++
		}
	}
	return n
}

func lifePart(t string) bool {
	for part := range strings.SplitSeq(t, "-") {
		if life[part] {
			return true
		}
	}
	return false
}

// object says whether the words behind a verb name something: a determiner and a
// noun that is not hollow.
func object(w []string) bool {
	if len(w) > 1 && acts[w[0]] != "" && !weakForms[w[0]] && !determiners[w[1]] && !bounds[w[1]] && concrete(w[1:]) {
		return true
	}
	strong := len(w) > 0 && acts[w[0]] != "" && !weakForms[w[0]]
	for n := 0; n < len(w); n++ {
		if strong && n > 0 && aimsAt[w[n-1]] && !bounds[w[n]] && concrete(w[n:]) {
			return true
		}
		if !determiners[w[n]] && !number(w[n]) {
			continue
		}
		if concrete(w[n+1:]) {
			return true
		}
	}
	return false
}

// concrete says whether what is named by the next words is more than a way to
// speak: a kayak, not a lot of fun.
func concrete(w []string) bool {
	first, last := "", ""
	for n := 0; n < len(w) && !bounds[w[n]]; n++ {
		t := strings.TrimSuffix(w[n], "'s")
		if moodWords[t] || qualities[t] || determiners[t] || adverbsOf[t] {
			continue
		}
		if first == "" {
			first = t
		}
		last = t
	}
	if last == "stuff" && first != last && !hollow[first] && first != "life" && first != "work" {
		return true // camping stuff
	}
	return len(last) > 2 && !hollow[first] && !hollow[last] && !hollow[strings.TrimSuffix(last, "s")]
}

// substance counts the words of a sentence that are about something.
func substance(s string) int {
	n := properNames(s)
	for _, t := range tokens(s) {
		t = strings.TrimSuffix(t, "'s")
		if len(t) > 2 && !empty[t] && !moodWords[t] && !hollow[t] && !bounds[t] && !determiners[t] && !adverbsOf[t] && !strings.Contains(t, "'") {
			n++
		}
	}
	return n
}

// closest says whether a sentence is about those whom the user has.
func closest(s string) bool {
	w := tokens(s)
	for n := range w {
		if belongs(w, n) {
			return true
		}
	}
	return false
}
