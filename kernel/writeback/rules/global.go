package rules

import (
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// everywhere names all projects.
const everywhere = `(?:all (?:of )?(?:my |our |the )?(?:projects|repos|repositories|codebases)|(?:every|each|any) (?:project|repo|repository|codebase)(?: of mine| i have)?|everything i (?:do|work on))`

// framers are the ways to say of what follows that it holds for all projects; with
// asks it is asked to be remembered as well.
var framers = []struct {
	form *pattern
	asks bool
}{
	{lazily(polite + `(?:record|save|store|note|add|keep|remember|memori[sz]e|write down|put|make|treat|apply|use) (?:this |that |it |the following )?(?:as |to |in |into |under )?(?:an? |the |my |your )?(?:global|universal) (?:rule|memory|memories|instruction|preference|convention|setting|note|fact|guideline)s?(?: for ` + everywhere + `)?(?: that |[:,] ?(?:that )?| - )(.+)$`), true},
	{lazily(polite + `(?:remember|note|record|save|store|keep in mind|memori[sz]e)(?: this| that)?,? (?:(?:for|in|across) ` + everywhere + `|globally|everywhere)(?: that |[:,] ?(?:that )?| - )(.+)$`), true},
	{lazily(polite + `(?:remember|note|record|save|store|keep in mind)(?: that|:) (?:for|in|across) ` + everywhere + `,? (.+)$`), true},
	{lazily(polite + `(?:apply |use )?(?:this|the following)(?: is| holds| applies| goes| counts)? (?:global|globally|everywhere|(?:for|in|to|across) ` + everywhere + `): ?(.+)$`), false},
	{lazily(polite + `(?:a )?global(?:ly)?(?: (?:rule|note|preference|convention|instruction|setting))?(?:: ?|, )(.+)$`), false},
	{lazily(polite + `(?:for|in|across) ` + everywhere + `(?:[,:] ?| )(?:please )?(.+)$`), false},
	{lazily(`(?i)^((?:i|we) (?:always |only |usually )?(?:use|write|run|sign|squash|rebase|format|lint|prefer|keep|want) [^,]+?) (?:in|for|across) ` + everywhere + `[.! ]*$`), false},
}

var (
	// personal are facts about the user that no project changes.
	personal = lazily(`(?i)^(?:my (?:full |first |last |nick)?(?:name|time ?zone|birthday|e-?mail(?: address)?|pronouns|job|role|employer|native language|mother tongue|editor|shell|keyboard)\b|call me\b|i(?:'m| am) |i (?:live|work (?:at|for|as)|moved)\b)`)
	// keeps is how things are done in all projects.
	keeps = lazily(`(?i)^(?:(?:i|we) (?:always |only |never |usually )?(?:use|write|run|sign|squash|rebase|format|lint|name|prefix|keep|store|put|test|target|tag|follow|prefer|want|pin|commit|log)\b|.*\b(?:must|should|has to|have to|needs? to|always|never)\b|.*\b(?:is|are) (?:\w+ly )?(?:in [A-Z]|kept|written|\w+ed\b(?: (?:in|with|by|on|to|as|at|from|under|before|after|without|using)\b|[.! ]*$)))`)
)

// unframed takes from a sentence that it holds for all projects.
func (s *statement) unframed() {
	if s.pasted && !s.edge || question(s.text) || s.doubtful(s.text) {
		return
	}
	for _, f := range framers {
		m := f.form.FindStringSubmatch(s.text)
		if m == nil || len(tokens(m[1])) < 2 || scoping.MatchString(m[1]) || !f.asks && ofDoubt.MatchString(m[1]) {
			continue
		}
		s.text, s.global, s.asked = m[1], true, f.asks
		return
	}
}

// scoping says once more what it holds for.
var scoping = lazily(`(?i)^(?:and )?(?:not|rather than|instead of) (?:just|only|merely|for|in)\b`)

// ofDoubt begins what is no rule, but told of the projects.
var ofDoubt = lazily(`(?i)^(?:that|which|where|and|but|or|so far|i(?:'ve| have| had| saw| see)|we(?:'ve| have| had)|it|there (?:is|was|are|were))\b`)

// everywhere moves what holds for all projects to their memory. What no rule
// takes is taken when it was asked for, or says how things are done.
func (s *statement) everywhere(c Candidate, ok bool) (Candidate, bool) {
	if !s.global || s.brief() {
		return c, ok && !s.global
	}
	if !s.asked && (s.unsaid(s.text) || !keeps.MatchString(s.text) && !doing.MatchString(s.text)) {
		return Candidate{}, false
	}
	if !ok || s.asked || c.Category == Fact || c.Category == Preference {
		was := c
		c = Candidate{Category: Convention, Type: kind(s.text), Importance: 0.75, Confidence: 0.85, Content: tidy(third(trimmed(strings.TrimRight(s.text, "!. "))))}
		if ok && was.Category != Request {
			c.Category = was.Category
		}
		if doing.MatchString(s.text) {
			c.Category = Instruction
		}
	}
	if s.asked {
		c.Category, c.Asked, c.Importance, c.Confidence = Request, true, 0.9, 0.95
	}
	c.Target = memory.ScopeGlobal
	if personal.MatchString(s.text) {
		c.Target, c.Type = memory.ScopeUser, semantic
	}
	return c, true
}
