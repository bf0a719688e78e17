package llm

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Operation is one change that a model asks for.
type Operation struct {
	Action     memory.Action // add, replace, remove
	ID         string        // of the known entry, to replace and remove
	Content    string        // one line, to add and replace
	Scope      memory.Scope  // ScopeProject, ScopeGlobal or ScopeUser
	Category   string        // one of a closed set
	Importance float64       // by the worth and the place that the model gave it
	Turns      []string      // ids of the turns that are quoted
	Quotes     []string      // of each of them, verbatim
	Reason     string
}

// Answer is what a model's words amount to.
type Answer struct {
	Operations []Operation // the most worth first, at most as many as were asked for
	Summary    memory.Summary
	// Dropped counts what was left out, by the reason: malformed, worth, empty,
	// too_long, redacted, unknown_id, unquoted (no quote of an operation is true), known
	// (it rests on turns that were learned from before), most; and false_quote, of
	// single quotes of an operation that has a true one.
	Dropped map[string]int
}

const (
	maxContent = 500 // runes
	maxQuotes  = 4
)

// categories are those that a model can give. Others are facts.
var categories = []string{"instruction", "correction", "convention", "decision", "preference", "restriction", "command", "fact"}

// asked is an operation in the form that the prompt asks for, and near to it.
type asked struct {
	Action   string
	ID       text
	Worth    text
	Text     string
	Content  string
	Scope    string
	Category string
	Reason   text
	Said     json.RawMessage
	Turn     text
	Turns    text
	Quote    string
}

// text is a JSON value as somebody means it who did not mind its type.
type text string

// UnmarshalJSON takes any value: a string without its quotation marks.
func (t *text) UnmarshalJSON(raw []byte) error {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		s = string(raw)
	}
	*t = text(s)
	return nil
}

type place struct {
	Turn  text
	Quote string
}

// Read reads an answer to a question. It fails, with kind invalid, where there is no
// JSON object with a list of operations; what is wrong with one operation costs that
// operation alone.
func Read(answer string, q Question) (Answer, error) {
	a := Answer{Dropped: map[string]int{}}
	raw, ok := object(answer)
	if !ok || raw.Operations == nil {
		return a, memory.Errorf(memory.KindInvalid, "read answer", "the answer is not the JSON that was asked for")
	}
	var s struct{ Title, Asked, Done, Learned, Open text }
	if q.Session && json.Unmarshal(raw.Summary, &s) == nil && s.Asked+s.Done+s.Learned+s.Open != "" {
		line := func(t text) string { return clip(oneLine(string(t)), maxContent) }
		a.Summary = memory.Summary{
			Title: cmp.Or(line(s.Title), q.Conversation.Title), Asked: line(s.Asked), Done: line(s.Done), Found: line(s.Learned),
			Open: line(s.Open), Files: strings.Join(Files(q.Conversation), ", "), Ended: q.ended(),
		}
	}
	for _, one := range raw.Operations {
		var in asked
		if json.Unmarshal(one, &in) != nil {
			a.Dropped["malformed"]++
			continue
		}
		op, why := a.operation(in, q)
		if why != "" {
			a.Dropped[why]++
			continue
		}
		op.Importance = max(0.5, math.Round(100*op.Importance-2*float64(len(a.Operations)))/100) // the most useful come first
		a.Operations = append(a.Operations, op)
	}
	slices.SortStableFunc(a.Operations, func(x, y Operation) int { return cmp.Compare(y.Importance, x.Importance) })
	if over := len(a.Operations) - max(q.Most, 0); over > 0 {
		a.Dropped["most"] += over
		a.Operations = a.Operations[:max(q.Most, 0)]
	}
	return a, nil
}

// operation holds an operation to what was asked for, and says why it is dropped.
func (a *Answer) operation(in asked, q Question) (op Operation, why string) {
	op = Operation{
		Content: oneLine(cmp.Or(in.Text, in.Content)), Scope: memory.ScopeProject, Category: strings.ToLower(in.Category),
		Importance: 0.6, Reason: clip(oneLine(string(in.Reason)), 300),
	}
	switch in.Action {
	case "add", "":
		op.Action = memory.ActionAdd
	case "update", "replace":
		op.Action = memory.ActionReplace
	case "remove", "delete":
		op.Action = memory.ActionRemove
	default:
		return op, "malformed"
	}
	switch strings.TrimSpace(string(in.Worth)) {
	// Readers found 65 of 109 entries rated 2 worth keeping, and 70 of 79 rated 3.
	case "0", "1", "2":
		return op, "worth"
	case "3":
		op.Importance = 0.9
	}
	switch strings.ToLower(in.Scope) {
	case "user", "profile":
		op.Scope = memory.ScopeUser
	case "global", "global_memory":
		op.Scope = memory.ScopeGlobal
	}
	if !slices.Contains(categories, op.Category) {
		op.Category = "fact"
	}
	if op.Action != memory.ActionAdd {
		i := slices.IndexFunc(q.Known, func(k Known) bool { return k.ID == string(in.ID) })
		if n, err := strconv.Atoi(strings.Trim(string(in.ID), "[]Kk ")); i < 0 && err == nil {
			i = n - 1
		}
		if i < 0 || i >= len(q.Known) {
			return op, "unknown_id"
		}
		op.ID = q.Known[i].ID
	}
	switch {
	case op.Action != memory.ActionRemove && op.Content == "":
		return op, "empty"
	case utf8.RuneCountInString(op.Content) > maxContent:
		return op, "too_long"
	case strings.Contains(op.Content, "[redacted:"):
		return op, "redacted"
	}
	return op, a.quote(&op, in, q)
}

// quote keeps the quotes of an operation that stand in their turns, and says why that
// is not enough.
func (a *Answer) quote(op *Operation, in asked, q Question) (why string) {
	var places []place
	if json.Unmarshal(in.Said, &places) != nil {
		var one place
		if json.Unmarshal(in.Said, &one) == nil {
			places = []place{one}
		}
	}
	if len(places) == 0 {
		places = []place{{in.Turn + " " + in.Turns, in.Quote}}
	}
	fresh, untrue := false, 0
	for _, p := range places[:min(len(places), maxQuotes)] {
		i := q.where(p)
		if i < 0 {
			untrue++
			continue
		}
		fresh = fresh || i >= q.After
		op.Turns = append(op.Turns, q.Conversation.Turns[i].ID)
		op.Quotes = append(op.Quotes, strings.TrimSpace(p.Quote))
	}
	switch {
	case len(op.Turns) == 0:
		return "unquoted"
	case !fresh:
		return "known"
	case untrue > 0:
		a.Dropped["false_quote"] += untrue
	}
	return ""
}

var number = regexp.MustCompile(`\d{1,9}`)

// where is the index of the turn in which a quote stands, of those that it names: as
// 16, "16", "#16", ["16"] or UUID#16. It is -1 where it stands in none.
func (q Question) where(p place) int {
	quote := folded(p.Quote)
	if utf8.RuneCountInString(quote) < 3 {
		return -1
	}
	named := string(p.Turn)
	if i := strings.LastIndexByte(named, '#'); i >= 0 {
		named = named[i:]
	}
	for _, n := range number.FindAllString(named, maxQuotes) {
		i, _ := strconv.Atoi(n)
		if i >= 1 && i <= len(q.Conversation.Turns) && strings.Contains(folded(q.Conversation.Turns[i-1].Content), quote) {
			return i - 1
		}
	}
	return -1
}

var typographic = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`, "‘", "'", "’", "'", "‚", "'")

// folded is a text with white space and quotation marks as a typewriter has them.
func folded(s string) string { return oneLine(typographic.Replace(s)) }

// answered is the object that was asked for.
type answered struct {
	Operations []json.RawMessage `json:"operations"`
	Summary    json.RawMessage   `json:"summary"`
	Sentences  []Sentence        `json:"sentences"`
}

var (
	thought  = regexp.MustCompile(`(?s)<think(?:ing)?>.*?</think(?:ing)?>|^Thinking\.\.\..*?\.\.\.done thinking\.`)
	trailing = regexp.MustCompile(`,(\s*[}\]])`)
)

// object finds the last object with operations or sentences in what a model said: behind its
// thoughts, within its prose.
func object(answer string) (found answered, ok bool) {
	answer = thought.ReplaceAllString(answer, "")
	for _, said := range []string{answer, trailing.ReplaceAllString(answer, "$1")} {
		rest := []byte(said)
		for work := 0; work < 4*maxAnswer; { // bytes read for objects that are not it
			i := bytes.IndexByte(rest, '{')
			if i < 0 {
				break
			}
			rest = rest[i:]
			var a answered
			from := bytes.NewReader(rest)
			dec := json.NewDecoder(from)
			err := dec.Decode(&a)
			work += len(rest) - from.Len()
			if err != nil {
				rest = rest[1:]
				continue
			}
			if rest = rest[dec.InputOffset():]; a.Operations != nil || a.Sentences != nil {
				found, ok = a, true
			}
		}
		if ok {
			return found, true
		}
	}
	return found, false
}
