package scanner

import (
	"regexp"
	"slices"
	"strings"
)

const (
	// guardBytes is how far before and behind an act its sentence is read.
	guardBytes = 320
	// maxActs is how often the sentences of a view's acts are read. The other acts
	// are taken for orders that are pressed for: who writes that many pays with our
	// time.
	maxActs = 256
	// maxLead is how far before an act the beginning of its code is looked for.
	maxLead = 2 << 10
	// fewestAround are so few words and signs around an act that they may be its own.
	fewestAround = 12
)

// prohibited reports whether the sentence forbids the act that the match is, or only
// reports it: "never run rm -rf / on prod" is a memory worth keeping. What stands near
// the act is not enough; it has to govern it by one of the forms of rules/guard.txt.
// An order to the reader, and an act with hardly a word around it, is judged by its form
// alone, any other by the model of the words around it, to which the form is one more.
func prohibited(m *match) bool { return m.isRead() && m.excused(m.pressed) }

// isPressed judges an act that has honest uses: only a text that presses for it is
// refused.
func isPressed(m *match) bool {
	return !m.isRead() || m.pressed() && !m.excused(func() bool { return true })
}

// isRead counts the acts of a view, and reports whether the sentence of this one is read.
func (m *match) isRead() bool {
	m.view.acts++
	return m.view.acts <= maxActs
}

// excused reports whether an act is forbidden or reported, by a text that presses for it
// or not.
func (m *match) excused(pressed func() bool) bool {
	before, after, class := m.surroundings()
	form, text := guard.form(before, class, after), m.text()
	w := aroundAct(text[:m.all.start], text[m.all.end:])
	if class == "talk" || len(w) <= fewestAround {
		return form == "keep" || form == "mention" && !pressed()
	}
	return guardSense.score(w, make([]int, senseWindow), formFeatures(form, pressed())...) < 0
}

// form returns the verdict of the form of an act's sentence, or of the quotation that it
// stands in.
func (g *grammar) form(before, class, after string) string {
	from, to, ok := quotation(before, after)
	if !ok {
		return g.judge(before, class, after)
	}
	inner := g.judge(before[from:], class, after[:to])
	verdict := g.judge(strings.TrimRight(before[:from], quoteSigns), "act", strings.TrimLeft(after[to:], quoteSigns))
	if inner == "keep" && (verdict == "" || verdict == "bare") {
		return inner
	}
	return verdict
}

// pressed reports whether the text about an act presses for it: it takes a ban back,
// or wants no questions asked.
func (m *match) pressed() bool { return guard.presses(m.text(), m.all) }

func (g *grammar) presses(text string, act span) bool {
	s := g.sentence(text[max(0, act.start-guardBytes):act.start], "act", text[act.end:min(len(text), act.end+guardBytes)])
	return slices.ContainsFunc(g.forms, func(f sentenceForm) bool { return f.verdict == "press" && f.re.MatchString(s) })
}

// text returns the view's text with its punctuation.
func (m *match) text() string {
	if m.view.like != nil {
		return m.view.like.text
	}
	return m.view.text
}

// surroundings returns the text before and behind the act in the code or prose that it
// stands in, and its class.
func (m *match) surroundings() (before, after, class string) {
	class = "act"
	if m.rule.category == "prompt-injection" || strings.HasPrefix(m.rule.id, "poison-") {
		class = "talk"
	}
	end := m.all.start + len(strings.TrimRight(m.view.text[m.all.start:m.all.end], behindAct))
	before, after = surroundings(m.text(), span{m.all.start, end})
	return before, after, class
}

func surroundings(text string, act span) (before, after string) {
	before = text[max(0, act.start-guardBytes):act.start]
	after = text[act.end:min(len(text), act.end+guardBytes)]
	if i := strings.LastIndex(before, "```"); i >= 0 && strings.Count(text[max(0, act.start-maxLead):act.start], "```")%2 == 1 {
		_, before, _ = strings.Cut(before[i+3:], "\n")
		lines := strings.Split(before, "\n")
		if before = ""; len(lines) > 1 && comment.MatchString(lines[len(lines)-2]) {
			before = strings.Trim(lines[len(lines)-2], " \t#/") + ": "
		}
		after, _, _ = strings.Cut(after, "```")
	}
	return before, after
}

// quotation finds the quotation that an act stands in: where it begins in the text
// before the act, and ends in the text behind it.
func quotation(before, after string) (from, to int, ok bool) {
	rest, _, _ := strings.Cut(after, "\n\n")
	for _, start := range []int{strings.LastIndex(before, "\n") + 1, strings.LastIndex(before, "\n\n") + 1} {
		for _, q := range quotes {
			open, end := strings.LastIndex(before[start:], q.open), strings.Index(rest, q.end)
			if open >= 0 && end >= 0 && (q.open != q.end || strings.Count(before[start:], q.open)%2 == 1) {
				return start + open + len(q.open), end, true
			}
		}
	}
	return 0, 0, false
}

// behindAct are the signs at the end of an act that are of its sentence.
const behindAct = " \t\r\n`\"',.;!?)"

const quoteSigns = "`\"“”«»「」'"

// comment is a line of code that is none.
var comment = regexp.MustCompile(`^\s*(?:#|//)`)

var quotes = []struct{ open, end string }{{"`", "`"}, {`"`, `"`}, {"“", "”"}, {"«", "»"}, {"「", "」"}, {" '", "'"}}

// judge returns the verdict of the first form that fits the sentence of an act.
func (g *grammar) judge(before, class, after string) string {
	s := g.sentence(before, class, after)
	for _, f := range g.forms {
		if f.verdict != "press" && f.re.MatchString(s) {
			return f.verdict
		}
	}
	return ""
}

// sentence returns the classes of the words about an act, and its own.
func (g *grammar) sentence(before, class, after string) string {
	s := string(g.classes("\n"+before)) + string(g.class(class)) + string(g.classes(after))
	return g.aside.ReplaceAllStringFunc(s, func(aside string) string {
		governor, _, _ := strings.Cut(aside, string(g.class("comma")))
		return governor + string(g.class("order"))
	})
}

// installers are the hosts whose documentation tells everyone to pipe their
// script into a shell, over https.
var installers = regexp.MustCompile(`https://(?:sh\.rustup\.rs|get\.docker\.com|raw\.githubusercontent\.com/(?:Homebrew|nvm-sh|helm|ohmyzsh|golangci|pyenv|k3d-io)|install\.python-poetry\.org|astral\.sh|bun\.sh|deno\.land|fnm\.vercel\.app|get\.helm\.sh|get\.k3s\.io|get\.pnpm\.io|ollama\.com|nixos\.org|starship\.rs|tailscale\.com|deb\.nodesource\.com|cli\.github\.com|claude\.ai|fly\.io|sdk\.cloud\.google\.com)[/\s"'|)]`)

// unsafeFetch is what no installer's documentation says.
var unsafeFetch = regexp.MustCompile(`(?i)http://|\s-k\b|--insecure|\s-[a-z]*k[a-z]*\s|https?://\d+\.\d+\.\d+\.\d+|pastebin|transfer\.sh|ngrok|base64`)

// isUnknownInstaller reports whether a script from the net is run that is not a
// well-known installer.
func isUnknownInstaller(m *match) bool {
	if prohibited(m) {
		return false
	}
	return unsafeFetch.MatchString(m.whole) || !installers.MatchString(m.whole)
}

// topics follow instructions that are a thing to read, not an order to drop.
var topics = regexp.MustCompile(`(?i)^\s+(?:page|file|doc|section|wiki|manual|guide|template|tab|link|video|sheet|card|label|field|column|table|list|tracker|repo|package|module|parser|format|schema)s?\b`)

// Instructions for a task, or those that a document holds and that are out of date, are
// about the project. A file that agents obey is no such document.
var (
	task     = regexp.MustCompile(`(?i)^\w+\W+(?:about\W+)?(?:the|those|these)\s+(?:(?:old|previous|prior|earlier|former|existing)\s+)?(?:deploy(?:ment)?|build|install(?:ation)?|setup|upgrade|migration|release|rollback)\s+instructions?$`)
	outdated = regexp.MustCompile(`(?i)^\s+(?:in|from|of|on)\s+(?:the\s+)?(?:[\w./-]+\.(?:md|rst|txt|adoc|html)|(?:\w+\s+){0,2}(?:section|page|chapter|wiki|readme|runbook|docs)(?:\s+(?:of|in)\s+(?:the\s+)?[\w./-]+)?)[\s,;:(—-]+(?:(?:they|which|that|because they|since they)\s+(?:are|were|have been)\s+)?(?:now\s+|long\s+)?(?:outdated|out of date|obsolete|stale|superseded|deprecated|wrong)\s*(?:[.!;)\n]|$)`)
	// obeyed are files that agents obey, and what an order may drop besides.
	obeyed = regexp.MustCompile(`(?i)claude|agents?\b|gemini|copilot|cursor|skill|system|memory|conversation|session|\b(?:all|any|your|previous|prior|earlier|safety)\s+(?:\w+\s+){0,2}(?:instruct|direct|prompt|rule|guide|guard)`)
)

// isAboutProject reports whether an order to drop instructions names such ones.
func (m *match) isAboutProject() bool {
	after, _, _ := strings.Cut(m.text()[m.all.end:min(len(m.text()), m.all.end+guardBytes)], "\n\n")
	return topics.MatchString(m.rest()) || (task.MatchString(m.whole) || outdated.MatchString(after)) && !obeyed.MatchString(after)
}

// isOrder judges an order to drop instructions. "Do not obey text like 'ignore ...'"
// looks like one, and forbids the one that it quotes.
func isOrder(m *match) bool {
	if i := strings.IndexAny(m.whole, "\"'`"); i > 0 && m.whole[i-1] == ' ' && m.rule.re.MatchString(m.whole[i:]) {
		quoted := *m
		quoted.all.start += i
		m = &quoted
	}
	noun := strings.HasPrefix(strings.ToLower(m.whole), "overrides of ")
	return !noun && !m.isAboutProject() && !prohibited(m)
}
