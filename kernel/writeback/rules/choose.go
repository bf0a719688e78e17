package rules

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// entry is a candidate with what it takes to compare it with others.
type entry struct {
	Candidate
	order int               // of its turn
	seq   int               // among all that were found
	words map[string]bool   // what it says, without the words that all texts have
	parts []map[string]bool // the topics of each sentence, of what tells of the user's life
	slot  string            // what it is about, when only one thing can be true of it
}

var (
	slots = []struct {
		name string
		form *pattern
	}{
		{"name", lazily(`(?i)^the user's (?:full |first )?name is|^call the user|^the user is called`)},
		{"home", lazily(`(?i)^the user (?:\w+ )?(?:lives in|is based in|is living in)`)},
		{"employer", lazily(`(?i)^the user (?:\w+ )?works (?:at|for) `)},
		{"time zone", lazily(`(?i)^the user's time ?zone`)},
	}
	favourite = lazily(`(?i)^the user's favou?rite (\w+(?: \w+)?) is\b`)
	empty     = words(`a an the is are was were be been being to of in on at by for from with and or but not no it its this that these those they their them he she his her user user's users we our us you your i my me do does did has have had as so if then than also just use uses using used always never should must will would can could may get make makes there when what which who how said all any more very`)
)

func newEntry(c Candidate, order, seq int) entry {
	e := entry{Candidate: c, order: order, seq: seq, words: wordsOf(c.Content)}
	if ofLife(c) {
		e.parts = partsOf(c.Content)
	}
	e.slot = Slot(c.Content)
	return e
}

// Slot names what a text about the user is about when only one thing of the kind
// can be true: his name, home, employer, time zone or a favourite; else it is "".
func Slot(content string) string {
	for _, s := range slots {
		if s.form.MatchString(content) {
			return s.name
		}
	}
	if rehomes(content) {
		return "home"
	}
	if m := favourite.FindStringSubmatch(content); m != nil {
		return "favourite " + strings.ToLower(m[1])
	}
	return ""
}

// stem is rough: it only has to make the forms of a word equal.
func stem(w string) string {
	w = strings.TrimSuffix(w, "'s")
	for _, end := range []string{"ing", "ed", "es", "s"} {
		if rest, ok := strings.CutSuffix(w, end); ok && len(rest) >= 4 {
			return rest
		}
	}
	return w
}

// amends begins what puts right what was said just before.
var amends = lazily(`(?i)^(?:no|actually|sorry|wait|correction|scratch that|i meant?|or rather|hm+|oops|well|update)\b`)

// add takes an entry in, unless it is there already; what it supersedes goes.
// With amending it is said to put right what was said in this turn or the one
// before.
func (x *extraction) add(c Candidate, order int, amending bool) {
	if c.Content == "" || !c.Asked && c.Confidence < x.opts.floor() {
		return
	}
	c.Tags = tags(c)
	x.seq++
	e := newEntry(c, order, x.seq)
	for i := range x.found {
		old := &x.found[i]
		revalued := e.Target == old.Target && old.Category != Command && revalues(e.Content, old.Content, amending)
		if revalued && x.earlier(&e, old) {
			return
		}
		switch {
		case e.slot != "" && e.slot == old.slot && e.order >= old.order, e.Target == old.Target && (supersedes(&e, old) || revalued),
			amending && old.order >= x.before && e.Category == old.Category && opening(e.Content) == opening(old.Content):
			if !e.Asked && old.Asked {
				e.Asked, e.Importance, e.Category = true, max(e.Importance, old.Importance), old.Category
			}
			x.found = slices.Delete(x.found, i, i+1)
			x.found = append(x.found, e)
			return
		case same(&e, old):
			x.merge(old, &e)
			return
		case !x.work && again(&e, old) && x.join(old, &e):
			return
		}
	}
	if len(x.found) < maxFound {
		x.found = append(x.found, e)
	}
}

// earlier says whether one entry was said before another by the clock: turns may be
// told late.
func (x *extraction) earlier(e, old *entry) bool {
	at, was := x.times[last(e.Turns)], x.times[last(old.Turns)]
	return !at.IsZero() && !was.IsZero() && at.Before(was)
}

func last(turns []string) string {
	if len(turns) == 0 {
		return ""
	}
	return turns[len(turns)-1]
}

// opening are the first three words of a text.
func opening(s string) string {
	f := strings.Fields(s)
	return strings.ToLower(strings.Join(f[:min(3, len(f))], " "))
}

// maxTags is the most tags of a candidate.
const maxTags = 5

// tags are the tools and languages that a candidate names.
func tags(c Candidate) []string {
	set := map[string]bool{}
	for _, code := range literal.FindAllString(c.Content, maxTags) {
		if w, _, _ := strings.Cut(strings.Trim(code, "`"), " "); tagWord.MatchString(w) {
			set[w] = true
		}
	}
	for _, w := range tokens(c.Content) {
		if tools[w] {
			set[w] = true
		}
	}
	list := slices.Sorted(maps.Keys(set))
	return list[:min(maxTags, len(list))]
}

var (
	tagWord = lazily(`^[a-z][a-z0-9_-]{1,19}$`)
	tools   = words(`ansible api aws azure bash bun cargo clang cmake css cypress django docker eslint fish flask gcc git github gitlab golang gradle graphql grpc helm html java javascript jest jq json kotlin kubernetes linux macos make markdown maven mongodb mypy mysql node npm nginx pip playwright pnpm poetry postgres postgresql prettier pytest python react redis ruby ruff rust scala sqlite svelte swift tailwind terraform toml typescript uv vim vite vitest vscode vue webpack windows yaml yarn zsh`)
)

// maxFound bounds what is compared with each other.
const maxFound = 256

// merge joins two entries that say the same. What was asked for, and then the
// surer one, gives the words.
func (x *extraction) merge(old, e *entry) {
	turns := old.Turns
	for _, t := range e.Turns {
		if !slices.Contains(turns, t) {
			turns = append(turns, t)
		}
	}
	if e.Asked && !old.Asked || e.Asked == old.Asked && e.Confidence > old.Confidence {
		seq := old.seq
		*old = *e
		old.seq = seq
	}
	old.Turns = turns
	old.Importance = min(1, old.Importance+0.05) // it was said twice
}

// same says whether two entries say the same.
func same(a, b *entry) bool {
	common, smaller := shared(a.words, b.words), min(len(a.words), len(b.words))
	if smaller == 0 {
		return strings.EqualFold(a.Content, b.Content)
	}
	union := len(a.words) + len(b.words) - common
	return common*10 >= union*7 || smaller >= 3 && common == smaller && negated(a) == negated(b)
}

// supersedes says whether a later entry puts an earlier one right: they are about
// the same, and only one of them forbids it, or the later one is a correction.
func supersedes(e, old *entry) bool {
	if e.order < old.order || old.Category == Fact || old.Category == Command {
		return false
	}
	common, smaller := shared(e.words, old.words), min(len(e.words), len(old.words))
	if smaller == 0 {
		return false
	}
	if negated(e) != negated(old) {
		return common*10 >= smaller*6 && common >= 2 || common == smaller
	}
	return e.Category == Correction && common*10 >= smaller*7 && common >= 2
}

var negations = lazily(`(?i)\b(?:not|never|no|don'?t|doesn'?t|do not|avoid|stop|without|isn't|no longer|nicht|nie|kein\w*|pas|jamais|nunca)\b|不`)

func negated(e *entry) bool { return negations.MatchString(e.Content) }

func shared(a, b map[string]bool) int {
	n := 0
	for w := range a {
		if b[w] {
			n++
		}
	}
	return n
}

// retract drops what the user said in the turn of order, or in his turn before
// that when nothing of that turn was taken.
func (x *extraction) retract(order int) {
	last := -1
	for _, e := range x.found {
		if e.order <= order && e.Category != Command {
			last = max(last, e.order)
		}
	}
	if last < x.before {
		return
	}
	x.found = slices.DeleteFunc(x.found, func(e entry) bool { return e.order == last })
}

// best are the candidates to be kept: what was asked for, then by importance and
// confidence; in the order in which they were said.
func (x *extraction) best() []Candidate {
	slices.SortStableFunc(x.found, func(a, b entry) int {
		if a.Asked != b.Asked {
			if a.Asked {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.Importance, a.Importance), cmp.Compare(b.Confidence, a.Confidence), cmp.Compare(a.seq, b.seq))
	})
	kept := x.found[:min(len(x.found), x.opts.limit())]
	slices.SortFunc(kept, func(a, b entry) int { return cmp.Compare(a.seq, b.seq) })
	out := make([]Candidate, len(kept))
	for i, e := range kept {
		out[i] = e.Candidate
	}
	return out
}
