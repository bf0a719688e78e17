package scanner

import (
	"cmp"
	_ "embed"
	"maps"
	"regexp"
	"slices"
	"strings"
)

//go:embed rules/guard.txt
var guardText string

// guard is the grammar of rules/guard.txt, where its notation is explained.
var guard = readGrammar(guardText)

// grammar maps words to classes, each one a rune of its own, and holds the forms: an
// expression over classes becomes one over runes.
type grammar struct {
	names map[string]rune // of classes
	words map[string]rune // classes of words and phrases
	first map[string]bool // the first words of phrases
	lets  []string        // pairs of a name and what it stands for
	forms []sentenceForm
	aside *regexp.Regexp    // what is left out
	split *strings.Replacer // sets words of scripts without blanks apart
}

type sentenceForm struct {
	verdict string
	re      *regexp.Regexp
}

// className is the name of a class in a form. Digits and signs are the expression's.
var className = regexp.MustCompile(`[a-z][a-z-]*`)

func readGrammar(text string) *grammar {
	g := &grammar{names: map[string]rune{}, words: map[string]rune{}, first: map[string]bool{}}
	for line := range strings.Lines(text) {
		kind, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch kind {
		case "", "#":
		case "word", "verb":
			name, words, _ := strings.Cut(rest, ":")
			for _, w := range strings.Fields(words) {
				g.add(w, name, kind == "verb")
			}
		case "let":
			name, expr, _ := strings.Cut(rest, " = ")
			g.lets = append(g.lets, name, strings.NewReplacer(g.lets...).Replace(expr))
		case "drop":
			g.aside = g.compile(rest)
		default:
			g.forms = append(g.forms, sentenceForm{kind, g.compile(rest)})
		}
	}
	pairs := []string{"，", ", ", "。", ". ", "：", ": ", "；", "; ", "！", "! ", "？", "? "}
	longestFirst := func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) }
	for _, w := range slices.SortedFunc(maps.Keys(g.words), longestFirst) {
		if w[0] >= 0xe3 { // kana, Han
			pairs = append(pairs, w, " "+w+" ")
		}
	}
	g.split = strings.NewReplacer(pairs...)
	return g
}

func (g *grammar) class(name string) rune {
	if g.names[name] == 0 {
		g.names[name] = rune(0x4e00 + len(g.names))
	}
	return g.names[name]
}

func (g *grammar) compile(expr string) *regexp.Regexp {
	expr = strings.NewReplacer(g.lets...).Replace(expr)
	expr = className.ReplaceAllStringFunc(expr, func(name string) string { return string(g.class(name)) })
	return regexp.MustCompile(strings.NewReplacer(" ", "", "(", "(?:").Replace(expr))
}

// add names the class of a word, or of the forms of a verb.
func (g *grammar) add(word, class string, verb bool) {
	set := func(w, class string) {
		w = strings.ReplaceAll(w, "_", " ")
		if _, ok := g.words[w]; !ok {
			g.words[w] = g.class(class)
			if first, _, ok := strings.Cut(w, " "); ok {
				g.first[first] = true
			}
		}
	}
	base, past, irregular := strings.Cut(word, "/")
	set(base, class)
	if !verb {
		return
	}
	for _, w := range strings.Split(past, "/") {
		if irregular {
			set(w, class+"-ed")
		}
	}
	stem, last := strings.TrimSuffix(base, "e"), base[len(base)-1:]
	set(base+"s", class+"-s")
	set(base+"es", class+"-s")
	set(stem+"ed", class+"-ed")
	set(stem+"ing", class+"-ing")
	set(stem+last+"ed", class+"-ed")
	set(stem+last+"ing", class+"-ing")
	if last == "y" {
		set(base[:len(base)-1]+"ies", class+"-s")
		set(base[:len(base)-1]+"ied", class+"-ed")
	}
}

var (
	// textPart is a sign, a code or a word of a text. A sign that ends a word is cut
	// off later.
	textPart = regexp.MustCompile("\n\\s*\n|\n[ \t]*(?:[-*+•>]|\\d+[.)]|#+)[ \t]|\n[ \t]*\\||\n|->|=>|→|[—–,;|(]|\\s-{1,2}\\s|(?:^|\\s)(?:#|//)|`[^`\n]*`|\"[^\"\n]{1,160}\"|[^\\s,;|(—–→`]+")
	wordEnd  = regexp.MustCompile(`[.!?:]+["'”’)\]*]*$`)
	plain    = regexp.MustCompile(`^[\p{L}\p{M}'-]+$`)
	signs    = map[string]string{"->": "arrow", "=>": "arrow", "→": "arrow", "—": "dash", "–": "dash", "-": "dash", "--": "dash", ",": "comma", ";": "semi", "|": "bar", "(": "open", "#": "hash", "//": "hash"}
	elision  = regexp.MustCompile(`^(?:[ldnmsj]|qu)'(\p{L})`)
)

// classes returns the classes of a text's words and signs, one rune each.
func (g *grammar) classes(text string) []rune {
	text = g.split.Replace(strings.ReplaceAll(text, "’", "'"))
	parts := textPart.FindAllString(text, -1)
	var out []rune
	for i := 0; i < len(parts); i++ {
		p := strings.TrimSpace(parts[i])
		sign, isSign := signs[p]
		switch {
		case strings.HasPrefix(parts[i], "\n"):
			if i+1 == len(parts) || p != "" || parts[i] != "\n" || !isLower(parts[i+1]) {
				out = append(out, g.lineEnd(parts[i]))
			}
		case isSign:
			out = append(out, g.class(sign))
		case p == "": // a vertical tab
		case p[0] == '`', p[0] == '"' && len(p) > 1 && strings.Contains(p, " "):
			out = append(out, g.class("code"))
		default:
			n, class := g.longest(parts[i:])
			if class == g.class("order") && len(out) > 0 && out[len(out)-1] == g.class("det") {
				class = g.class("w") // the run
			}
			out = append(out, class)
			i += n - 1
			if end := wordEnd.FindString(parts[i]); end != "" {
				out = append(out, g.class(map[byte]string{'?': "question", ':': "colon"}[end[0]]+map[bool]string{true: "period"}[end[0] == '.' || end[0] == '!']))
			}
		}
	}
	return out
}

// lineEnd is the class of a line's end that ends a clause.
func (g *grammar) lineEnd(part string) rune {
	switch {
	case strings.Count(part, "\n") > 1:
		return g.class("period")
	case strings.HasSuffix(part, "|"):
		return g.class("bar")
	}
	return g.class("line")
}

// isLower reports whether a text begins with a small letter: the line before it was
// only wrapped.
func isLower(text string) bool { return text[0] >= 'a' && text[0] <= 'z' }

// longest returns how many parts the longest phrase at the beginning is, and its class.
func (g *grammar) longest(parts []string) (int, rune) {
	w := strings.ToLower(parts[0])
	for n := min(4, len(parts)); n > 1 && g.first[strings.TrimLeft(w, `"'“”*_`)]; n-- {
		phrase := strings.ToLower(strings.Join(parts[:n], " "))
		if c := g.words[strings.Trim(withoutEnd(phrase), `"'“”*_`)]; c != 0 {
			return n, c
		}
	}
	w = strings.Trim(withoutEnd(w), `"'“”‘*_[]{}<>()`)
	if strings.Contains(w, "'") {
		w = elision.ReplaceAllString(w, "$1")
	}
	if c := g.words[w]; c != 0 {
		return 1, c
	}
	for _, name := range strings.Split(w, "/")[1:] {
		if c := g.words[name]; c != 0 && name[0] == '.' {
			return 1, c // ~/.ssh/id_rsa
		}
	}
	switch {
	case strings.Contains(w, "://"), strings.Contains(w, "@") && strings.Contains(w, "."), strings.HasPrefix(w, `\\`):
		return 1, g.class("url")
	case runEnd(w, 0, kindLetter) < len(w) && !plain.MatchString(w) || w == "" || w[0] == '-':
		return 1, g.class("code")
	case strings.HasSuffix(w, "n't"):
		return 1, g.class("neg")
	case strings.HasSuffix(w, "ly"):
		return 1, g.class("adverb")
	case strings.HasSuffix(w, "ing"):
		return 1, g.class("ing")
	case strings.HasSuffix(w, "ed"):
		return 1, g.class("ed")
	}
	return 1, g.class("w")
}

// withoutEnd returns a word without the signs that end it.
func withoutEnd(w string) string {
	if w == "" || isAlnum(w[len(w)-1]) {
		return w
	}
	return wordEnd.ReplaceAllString(w, "")
}
