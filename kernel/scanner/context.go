package scanner

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
)

var (
	// secretPrefixes are the prefixes of vendors' secrets.
	secretPrefixes = regexp.MustCompile(`(?i)(?:^|[_-])(?:sk|sec|secret|key|apikey|api|tok|token|pat|auth|access|refresh|live|prod|priv|private|cred|pw|pass|svc|sa|bot|oauth|whsec)(?:[_-]|$)`)
	// openPrefixes are the prefixes of identifiers, hashes and public values.
	openPrefixes = regexp.MustCompile(`(?i)(?:^|[_-])(?:pk|diff|pub|public|publishable|sha\d*|md5|hash|commit|rev|etag|cache|build|image|img|layer|digest|checksum|integrity|trace|span|req|request|session|sess|run|job|task|msg|message|call|resp|response|chatcmpl|thread|asst|file|batch|org|user|usr|cus|customer|acct|account|price|prod|product|sub|evt|event|ch|pi|pm|seti|in|inv|invoice|txn|src|card|ba|re|cs|li|ii|si|price|plan|prctr|order|item|node|pod|container|vol|volume|subnet|sg|vpc|ami|eni|igw|rtb|snap|i|id|uid|uuid|ref|key-node|idempotency|cid|sri|gid|blob|chunk|asset|bundle|main|index|vendor|polyfill|runtime|app|styles?)[_-]`)

	// secretNouns announce a secret; openNouns announce other random values.
	secretNouns = regexp.MustCompile(`(?i)\b(?:api|secret|secrets|token|tokens|credential|credentials|creds|pats?\b|(?:api|access|auth|service|deploy|signing|private|encryption|master|account|license|ssh|admin|own|two|old|new|current|\w+['’]s|[A-Z][\w.-]+)[ _-]?keys?|keys?\s*[=:\[("'` + "`" + `]|auth(?:n|z|ori[sz]\w+|entic\w+)?\b|bearer|client\s*\()\b?`)
	openNouns   = regexp.MustCompile(`(?i)\b(?:pub(?:lic)?[ _-]?keys?|primary[ _-]?key|foreign[ _-]?key|cache[ _-]?key|partition[ _-]?key|idempotency[ _-]?key|key[ _-]?id|kid|object[ _-]?key|fingerprint|sha-?\d+|sha|md5|commits?|revisions?|checksums?|digests?|hash(?:es|ed)?|etags?|integrity|uuid|guid|ulid|cid|ipfs|(?:\w+_)?id["']?\s*[:=]|request[ _-]?id|trace[ _-]?id|session[ _-]?id|build[ _-]?id|identifiers?|container|docker|image|blob|layer|artifact|contract|address(?:es)?|transactions?|tx|gpg|pgp|keyserver|rec(?:ei)?v(?:e)?-keys|ciphertext|certificates?|cert|signatures?|h1|resolved|lockfile|bisect|merge|cherry-pick|pods?|nodes?|version|branch|ssh-(?:rsa|ed25519)|data:|nonce|salt)\b`)
)

// isPrefixedToken judges a prefix with a random tail: a tail of capitals, small
// letters and digits is enough if it is long; what might be a hash or an
// identifier needs a prefix that says that it is secret.
func isPrefixedToken(m *match) bool {
	v, before := m.value, m.view.text[max(0, m.at.start-12):m.at.start]
	if openLabel.MatchString(before) || placeholder(v) || openPrefixes.MatchString(v) {
		return false
	}
	tail := ""
	for p := range parts(v) {
		if len(p) > len(tail) {
			tail = p
		}
	}
	head := v[:strings.Index(v, tail)]
	if len(tail) < 20 || isPlainName(tail) || len(head) < 2 || turns(tail)*4 < len(tail) || entropy(tail) < 3 {
		return false
	}
	if threeKinds(tail) && turns(tail)*5 >= 2*len(tail) {
		return len(tail) >= 30 || secretPrefixes.MatchString(strings.TrimRight(head, "_-"))
	}
	return len(tail) >= 24 && secretPrefixes.MatchString(strings.TrimRight(head, "_-"))
}

// nounParts are in all that secretNouns finds.
var nounParts = []string{"client(", "client (", "api", "secret", "token", "cred", "pat", "key", "auth", "bearer"}

// secretNear is what stands near each value that isSecretNear accepts.
var secretNear = sync.OnceValue(func() need {
	tree, err := syntax.Parse(labelled.String(), syntax.Perl)
	if err != nil {
		return need{}
	}
	return need{any: append(anyWord(nounParts).any, needOf(tree))}
})

const (
	nearBefore = 60 // bytes before a value in which its noun is looked for
	nearAfter  = 30
)

// isSecretNear judges a random value by the words around it in its line.
func isSecretNear(m *match) bool {
	v := strings.TrimRight(m.value, "=.-_~")
	if len(v) < 20 || isCode(v) || kebab.MatchString(v) || strings.Count(v, "/") > 2 && 3*turns(v) < len(v) || strings.Contains(v, "..") {
		return false
	}
	random := threeKinds(v) && turns(v)*3 >= len(v) && entropy(v) >= 3.7
	if !random && (len(v) < 28 || turns(v)*4 < len(v) || strings.ContainsAny(v, "./")) || isPlainName(v) || drawing.MatchString(v) || placeholder(v) {
		return false
	}
	text := m.view.text
	before := text[max(0, m.at.start-nearBefore):m.at.start]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	after := text[m.at.end:min(len(text), m.at.end+nearAfter)]
	if i := strings.IndexByte(after, '\n'); i >= 0 {
		after = after[:i]
	}
	if labelled.MatchString(before) && (random || len(v) == 32) {
		return true
	}
	if !containsAny(strings.ToLower(before+after), nounParts) || openLabel.MatchString(before) || openNouns.MatchString(before) || openNouns.MatchString(after) {
		return false
	}
	return secretNouns.MatchString(before) || random && secretNouns.MatchString(after) || forAPI.MatchString(after)
}

var (
	// openLabel stands before what is no secret, whatever else its line says.
	openLabel = regexp.MustCompile(`(?i)(?:fingerprint|hash|salt|credential_?id|private_?key_?id|node_?id|pub(?:lic)?_?key)["']?\s*[:=]\s*["']?$|[\w-]/[\w.-]+@$|"(?:x|y|n|x5t#?\w*)"\s*:\s*"$|[?&]ref=$|\.(?:tgz|html?)#$`)
	// drawing matches a part of a path of SVG.
	drawing = regexp.MustCompile(`^(?:[MmLlHhVvCcSsQqTtAaZz]{0,2}[.,-]?\d+)+[.,-]?[MmLlHhVvCcSsQqTtAaZz]?$`)
	// forAPI follows a value that gives access to an interface.
	forAPI = regexp.MustCompile(`(?i)^["'\x60)]?\s+(?:for|with|against|to (?:call|access|use|reach))\s+(?:the\s+)?(?:\S+\s+){0,2}?API\b`)
	// labelled is a vendor's name that stands alone before a value, in a list or a
	// table: vendors whose tokens have no prefix, and some whose have.
	labelled = regexp.MustCompile(`(?i)\b(?:mistral|cohere|deepgram|assemblyai|ai21|stability|serper|serpapi|exa|datadog|cloudflare|fastly|algolia|okta|auth0|heroku|linode|vultr|hetzner|ovh|mailchimp|mailjet|postmark|sparkpost|plivo|vonage|nexmo|messagebird|pagerduty|opsgenie|rollbar|bugsnag|splunk|sumo ?logic|loggly|logz|snyk|codecov|travis|drone|azure|openai|together|wandb|mixpanel|amplitude|intercom|zendesk|freshdesk|salesforce|trello|asana|monday|braintree|adyen|coinbase|kraken|binance|infura|etherscan|moralis|twilio|sendgrid|mailgun|twitter|linkedin|spotify|rapidapi|ipinfo|abuseipdb|shodan|virustotal|dropbox|zoom|webex|gitea|artifactory|jenkins|railway|upstash|snowflake|confluent|optimizely|new ?relic|ngrok|openweather(?:map)?)\s*(?:[:|]|->|→|=)\s*["'\x60*]*$`)
)
