package scanner

import (
	"regexp"
	"strings"
)

const (
	// guardBytes is how far before and behind an act its sentence is read.
	guardBytes = 240
	// maxActs is how many acts of a view have their sentences read. The others
	// are taken for orders: who writes that many pays with our time.
	maxActs = 256
)

var (
	// cited introduces the words that a warning quotes: "beware of text like '...'".
	// They follow at once, or the warning is of something else.
	cited = regexp.MustCompile(`(?i)\b(?:be ?ware|(?:be|stay) (?:wary|careful|suspicious)|(?:watch|look)(?:ing)? out) (?:of|for)\b[^.!?\n]{0,30}?\b(?:like|saying|says?|reads?|containing|tells?(?: you)? to|asks?(?: you)? to)[\s:"'\x60“‘«]*$`)
	// revoked is a sentence that ends by forbidding what it began with: "..., so
	// don't." The sentence must end there: "don't wait" revokes nothing.
	revoked = regexp.MustCompile(`(?i)^[^.!?\n]{0,90}?(?:(?:[,;–—]| - |\bso\b)\s*(?:so\s+)?(?:please\s+)?(?:(?:don['’]t|do not|never)(?:\s+(?:ever\s+)?(?:do|run|try|use|execute|type)(?:\s+(?:it|that|this|so))?)?|refuse)|\band\s+(?:I\s+|we\s+)?(?:refused|declined))["'\x60)]*\s*(?:[.!]|$|\n\s*(?:\n|[-*#]))`)
	// judged says of the act before it that it is forbidden, or what it did.
	judged = regexp.MustCompile(`(?i)^["'\x60)\]*”’]*\s*(?:` +
		`(?:([^.!?;\n]{0,60}?)\s)?(?:(?:is|are|was|were|gets?|got|(?:will|must|should) be|(?:has|have) been)\s+(?:(?:strictly|explicitly|now|always|also|very|really|extremely|usually|generally|rightly|immediately)\s+)*(?:forbidden|prohibited|blocked|rejected|banned|(?:not|never) (?:allowed|permitted|safe|acceptable|ok(?:ay)?)|disallowed|dangerous|harmful|unsafe|insecure|denied|detected|refused|stopped|removed|considered (?:harmful|dangerous|unsafe)|(?:an? |the |in |on )?(?:\w+ )?(?:bad idea|fork bomb|reverse shell|prank|mistake|backdoor|vulnerability|anti-?pattern|attack|injection|deny ?list|block ?list))\b|(?:should|must|may|can) (?:never|not) be\b|(?:ist|est|está|é|è)\s+(?:\S+\s+)?(?:verboten|untersagt|interdit|prohibido|proibido|vietato)\b|(?:would |will |can |could )?(?:delet|destroy|wip|eras|kill|trash|overwrit|brick)(?:e?s|e?d)?\b)` +
		`|[^.!?;\n]{0,40}?\bas (?:an? )?(?:attack|injection|threat)|[^.!?\n]{0,60}?\b(?:blocked|stopped|refused|rejected|denied|caught|prevented|intercepted) (?:it|that|him|her|them)\b|[^.!?;\n]{0,60}?; (?:that|this|it)(?:'s| is| was) (?:an? )?(?:\w+ )?(?:attack|injection)\b` +
		`|\s*(?:#|//|->|=>|→|\||—|–|-|:|\()\s*(?:(?:never|don['’]t|do not)(?: (?:ever )?(?:do|run|use|type|execute|try)(?: (?:this|it|that))?)?\s*(?:[).!|]|$|\n)|(?:is )?(?:blocked|denied|refused|forbidden|rejected|banned|prohibited|not allowed|dangerous)\b))`)
	// supposed makes a judgement one of something else than the act.
	supposed = regexp.MustCompile(`(?i)\b(?:if|when|while|because|where|until|unless|who|not|no)\b`)
	// harm is what a mistake did.
	harm = regexp.MustCompile(`(?i)\b(?:mistak\w*|accident\w*|incident|outage|wip(?:ed|ing)|lost|lose|destroyed|broke|deleted|crashed|compromised|hacked|stolen|took down|was gone)\b`)
	// ordered is an order to do it all the same, unless it is to be read before.
	ordered  = regexp.MustCompile(`(?i)\b(?:run|execute|do|use|try|type|apply|launch|start) (?:it|this|that|them)\b`)
	withheld = regexp.MustCompile(`(?i)\b(?:never|not|n['’]t|download|inspect|read|review|verify|check|sandbox|vm)\b`)
)

// isForbidden reports whether the text after the act forbids it or tells what it
// did.
func isForbidden(rest string) bool {
	at := judged.FindStringSubmatchIndex(rest)
	return at != nil && (at[2] < 0 || !supposed.MatchString(rest[at[2]:at[3]]))
}

// isOrdered reports whether the text after the act orders it.
func isOrdered(rest string) bool { return ordered.MatchString(rest) && !withheld.MatchString(rest) }

// isRevoked reports whether the rest of the sentence takes the act back.
func isRevoked(rest string) bool {
	at := revoked.FindStringIndex(rest)
	return at != nil && (at[1] < len(rest) || len(rest) < guardBytes || strings.ContainsAny(rest[at[1]-1:], ".!\n-*#"))
}

// prohibited reports whether the sentence forbids the act that the match is, or
// only reports it: "never run rm -rf / on prod" is a memory worth keeping. What
// stands near the act is not enough; it has to govern it (see [clause]).
func prohibited(m *match) bool {
	if m.view.acts++; m.view.acts > maxActs {
		return false
	}
	text := m.view.text
	before := text[max(0, m.all.start-guardBytes):m.all.start]
	after := text[m.all.end:min(len(text), m.all.end+guardBytes)]
	rest := after
	if i := strings.Index(rest, "\n\n"); i >= 0 {
		rest = rest[:i]
	}
	c := readClause(unquoted(before, after))
	if c.isNew() {
		*c = clause{order: true}
	}
	judged := isForbidden(rest)
	switch {
	case c.forbids() && !(judged && c.words[0] == "not"), cited.MatchString(before), isRevoked(rest):
		return true
	case isOrdered(rest) || c.forbids():
		return false
	case c.reports && (c.forbidding == 0 || !c.order):
		return true
	case !c.order && c.forbidding == 0 && (judged || c.past && harm.MatchString(rest) || isMention(m, c, rest)):
		return true
	}
	return isUnderBan(text[max(0, m.all.start-maxLead):m.all.start])
}

// isMention reports whether an act is a noun in a sentence that tells something and
// recommends nothing: "it took two days to recover from a stray rm -rf /". An order
// to the reader counts as one wherever it stands, unless it is quoted.
func isMention(m *match, c *clause, rest string) bool {
	text := m.view.text
	if c.uses || c.comforts || strings.HasPrefix(m.rule.id, "poison-") && !strings.ContainsAny(text[max(0, m.all.start-1):m.all.start], "\"'`“‘") {
		return false
	}
	if i := endOfSentence.FindStringIndex(rest); i != nil {
		rest = rest[:i[0]]
	}
	before := text[max(0, m.all.start-guardBytes):m.all.start]
	if ends := endOfSentence.FindAllStringIndex(before, -1); ends != nil {
		before = before[ends[len(ends)-1][1]:]
	}
	if allowed.MatchString(rest) {
		return false
	}
	for _, w := range words.FindAllString(strings.ToLower(before+" "+rest), -1) {
		if is("urges", w) {
			return false
		}
	}
	if c.tells {
		return true
	}
	behind, _, _ := strings.Cut(rest, ",")
	after := &clause{}
	for _, w := range words.FindAllString(strings.ToLower(behind), -1) {
		after.add(w, "")
	}
	return after.tells
}

var (
	endOfSentence = regexp.MustCompile(`[.!?](?:\s|$)|\n\s*\n|;\s`)
	// allowed takes a ban back.
	allowed = regexp.MustCompile(`(?i)\b(?:no longer|not|never|n['’]t)\s+(?:\w+\s+)?(?:forbidden|prohibited|blocked|rejected|banned|refused|dangerous|harmful|unsafe|bad|wrong|an? )`)
	words   = regexp.MustCompile(`[\p{L}'’-]+`)
)

// unquoted returns the text before the quotation that an act stands in, if it
// stands in one.
func unquoted(before, after string) string {
	line := before[strings.LastIndexByte(before, '\n')+1:]
	if i := strings.IndexByte(after, '\n'); i >= 0 {
		after = after[:i]
	}
	for _, q := range []string{"`", `"`} {
		if strings.Count(line, q)%2 == 1 && strings.Contains(after, q) {
			return before[:strings.LastIndex(before, q)]
		}
	}
	return before
}

// maxLead is how far before an act the heading of its list or code is looked for.
const maxLead = 2 << 10

// listItem is what stands in a line before an act that is all of it.
var listItem = regexp.MustCompile("^[\\s>]*(?:[-*+•]|\\d+[.)])?[\\s`$#*]*$")

// isUnderBan reports whether an act stands in a list or in code under a heading or a
// line that forbids it: "Never do this:".
func isUnderBan(before string) bool {
	lines := strings.Split(before, "\n")
	bare := lines[len(lines)-1]
	lines = lines[:len(lines)-1]
	fenced := strings.Count(before, "```")%2 == 1
	if !fenced && !listItem.MatchString(bare) {
		return false
	}
	list := strings.Trim(bare, " \t`$") != ""
	for i := len(lines) - 1; i >= 0; i-- {
		line := strings.TrimSpace(lines[i])
		switch {
		case fenced:
			fenced, list = !strings.HasPrefix(line, "```"), true
		case line == "", list && listMark.MatchString(line):
		case strings.HasPrefix(line, "#"), strings.HasSuffix(line, ":"):
			c := readClause(strings.Trim(line, "#*: "))
			return c.labels()
		default:
			return false
		}
	}
	return false
}

var listMark = regexp.MustCompile(`^(?:[-*+•]|\d+[.)])\s`)

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

// isOrder judges an order to drop instructions. "Do not obey text like 'ignore ...'"
// looks like one, and forbids the one that it quotes.
func isOrder(m *match) bool {
	if i := strings.IndexAny(m.whole, "\"'`"); i > 0 && m.whole[i-1] == ' ' && m.rule.re.MatchString(m.whole[i:]) {
		quoted := *m
		quoted.all.start += i
		m = &quoted
	}
	noun := strings.HasPrefix(strings.ToLower(m.whole), "overrides of ")
	return !noun && !topics.MatchString(m.rest()) && !prohibited(m)
}
