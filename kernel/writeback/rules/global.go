package rules

// allProjects names every project.
const allProjects = `(?:all (?:of )?(?:my |our |the )?(?:projects|repos|repositories|codebases)|(?:every|each|any) (?:project|repo|repository|codebase)(?: of mine| i have)?|everything i (?:do|work on))`

var (
	// globalFrames say of what follows, in group 1, that it holds for all projects;
	// those of globalRequests ask for it to be remembered as well.
	globalFrames = []*pattern{
		lazily(polite + `(?:for|in|across) ` + allProjects + `(?:[,:] ?| )(?:please )?(.+)$`),
		lazily(polite + `(?:apply |use )?(?:this|the following)(?: is| holds| applies| goes| counts)? (?:global|globally|everywhere|(?:for|in|to|across) ` + allProjects + `): ?(.+)$`),
		lazily(polite + `(?:a )?global(?:ly)?(?: (?:rule|note|preference|convention|instruction|setting))?: ?(.+)$`),
	}
	globalRequests = []*pattern{
		lazily(polite + `(?:record|save|store|note|add|keep|remember|memori[sz]e|write down|put|make|treat) (?:this |that |it |the following )?(?:as |to |in |into |under )?(?:an? |the |my |your )?(?:global|universal) (?:rule|memory|memories|instruction|preference|convention|setting|note|fact|guideline)s?(?: that |[:,] ?(?:that )?| - )(.+)$`),
		lazily(polite + `(?:remember|note|record|save|store|memori[sz]e)(?: this| that)?,? (?:(?:for|in|across) ` + allProjects + `|globally|everywhere)(?: that |[:,] ?(?:that )?| - | )(.+)$`),
	}
	// globalEnd says so behind the statement; globalNext is a sentence of its own.
	globalEnd  = lazily(`(?i) (?:in|for|across) ` + allProjects + `[.! ]*$`)
	globalNext = lazily(`(?i)^(?:please |and )?(?:record|make|save|store|apply|remember|treat)\b.*\b(?:global(?:ly)?|all (?:my |our )?projects|every project|everywhere)\b[^:]*$`)
	// scoping says once more what it holds for, and nothing else.
	scoping = lazily(`(?i)^(?:and )?(?:not|rather than|instead of) (?:just|only|merely|for|in)\b`)
)

// unframe takes from a sentence that it holds for all projects, and says whether it
// was asked to be remembered.
func (s *statement) unframe() (asked bool) {
	s.everywhere = globalEnd.MatchString(s.text) || globalNext.MatchString(s.next)
	m := firstMatch(globalRequests, s.text)
	if asked = m != nil; !asked {
		m = firstMatch(globalFrames, s.text)
	}
	if m == nil || question(s.text) || short(m[1]) || scoping.MatchString(m[1]) {
		return false
	}
	s.text, s.everywhere = m[1], true
	return asked
}
