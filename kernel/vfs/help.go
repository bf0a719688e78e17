package vfs

import (
	_ "embed"
	"encoding/json"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
)

// help is what a device shows to a reader for whom it has no reply.
type help struct {
	Device  string      `json:"device"`
	About   string      `json:"about"`
	Actions []string    `json:"actions,omitempty"`
	Fields  []fieldHelp `json:"fields"`
	Example string      `json:"example"`
}

type fieldHelp struct {
	Name string `json:"name"`
	What string `json:"what"`
}

// encode makes the reply: ok is false, as in the reference system, for nothing
// was done; the code tells it from a failure.
func (h help) encode(why string) []byte {
	return encode(struct {
		OK    bool   `json:"ok"`
		Code  string `json:"code"`
		Error string `json:"error"`
		help
	}{Code: "no_reply", Error: why, help: h})
}

//go:embed help.json
var helpFile string

// helpOf is what a device has that takes requests, with its help. What has no row in
// help.json is a scope: the row SCOPE comes first there, and each other in its place.
func helpOf(device string) writable {
	var all map[string]help
	_ = json.Unmarshal([]byte(strings.ReplaceAll(helpFile, "SCOPE", device)), &all) // a test reads it
	h := all[device]
	h.Device = device
	return writable{h}
}

// entriesHelp is helpOf a device whose requests go to entries.
func entriesHelp(device string) writable {
	d, fields := helpOf(device), []fieldHelp(nil)
	for _, row := range helpOf("entries").help.Fields {
		switch row.Name {
		case "target":
			fields = append(fields, d.help.Fields...)
		case "ENTRY":
			for _, f := range memory.EntryFields {
				if f.Request {
					fields = append(fields, fieldHelp{f.Name, f.Help})
				}
			}
		default:
			fields = append(fields, row)
		}
	}
	d.help.Fields, d.help.Actions = fields, store.Actions()
	return d
}
