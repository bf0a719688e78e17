package vfs

import (
	"bytes"
	"encoding/json"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// encode makes the one line of JSON of a reply. HTML characters are left as they
// are: replies are read by people in terminals.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return []byte(`{"ok":false,"code":"internal","error":"the reply could not be encoded"}` + "\n")
	}
	return b.Bytes()
}

// failure is the least that every failed reply has.
type failure struct {
	OK       bool             `json:"ok"`
	Code     string           `json:"code"`
	Error    string           `json:"error"`
	Hint     string           `json:"hint,omitempty"`
	Findings []memory.Finding `json:"findings,omitempty"`
}

func failureOf(err error) failure {
	return failure{Code: memory.KindOf(err).Code(), Error: memory.ReasonOf(err), Hint: memory.HintOf(err)}
}

// Failure is the result of a request that failed before it reached memory, or
// whose scope has no numbers to show. A non-nil body replaces the plain one.
func Failure(err error, body []byte) Result {
	if body == nil {
		body = encode(failureOf(err))
	}
	return Result{Body: body, Kind: memory.KindOf(err)}
}
