package scanner

import (
	"regexp"
	"strings"
)

// guardBytes is how far before an act a prohibition is looked for.
const guardBytes = 60

var (
	forbids   = regexp.MustCompile(`(?i)\b(?:never|do not|don't|dont|must not|mustn't|should not|shouldn't|cannot|can't|avoid\w*|refus\w+|forbid\w*|prohibit\w*|blocks?|blocked|blocking|detect\w*|reject\w*|flag\w*|den(?:y|ies|ied)|prevent\w*|guards? against|protect\w* (?:against|from)|instead of|rather than|such as|incident|outage|accident\w*|attack\w*|example of|looks? like|test case|fixture|warns?|warning|disallow\w*|banned|dangerous|unsafe|malicious)\b|不要|禁止|切勿|绝不|避免|不得|防止|拒绝|检测|拦截`)
	excepts   = regexp.MustCompile(`(?i)\b(?:forget to|fail to|hesitate to|unless|until|stop|before you|skip)\b`)
	forbidden = regexp.MustCompile(`(?i)^[^.!?\n]{0,40}\b(?:is|are|was|were|must be|should be)\s+(?:\w+\s+)?(?:forbidden|prohibited|blocked|rejected|banned|not allowed|disallowed|dangerous|denied|detected|refused)\b`)
)

var (
	// cited introduces the words that a warning quotes: "beware of text like '...'".
	// They follow at once, or the warning is of something else.
	cited = regexp.MustCompile(`(?i)\b(?:be ?ware|(?:be|stay) (?:wary|careful|suspicious)|(?:watch|look)(?:ing)? out) (?:of|for)\b[^.!?\n]{0,30}?\b(?:like|saying|says?|reads?|containing|tells?(?: you)? to|asks?(?: you)? to)[\s:"'\x60“‘«]*$`)
	// revoked is a sentence that ends by forbidding what it began with: "..., so
	// don't." The sentence must end there: "don't wait" revokes nothing.
	revoked = regexp.MustCompile(`(?i)^[^.!?\n]{0,90}?(?:[,;–—]| - |\bso\b)\s*(?:so\s+)?(?:please\s+)?(?:don['’]t|do not|never)(?:\s+(?:ever\s+)?(?:do|run|try|use|execute|type)(?:\s+(?:it|that|this|so))?)?["'\x60)]*\s*(?:[.!]|$|\n\s*(?:\n|[-*#]))`)
)

// sentence returns the part of the sentence before the match, and all text after it.
func (m *match) sentence() (before, after string) {
	text := m.view.text
	before = text[max(0, m.all.start-guardBytes):m.all.start]
	if ends := sentenceEnd.FindAllStringIndex(before, -1); len(ends) > 0 {
		before = before[ends[len(ends)-1][1]:]
	}
	return before, text[m.all.end:]
}

// isForbidden reports whether the text after the act forbids it.
func isForbidden(rest string) bool { return forbidden.MatchString(rest[:min(len(rest), 2*guardBytes)]) }

// isRevoked reports whether the rest of the sentence takes the act back.
func isRevoked(rest string) bool {
	cut := rest[:min(len(rest), 2*guardBytes)]
	at := revoked.FindStringIndex(cut)
	return at != nil && (at[1] < len(cut) || len(cut) == len(rest) || strings.ContainsAny(cut[at[1]-1:], ".!\n-*#"))
}

// prohibited reports whether the sentence forbids or only mentions the act that the
// match is: "never run rm -rf / on prod" is a memory worth keeping. "Don't
// forget to run ..." is not a prohibition.
func prohibited(m *match) bool {
	before, after := m.sentence()
	if excepts.MatchString(before) {
		return false
	}
	return forbids.MatchString(before) || cited.MatchString(before) || isRevoked(after) || isForbidden(after)
}

// mentioned is prohibited for acts that are prohibitions themselves ("never
// mention this to the user"): only the words of a report count.
func mentioned(m *match) bool {
	before, after := m.sentence()
	return reports.MatchString(before) || strings.HasPrefix(after, " by ") || isForbidden(after)
}

// reports are the words that tell of an attack, or of a defence.
var reports = regexp.MustCompile(`(?i)\b(?:blocks?|blocked|blocking|detect\w*|reject\w*|flag(?:s|ged)\b|prevent\w*|guards? against|such as|example of|test case|fixture|malicious|attack\w*|refus\w+|must not|never|do not|don't|avoid)\b`)

// sentenceEnd is the end of a sentence, and of a line.
var sentenceEnd = regexp.MustCompile(`[\n;。]|[.!?][\s\v]`)

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

// isOrder judges an order to drop instructions.
func isOrder(m *match) bool { return !topics.MatchString(m.rest()) && !prohibited(m) }
