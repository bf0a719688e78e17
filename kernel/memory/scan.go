package memory

import "context"

// Field is one named text of a request, to be scanned.
type Field struct {
	Name string // content, old, key, tags, category, metadata.<key>, query, ...
	Text string
}

// Finding is one thing that the scanner saw. It never holds the secret: Preview
// is masked.
type Finding struct {
	Rule        string `json:"rule"`
	Category    string `json:"category"` // secret, credential, prompt-injection, ...
	Description string `json:"description"`
	Field       string `json:"field"`
	Line        int    `json:"line"`   // 1-based
	Column      int    `json:"column"` // 1-based, in bytes
	Preview     string `json:"preview"`
	Action      string `json:"action,omitempty"` // reject, redact, warn: what the policy says
	Hint        string `json:"hint,omitempty"`   // how to go on
	Fingerprint string `json:"-"`                // of what was found, by a key of the user's; may be ""
}

// Verdict is what the scanner found, by what is to be done about it. Each list is
// sorted by field, place and rule.
type Verdict struct {
	Reject []Finding // the text must not be stored
	Mask   []Finding // it may be stored as Redact returns it
	Warn   []Finding // it may be stored, and whoever stores it should know
}

// Scanner judges text before it is stored, and masks it where a text has to be
// kept nevertheless (a file set aside).
type Scanner interface {
	// Scan judges the fields. Any failure of the scanner itself (a rule, a timeout,
	// a panic, invalid UTF-8) is an error, and the text must not be stored: the
	// gate fails closed.
	Scan(ctx context.Context, fields []Field) (Verdict, error)
	// Redact returns text with everything that Scan finds in it masked, such
	// that a second Scan finds nothing; an error means that it could not, and
	// the text must not be kept.
	Redact(ctx context.Context, text string) (string, error)
}
