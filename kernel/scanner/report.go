package scanner

import "fmt"

// Field is one named text of a request. A dotted name such as
// metadata.db_password carries a label of the caller's choice: the part after
// the first dot is scanned together with the text, as "label: text". Other
// names (content, key, query) are the protocol's own words and are not.
type Field struct {
	Name string
	Text string
}

// Finding is one thing that the scanner saw. It never holds the secret.
type Finding struct {
	Rule        string `json:"rule"`
	Category    string `json:"category"` // one of [Categories]
	Description string `json:"description"`
	Field       string `json:"field"`
	Line        int    `json:"line"`   // 1-based
	Column      int    `json:"column"` // 1-based, in bytes
	Offset      int    `json:"offset"` // of the value in the field's text, in bytes
	Length      int    `json:"length"` // of the value in the field's text, in bytes
	View        string `json:"view"`   // where it was seen: raw, relaxed, unescaped, ...
	Preview     string `json:"preview"`
	Action      Action `json:"action"` // what the policy says
	Hint        string `json:"hint"`   // how to go on
	// Fingerprint is the beginning of a keyed hash: of the value of a secret, a
	// credential or personal data, else of the whole text. Empty without Options.Key.
	Fingerprint string `json:"fingerprint,omitempty"`
	// With Options.Explain: the words of an act, as the view shows them, and the rule's
	// own word for which the text was looked at.
	Words   string `json:"words,omitempty"`
	Keyword string `json:"keyword,omitempty"`

	field int // index of the field in the request
	span  span
}

// Report is the verdict on a request. The text may be stored if Findings is
// empty; as [Scanner.Redact] returns it, if Redactions is not.
type Report struct {
	Findings   []Finding // what rejects; sorted by field, offset, rule
	Redactions []Finding // what has to be masked first
	Warnings   []Finding // what is worth a note, and does not reject
	Truncated  bool      // there were more findings than Options.MaxFindings
}

// lists returns the lists of findings, the strictest first.
func (r *Report) lists() []*[]Finding {
	return []*[]Finding{&r.Findings, &r.Redactions, &r.Warnings}
}

// Reason says why a text could not be judged.
type Reason string

// The reasons of a [Failure]. The list is closed.
const (
	ReasonRules     Reason = "rules"     // a rule does not load
	ReasonSelfTest  Reason = "self_test" // the rules load, but do not find what they must
	ReasonTooLarge  Reason = "too_large" // a text or the request is over the limit
	ReasonEncoding  Reason = "encoding"  // not UTF-8
	ReasonTimeout   Reason = "timeout"   // the scanner's deadline or the caller's
	ReasonCanceled  Reason = "canceled"  // the caller's context was cancelled
	ReasonPanic     Reason = "panic"     // a bug
	ReasonRedaction Reason = "redaction" // findings remain after the last pass
)

// Failure is every error of this package: the text was not judged and must not
// be stored. Its message never quotes the text.
type Failure struct {
	Reason Reason
	Field  string // the field's name, if one is to blame
	Err    error  // may be nil
}

// Error names the reason, and the field that is to blame.
func (f *Failure) Error() string {
	msg := "scan failed: " + string(f.Reason)
	if f.Field != "" {
		msg += fmt.Sprintf(" (field %q)", f.Field)
	}
	if f.Err != nil {
		msg += ": " + f.Err.Error()
	}
	return msg
}

// Unwrap returns the cause, so that errors.Is sees context.DeadlineExceeded.
func (f *Failure) Unwrap() error { return f.Err }
