package mcp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/vfs"
)

// offer is a tool: how a call becomes a request of a device, and its reply a text.
type offer struct {
	name, about string
	schema      any
	reads       bool // it changes nothing
	ask         func(arguments []byte) (device string, request []byte, err error)
	show        func(arguments, reply []byte) (text string, failed bool)
}

// tool is what a client is told of it. The hints that are left out mean "true".
func (o offer) tool() *sdk.Tool {
	return &sdk.Tool{Name: o.name, Description: o.about, InputSchema: o.schema, Annotations: &sdk.ToolAnnotations{
		ReadOnlyHint: o.reads, IdempotentHint: o.reads, DestructiveHint: new(!o.reads), OpenWorldHint: new(false),
	}}
}

// ours are the tools unless memory.yaml names others. What a model sees of them costs
// tokens in every session: a test bounds it.
var ours = []offer{
	{
		name: "memory_recall", about: "Search what earlier sessions learned and what was said in them.", reads: true,
		schema: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"},"max_results":{"type":"integer"},` +
			`"scope":{"type":"string","description":"project or global; default all"},"since":{"type":"string","description":"RFC 3339"}},"required":["query"]}`),
		ask: askRecall, show: showRecall,
	},
	{
		name: "memory_remember", about: "Remember one fact for later sessions, or forget one.",
		schema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string","description":"clear without this conversation"},"key":{"type":"string","description":"short name"},` +
			`"scope":{"type":"string","description":"project (default), global, user, session"},` +
			`"replace":{"type":"string","description":"key or id of the entry that text replaces"},"forget":{"type":"string","description":"key or id"}}}`),
		ask: askRemember, show: showRemember,
	},
}

func askRecall(arguments []byte) (device string, request []byte, err error) {
	var args struct {
		Query      string `json:"query"`
		MaxResults int    `json:"max_results,omitempty"`
		Scope      string `json:"scope,omitempty"`
		Since      string `json:"since,omitempty"`
	}
	if err = memory.DecodeStrict(arguments, &args); err == nil && strings.TrimSpace(args.Query) == "" {
		err = memory.Errorf(memory.KindInvalid, "memory_recall", "query is required: what to look for, in plain words")
	}
	request, _ = json.Marshal(args)
	return "recall", request, err
}

// wholeRunes is the longest entry of which all is shown, and not what is around the hit.
const wholeRunes = 1000

func showRecall(_, body []byte) (text string, failed bool) {
	var reply vfs.RecallReply
	if json.Unmarshal(body, &reply) != nil || !reply.OK {
		return showFailure(body), true
	}
	for i := range reply.Results {
		r := &reply.Results[i]
		if r.Key != "" && utf8.RuneCountInString(r.Summary) <= wholeRunes {
			r.Snippet, r.Marks = r.Summary, nil
		}
		r.UUID = "" // no tool takes that of a turn, and an entry has a key
	}
	return string(reply.Page("")), false
}

// scopes are the words of our tools for targets of the commit device.
var scopes = map[string]string{"project": "", "global": string(memory.ScopeGlobal)}

func askRemember(arguments []byte) (device string, request []byte, err error) {
	var args struct {
		Text    string `json:"text"`
		Key     string `json:"key"`
		Scope   string `json:"scope"`
		Replace string `json:"replace"`
		Forget  string `json:"forget"`
	}
	if err = memory.DecodeStrict(arguments, &args); err != nil {
		return "", nil, err
	}
	fields := map[string]string{"action": "add"}
	set := func(field, value string) {
		if value != "" {
			fields[field] = value
		}
	}
	target, known := scopes[args.Scope]
	if !known {
		target = args.Scope
	}
	set("target", target)
	switch {
	case args.Forget != "" && args.Text+args.Key+args.Replace != "":
		err = memory.Errorf(memory.KindInvalid, "memory_remember", "forget goes with scope alone; to change an entry, give text and replace")
	case args.Forget != "":
		fields["action"] = "remove"
		set(naming(args.Forget), args.Forget)
	case args.Text == "":
		err = memory.Errorf(memory.KindInvalid, "memory_remember", "give text to remember, or forget with a key")
	case args.Replace != "":
		fields["action"], fields["new"] = "replace", args.Text
		set(naming(args.Replace), args.Replace)
		set("new_key", args.Key)
	default:
		fields["content"] = args.Text
		set("key", args.Key)
	}
	request, _ = json.Marshal(fields)
	if args.Scope == string(memory.ScopeUser) {
		return "profile", request, err
	}
	return "commit", request, err
}

// naming is the field of a request that names an entry by this: its id, or its key.
func naming(entry string) string {
	if len(entry) == 36 && strings.Count(entry, "-") == 4 && strings.Trim(entry, "0123456789abcdef-") == "" {
		return "id"
	}
	return "key"
}

// failure is what every refusal has.
type failure struct {
	OK                bool
	Code, Error, Hint string
}

func okay(body []byte) bool {
	var reply failure
	return json.Unmarshal(body, &reply) == nil && reply.OK
}

// showFailure is a refusal as a text: the code, what was wrong, what to do.
func showFailure(body []byte) string {
	var reply failure
	_ = json.Unmarshal(body, &reply) // it has no code then
	text := cmp.Or(reply.Code, memory.KindInternal.Code()) + ": " + cmp.Or(reply.Error, "the device gave no reply that can be read")
	if reply.Hint != "" {
		text += "\n" + reply.Hint
	}
	return text
}

func showRemember(_, body []byte) (text string, failed bool) {
	var reply struct {
		Message   string
		Key       string
		Duplicate string `json:"duplicate_of"`
		Evicted   []string
		Warnings  []memory.Finding
		Remaining int
	}
	if json.Unmarshal(body, &reply) != nil || !okay(body) {
		return showFailure(body), true
	}
	text = fmt.Sprintf("%s, key %q; room for %d more characters", reply.Message, reply.Key, reply.Remaining)
	if reply.Duplicate != "" {
		text += "\nthe same text was there already, as the entry " + reply.Duplicate
	}
	if n := len(reply.Evicted); n > 0 {
		text += fmt.Sprintf("\nolder entries made room: %d", n)
	}
	for _, w := range reply.Warnings {
		text += fmt.Sprintf("\n%s: %s in %s: %s", w.Action, w.Description, w.Field, w.Preview)
	}
	return text, false
}
