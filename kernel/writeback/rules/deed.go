package rules

import "strings"

// What may stand between the person and the verb.
var (
	adverbsOf = words(`also just always often sometimes still only almost even ever kinda sorta quite rather first then now too actually
		finally recently lately currently already really totally gladly eventually since both all mostly definitely basically personally simply
		already usually normally typically regularly generally literally initially originally once myself ourselves together proudly
		barely nearly officially successfully obviously certainly probably happily luckily previously secretly slowly
		suddenly sure never not soon super so pretty absolutely completely yesterday again instead up don't dont`)
	auxBe     = words(`am are was were be been being`)
	auxHave   = words(`have had has 've`)
	auxDo     = words(`did do`)
	persons   = words(`i we`)
	mulling   = words(`thinking considering contemplating dreaming planning`)
	abouts    = words(`of about on`)
	groups    = words(`team band company group crew club choir orchestra business startup studio shop store department church community firm`)
	helping   = words(`help helped helping`)
	owners    = words(`my our`)
	supposing = words(`when whenever if unless how what where why like whether`)
	// verbs after which "to" and a deed tell of a plan or of what came about.
	leading = words(`plan planning planned going gonna want wanting wanna hope hoping hoped aim aiming intend intending decided decide
		determined managed had able lucky fortunate got gotten get chance opportunity pleasure honor honour privilege used began start begin started beginning starting try trying tried learned learning agreed offered volunteered set
		arranged preparing prepared continued continue chose chosen supposed scheduled due invited
		asked hired selected accepted`)
)

// act is what a sentence tells of a deed.
type act struct {
	event bool // somebody did or does something
	plan  bool // or is going to
	habit bool // or does it as a rule
	owns  bool // has something
	verb  int  // the token of the verb, when one of these
}

// deed finds the first deed of the user in a sentence, by its words.
func deed(w []string) act {
	for n, t := range w {
		who, aux, short := strings.Cut(t, "'")
		if !persons[who] {
			if !close(w, n) {
				continue
			}
			aux, short = "", false
		}
		if n > 0 && supposing[w[n-1]] {
			continue
		}
		if d := predicate(w, n+1, aux, short); d.verb > 0 {
			return d
		}
	}
	return act{}
}

// close says whether the word is somebody whom the user has: my sister, our dog.
func close(w []string, n int) bool {
	return (kin[w[n]] || groups[w[n]]) && (n > 0 && owners[w[n-1]] || n > 1 && owners[w[n-2]])
}

// predicate reads the verb that begins at word n, after a person, with what was
// joined to the person: 'm, 've.
func predicate(w []string, n int, aux string, short bool) act {
	be, have := short && (aux == "m" || aux == "re"), short && aux == "ve"
	if short && (aux == "ll" || aux == "d") {
		be = n < len(w) && w[n] == "be" && aux == "ll"
		if !be {
			return act{}
		}
	}
	do := false
	for ; n < len(w); n++ {
		t := w[n]
		switch {
		case auxBe[t], t == "ended" && n+1 < len(w) && w[n+1] == "up":
			be = true
			continue
		case auxHave[t] && participle(w, n+1):
			have = true
			continue
		case auxDo[t] && n+1 < len(w) && strings.Contains(acts[w[n+1]], "b"):
			do = true
			continue
		case adverbsOf[t] || strings.HasSuffix(t, "ly") && acts[t] == "":
			continue
		}
		break
	}
	if n >= len(w) {
		return act{}
	}
	return told2(w, n, be, have, do)
}

// participle says whether one follows, behind adverbs.
func participle(w []string, n int) bool {
	for n < len(w) && (adverbsOf[w[n]] || w[n] == "been" || strings.HasSuffix(w[n], "ly")) {
		n++
	}
	return n > 0 && n < len(w) && (w[n-1] == "been" || strings.Contains(acts[w[n]], "n") || strings.HasSuffix(w[n], "ed") && len(w[n]) > 4)
}

// told2 says what the verb at word n tells.
func told2(w []string, n int, be, have, do bool) act {
	t := w[n]
	kind := acts[t]
	past := strings.ContainsAny(kind, "pn") || strings.HasSuffix(t, "ed") && len(t) > 4 && !idle(t, "ed")
	if n+1 < len(w) && t == "came" && w[n+1] == "back" || be && mulling[t] && n+2 < len(w) && abouts[w[n+1]] && strings.Contains(acts[w[n+2]], "g") {
		return act{plan: true, verb: n + 1}
	}
	if n+1 < len(w) && weakForms[t] && strings.Contains(acts[w[n+1]], "g") {
		return act{event: true, verb: n + 1} // started painting
	}
	if n+1 < len(w) && helping[t] && strings.Contains(acts[w[n+1]], "b") {
		return act{event: true, verb: n + 1}
	}
	if leading[t] && !(t == "got" && have) {
		if d := infinitive(w, n); d.verb > 0 {
			return d
		}
	}
	switch {
	case t == "have" && (w[n-1] == "don't" || w[n-1] == "dont"):
		return act{}
	case t == "have" || t == "has" || t == "own" || t == "got" && have:
		return act{owns: true, verb: n}
	case be && strings.HasSuffix(t, "ing") && len(t) > 4 && t != "going" && (strings.Contains(kind, "g") || livelyGerunds[t] || !idle(t, "ing")):
		return act{event: true, verb: n}
	case past && !(be && !have && idleState[t]):
		return act{event: true, verb: n}
	case !be && !have && (habitual[t] || habitual[strings.TrimSuffix(t, "s")]):
		return act{habit: true, event: do, verb: n}
	}
	return act{}
}

// beside is the deed that is told beside a weak one: we stayed in and played chess.
func (d act) beside(w []string) act {
	for n := d.verb + 2; n < len(w); n++ {
		if t := w[n]; (w[n-1] == "and" || w[n-1] == "then") && strings.ContainsAny(acts[t], "png") && !weakForms[t] {
			return act{event: true, verb: n}
		}
	}
	return d
}

// weakForms are the forms of the weak verbs.
var weakForms = formsAmong(weakVerbs)

// idleState are participles that tell a state with to be.
var idleState = words(`done gone set lost finished prepared wrapped left tired`)

// infinitive reads "to" and a verb not far behind a leading verb.
func infinitive(w []string, n int) act {
	for m := n + 1; m < len(w)-1 && m <= n+2; m++ {
		if w[m] != "to" {
			continue
		}
		v := m + 1
		for v < len(w)-1 && (adverbsOf[w[v]] || w[v] == "be") {
			v++
		}
		if w[v] != "have" && strings.Contains(acts[w[v]], "b") || habitual[w[v]] || w[v] == "learn" {
			return act{plan: true, verb: v}
		}
	}
	if w[n] == "gonna" || w[n] == "wanna" {
		if n+1 < len(w) && strings.Contains(acts[w[n+1]], "b") {
			return act{plan: true, verb: n + 1}
		}
	}
	return act{}
}

// weak says whether the verb tells nothing by itself, or is not known.
func (d act) weak(w []string) bool {
	if d.verb == 0 {
		return false
	}
	t := w[d.verb]
	return acts[t] == "" && !habitual[t] || weakForms[t]
}
