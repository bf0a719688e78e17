package rules

import (
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

var (
	// How things are done here, as a person says it.
	customs = []*pattern{
		lazily(`(?i)^((?:in )?(?:this|our|the) (?:repo|repository|project|codebase|monorepo|app|service|team|company|api|package|module|backend|frontend|server|build|pipeline|ci),? .*\b(?:uses?|is (?:built|written|tested|deployed|hosted|formatted|linted|a|an|based)|are|has|have|follows?|requires?|needs|runs?|lives?|expects|targets?|supports?|relies|must|should|keeps?|stores?|ships?)\b.+)$`),
		lazily(`(?i)^((?:we|our team) (?:always |usually |only |generally |mostly |all )?(?:use|follow|run|deploy|write|keep|store|name|prefix|squash|rebase|tag|format|lint|target|support|require|test|ship|release|host|put|merge|branch|version|document)\b.+)$`),
		lazily(`(?i)^(our (?:[\w-]+ ){1,4}(?:is|are) (?:at|in|on|called|named|hosted|under|behind|written|deployed)\b.+)$`),
		lazily(`(?i)^((?:the |our |all |unit |integration |e2e )*(?:tests?|migrations?|configs?|configuration|fixtures|docs|documentation|source(?: code)?|code|handlers|components|logs|secrets|assets|commits?(?: messages)?|branch(?:es| names)?|releases?|specs?|rules|scripts|directories|relevant directories) (?:are|is|live|lives|go|goes|run|runs|must|should|follow|follows|belong|belongs|start|starts|end|ends|use|uses|will be)\b.+)$`),
		lazily(`(?i)^((?:the|our) (?:convention|rule|policy|standard|guideline|practice|custom)(?: here)? (?:is|for .+ is|says)\b.+|by convention,? .+)$`),
		lazily(`(?i)^(?:in addition,? |also,? |re [\w ]+, )*(they should (?:just )?(?:follow|use|update|run|always)\b.+)$`),
		lazily(`(?i)^(?:add some language to explain that|explain that|clarify that|specify that|note that|document that) (.+)$`),
		lazily(`(?i)^(if (?:specifying|using|passing|assigned|running|you (?:use|pass|specify|run))\b.+,.*\b(?:not needed|no need|not necessary|required|must|ignored)\b.*)$`),
	}
	// How an agent states what it found, without a doubt.
	findings = lazily(`(?i)^((?:this|the) (?:project|repo|repository|codebase|monorepo) (?:uses|requires|follows|is (?:built|written|tested|formatted|managed) (?:with|in|using|by)|relies on|has no|expects|enforces) .+|(?:the |all |unit |integration )*(?:tests|migrations|linters?|checks|builds?) (?:are|must be|need to be|have to be) (?:run|built|started|applied|executed) (?:with|by|using|from|via) .+)$`)
	// serves is no past: what is used to do something.
	serves   = lazily(`(?i)\b(?:be|is|are|was|were|been|being) (?:\w+ )?used to\b`)
	progress = lazily(`(?i)\b(?:now|currently|already|still|just|i(?:'ve| have|'ll| will)?|you|passing|passed|failing|failed|all pass|updated|fixed|added|completed|done|seems?|appears?|looks? like|successfully|has been|have been|were|was|yet|todo|in progress)\b`)
	hopes    = lazily(`(?i)\bshould (?:now |all |still |then )?(?:pass|work|compile|fail|be (?:fixed|able|fine|ok|green|passing|working|updated|added|removed|enough|done))\b`)
	states   = lazily(`(?i)\b(?:passing|failing|broken|green|red|done|ready|finished|complete|merged|missing|wrong|out of date|slow|down|up|good|bad|fine|great|a mess|hard|awesome)$`)
)

// moody is what something is for a while, or to somebody's mind.
var moody = lazily(`(?i)\b(?:is|are|was|were|seems?|looks?|feels?|gets?|getting|became|keeps?)(?: (?:a|an|all|so|too|very|still|really|pretty|quite|rather|bit|kind|of|little|always|often|sometimes|totally|\w+ly|being|getting|just))* ` + mood + `(?:(?:,| and|, and| or| but) (?:\w+ly |so |too |very )*` + mood + `)*(?:,? (?:again|lately|today|now|recently|here|there|sometimes|anyway|too|though|these days|on \w+(?: \w+)?|in ci|in the ci|since .+|because .+|for \w+|at times|as hell|right now|to (?:read|run|use|follow|understand|maintain)))*$`)

const mood = `(?:flaky|slow|sluggish|unstable|unreliable|brittle|fragile|mess(?:y)?|buggy|ugly|old|outdated|stale|big|huge|large|noisy|weird|strange|odd|confus(?:ing|ed)|annoying|terrible|horrible|awful|awesome|stuck|hanging|running|crashing|skipped|red|green|failing|passing|broken|nice|clean|ok|okay|easy|simple|complicated|complex|incomplete|useless|bloated|offline|online|unavailable|unreachable|full|empty|dead|back|gone|late|delayed|fast|faster|slower|better|worse|fine|good|bad|great|hard|wrong|missing|down|up|done|ready|finished|complete|merged|long|short|silly|stupid|pain|nightmare|joke|disaster|shambles|hit and miss)`

// state says whether a sentence says how something is, not how it is done.
func state(s string) bool {
	return states.MatchString(s) && len(tokens(s)) < 9 || moody.MatchString(s) && len(tokens(s)) < 14
}

// convention finds how things are done in the project, as the user states it.
func convention(s *statement) (Candidate, bool) {
	text := trimmed(strings.TrimRight(s.text, "!. "))
	conditional := begins.MatchString(text)
	if s.specified() || s.brief() || s.unsaid(text) || passes.MatchString(text) || !s.work && s.crafted(text) == 0 || state(text) || history.MatchString(serves.ReplaceAllString(text, "")) || hopes.MatchString(text) {
		return Candidate{}, false
	}
	for i, re := range customs {
		m := re.FindStringSubmatch(text)
		if m == nil || conditional && i != len(customs)-1 || len(tokens(m[1])) < 4 || momentary.MatchString(m[1]) {
			continue
		}
		return practice(m[1], 0.65), true
	}
	return Candidate{}, false
}

// finding is a convention in what an agent says last: weak, and only when it
// names the thing.
func finding(s *statement) (Candidate, bool) {
	text := strings.TrimRight(s.text, "!. ")
	m := findings.FindStringSubmatch(text)
	if m == nil || s.unsaid(text) || progress.MatchString(literal.ReplaceAllString(text, "")) || !strings.Contains(text, "`") && !capitals.MatchString(text) {
		return Candidate{}, false
	}
	c := practice(m[1], 0.55)
	c.Importance = 0.5
	return c, true
}

var literal = lazily("`[^`]*`")

// capitals are names within a sentence.
var capitals = lazily(`[^.!?] [A-Z][a-z]*[A-Za-z]`)

func practice(s string, confidence float64) Candidate {
	c := Candidate{Target: memory.ScopeProject, Category: Convention, Type: semantic, Importance: 0.65, Confidence: confidence, Content: tidy(third(s))}
	if worldly.MatchString(s) {
		c.Target = memory.ScopeGlobal
	}
	return c
}
