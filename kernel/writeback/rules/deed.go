package rules

import "strings"

// deed finds the first deed of the user, or of those whom he has, in the words of
// a sentence. It returns the place of the verb, or 0.
func deed(w []string) int {
	for n, t := range w {
		who, joined, _ := strings.Cut(t, "'")
		if !persons[who] {
			if !belongs(w, n) {
				continue
			}
			joined = ""
		}
		if n > 0 && supposing[w[n-1]] {
			continue
		}
		if verb := predicate(w, n+1, joined); verb > 0 {
			return verb
		}
	}
	return 0
}

// belongs says whether the word is somebody whom the user has: my sister, our dog.
func belongs(w []string, n int) bool {
	return (kin[w[n]] || groups[w[n]]) && (n > 0 && owners[w[n-1]] || n > 1 && owners[w[n-2]])
}

// predicate is the place of the verb of a deed in what begins at word n, after a
// person, with what was joined to the person: m, ve. It is 0 when there is none.
func predicate(w []string, n int, joined string) int {
	be, have := joined == "m" || joined == "re", joined == "ve"
	if joined == "ll" || joined == "d" {
		if be = joined == "ll" && n < len(w) && w[n] == "be"; !be {
			return 0
		}
	}
	for ; n < len(w); n++ {
		t := w[n]
		switch {
		case auxBe[t] || t == "ended" && word(w, n+1) == "up":
			be = true
		case auxHave[t] && participle(w, n+1):
			have = true
		case auxDo[t] && is(word(w, n+1), "b"):
		case adverbsOf[t] || strings.HasSuffix(t, "ly") && acts[t] == "":
		default:
			return verbAt(w, n, be, have)
		}
	}
	return 0
}

// word is the word at a place, or "".
func word(w []string, n int) string {
	if n < len(w) {
		return w[n]
	}
	return ""
}

// is says whether a word is one of these forms of a verb for a deed.
func is(w, forms string) bool { return strings.ContainsAny(acts[w], forms) }

// participle says whether one follows, behind adverbs.
func participle(w []string, n int) bool {
	for n < len(w) && (adverbsOf[w[n]] || w[n] == "been" || strings.HasSuffix(w[n], "ly")) {
		n++
	}
	return n > 0 && n < len(w) && (w[n-1] == "been" || is(w[n], "n") || strings.HasSuffix(w[n], "ed") && len(w[n]) > 4)
}

// verbAt is the place of the verb that tells the deed, if word n tells one.
func verbAt(w []string, n int, be, have bool) int {
	t, next := w[n], word(w, n+1)
	switch {
	case phrasal[t] != "" && strings.Contains(phrasal[t], next) && next != "" && (be || !strings.HasSuffix(t, "ing")):
		return n // checked out
	case t == "came" && next == "back", weakForms[t] && is(next, "g"), helping[t] && is(next, "b"):
		return n + 1 // started painting, helped build
	case be && mulling[t] && is(next, "g"):
		return n + 1 // considering moving
	case be && mulling[t] && abouts[next] && (is(word(w, n+2), "g") || indefinite[word(w, n+2)] && object(w[n+2:])):
		return n + 1 // thinking of moving, about a new job
	}
	if leading[t] && !(t == "got" && have) {
		if verb := infinitive(w, n); verb > 0 {
			return verb
		}
	}
	if t == "have" && (w[n-1] == "don't" || w[n-1] == "dont") {
		return 0
	}
	if owns(t, have) || underway(t, be) || happened(t, be, have) || !be && !have && (habitual[t] || habitual[strings.TrimSuffix(t, "s")]) {
		return n
	}
	return 0
}

func owns(t string, have bool) bool {
	return t == "have" || t == "has" || t == "own" || t == "got" && have
}

// underway says whether a gerund tells a deed.
func underway(t string, be bool) bool {
	return be && strings.HasSuffix(t, "ing") && len(t) > 4 && t != "going" && (is(t, "g") || livelyGerunds[t] || !idle(t, "ing"))
}

// happened says whether a past form tells a deed.
func happened(t string, be, have bool) bool {
	past := is(t, "pn") || strings.HasSuffix(t, "ed") && len(t) > 4 && !idle(t, "ed")
	return past && !(be && (stricken[t] || !have && idleState[t]))
}

// infinitive is the place of the verb behind "to", not far behind a leading word.
func infinitive(w []string, n int) int {
	if w[n] == "gonna" || w[n] == "wanna" {
		if is(word(w, n+1), "b") {
			return n + 1
		}
	}
	for m := n + 1; m < len(w)-1 && m <= n+2; m++ {
		if w[m] != "to" {
			continue
		}
		v := m + 1
		for v < len(w)-1 && (adverbsOf[w[v]] || w[v] == "be") {
			v++
		}
		if w[v] != "have" && is(w[v], "b") || habitual[w[v]] {
			return v
		}
	}
	return 0
}

// beside is the place of the deed that is told beside a weak one: we stayed in and
// played chess.
func beside(w []string, verb int) int {
	for n := verb + 2; n < len(w); n++ {
		if (w[n-1] == "and" || w[n-1] == "then") && is(w[n], "png") && !weakForms[w[n]] {
			return n
		}
	}
	return verb
}

// weak says whether a verb tells nothing by itself, or is not known.
func weak(t string) bool { return acts[t] == "" && !habitual[t] || weakForms[t] }
