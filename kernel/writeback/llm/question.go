package llm

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"
	"unicode/utf8"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
)

// Model is whoever is asked: an [Endpoint] or a [Program].
type Model interface {
	// Ask returns the model's words. Kinds of errors: unavailable, timeout and
	// over_limit (later: see [RetryAfter]), denied (no login, no key, no such program
	// or model: later, with the reason), invalid and too_big (the answer is of no use).
	Ask(ctx context.Context, prompt string) (string, error)
}

// Question is what a model is asked about one conversation.
type Question struct {
	Project      string // its name, not its path
	Conversation process.Transcript
	After        int     // so many turns were learned from before: they are shown, and no operation rests on them alone
	Known        []Known // existing entries, those nearest to the conversation
	Most         int     // operations that are taken from an answer
	Session      bool    // a summary is wanted
}

// Known is an entry that an operation can be about.
type Known struct {
	ID    string
	Entry *memory.Entry
	Fixed bool // a person's, or pinned: a model may only propose to change it
}

// MaxTokens is how long a prompt is when nobody said.
const MaxTokens = 24000

//go:embed prompt.txt
var embedded string

// Template is that of the question that is put unless another is configured.
func Template() string { return embedded }

//go:embed cite.txt
var citing string

// Sentence is one of an answer from texts, which it cites by their numbers, from 1. They
// need not exist.
type Sentence struct {
	Text  string
	Cites []int
}

// Cite asks a model a question that it is to answer from texts.
func Cite(ctx context.Context, m Model, question string, texts []string) ([]Sentence, error) {
	prompt := citing
	for i, text := range texts {
		prompt += fmt.Sprintf("[%d]\n%s\n", i+1, indented(data(text)))
	}
	answer, err := m.Ask(ctx, prompt+"</known>\nQuestion: "+data(oneLine(question))+"\n")
	raw, ok := object(answer)
	if err == nil && (!ok || raw.Sentences == nil) {
		err = memory.Errorf(memory.KindInvalid, opAsk, "the answer is not the JSON that was asked for")
	}
	return raw.Sentences, err
}

// view is what a template can show.
type view struct {
	Project      string
	Date         string // 2027-01-31, "" when nobody knows
	Ended        string // such as "exit 0"
	Files        string // that were changed, with commas
	Known        string // a line an entry: "[K1] category: text"
	Conversation string // its turns: "#16 user:" and indented lines
	Most         int
	Session      bool
}

// Prompt writes the question by a template of text/template, "" for the one that is
// built in, in at most about maxTokens tokens, 0 for [MaxTokens]. A template that
// names an unknown field, or leaves the conversation out, is an error of kind invalid.
func (q Question) Prompt(text string, maxTokens int) (string, error) {
	const op = "write prompt"
	if text == "" {
		text = embedded
	}
	if maxTokens <= 0 {
		maxTokens = MaxTokens
	}
	t, err := template.New("prompt").Parse(text)
	if err != nil {
		return "", memory.Errorf(memory.KindInvalid, op, "%w", err)
	}
	v := view{
		Project: q.Project, Date: q.date(), Ended: q.ended(), Most: q.Most, Session: q.Session,
		Files: clip(strings.Join(Files(q.Conversation), ", "), 1000), Known: q.known(),
	}
	var without, b strings.Builder
	err = t.Execute(&without, v)
	if err == nil {
		v.Conversation = q.conversation(maxTokens - memory.Tokens(without.String()))
		err = t.Execute(&b, v)
	}
	if err != nil { // it names the field
		return "", memory.Errorf(memory.KindInvalid, op, "%w", err)
	}
	if !strings.Contains(b.String(), v.Conversation) {
		return "", memory.Errorf(memory.KindInvalid, op, "the template does not show {{.Conversation}}")
	}
	return b.String(), nil
}

func (q Question) date() string {
	at := cmp.Or(q.Conversation.End, q.Conversation.Start)
	if n := len(q.Conversation.Turns); n > 0 {
		at = cmp.Or(at, q.Conversation.Turns[n-1].Time)
	}
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.DateOnly)
}

func (q Question) ended() (out string) {
	if code := q.Conversation.ExitCode; code != nil {
		out = "exit " + strconv.Itoa(*code)
	}
	if why := q.Conversation.ExitReason; why != "" {
		out = strings.TrimSpace(out + " (" + clip(why, 100) + ")")
	}
	return out
}

// known lists the existing entries by the names that answers call them.
func (q Question) known() string {
	var b strings.Builder
	for i, k := range q.Known {
		fixed := ""
		if k.Fixed {
			fixed = ", fixed"
		}
		fmt.Fprintf(&b, "[K%d] %s%s: %s\n", i+1, k.Entry.Category, fixed, data(clip(oneLine(k.Entry.Content), 400)))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// A detail is how much of the turns is shown, in runes.
type detail struct {
	user   int // of what the user says
	before int // of what the agent says just before the user
	agent  int // of what the agent says else
	tools  int // of a command; 0: of those that failed alone
}

// details are tried until a conversation fits, the most generous first.
var details = []detail{
	{12000, 1600, 800, 200},
	{12000, 1000, 400, 120},
	{12000, 600, 200, 0},
	{12000, 400, 0, 0},
	{6000, 250, 0, 0},
	{3000, 100, 0, 0},
	{1500, 0, 0, 0},
}

// conversation shows the turns in a number of tokens. Of a conversation that is too
// long for that in any detail, the middle is left out.
func (q Question) conversation(budget int) string {
	var shown []string
	for _, d := range details {
		shown = q.turns(d)
		cost := 0
		for _, text := range shown {
			cost += memory.Tokens(text)
		}
		if cost <= budget {
			return strings.Join(shown, "")
		}
	}
	const gap = "(turns are left out here)\n"
	i, j := 0, len(shown)
	for budget -= memory.Tokens(gap); i < j; {
		next := i
		if i > len(shown)-j {
			next = j - 1
		}
		if budget -= memory.Tokens(shown[next]); budget < 0 {
			break
		}
		if next == i {
			i++
		} else {
			j--
		}
	}
	return strings.Join(shown[:i], "") + gap + strings.Join(shown[j:], "")
}

// turns shows each turn that says something, and is numbered as recall numbers them,
// from 1. Runs of commands that went well share a line.
func (q Question) turns(d detail) (shown []string) {
	last := "" // what the agent said, until the user answers
	for i, t := range q.Conversation.Turns {
		n, known := i+1, ""
		if i < q.After {
			known = ", known already"
		}
		text := strings.TrimSpace(t.Content)
		switch t.Role {
		case process.RoleUser:
			text = middle(unpasted(text), d.user)
		case process.RoleAssistant:
			most := d.agent
			if q.answered(i) {
				most = d.before
			}
			text = middle(text, most)
		case process.RoleTool:
			if line := ran(t, d.tools); line != "" {
				shown = append(shown, fmt.Sprintf("#%d tool%s, %s\n", n, known, data(line)))
			}
			continue
		default:
			text = middle(text, d.agent)
		}
		if text == "" || text == last {
			continue
		}
		last = text
		shown = append(shown, fmt.Sprintf("#%d %s%s:\n%s\n", n, t.Role, known, indented(data(text))))
	}
	return shown
}

// answered says whether the next one to speak after turn i is the user.
func (q Question) answered(i int) bool {
	for _, t := range q.Conversation.Turns[i+1:] {
		if t.Role != process.RoleTool && strings.TrimSpace(t.Content) != "" {
			return t.Role == process.RoleUser
		}
	}
	return true // the last word
}

var (
	callForm = regexp.MustCompile(`^(?:[\w.:/-]{1,60}\(|\$ |> |Tool use: )`)
	runTool  = regexp.MustCompile(`(?i)bash|shell|exec|terminal|command|run|^\$ `)
	editTool = regexp.MustCompile(`(?i)write|edit|patch|replace|insert|create_?file`)
	fileForm = regexp.MustCompile("(?:\\b(?:file_?path|filePath|notebook_path|path|filename|target_file)[\"']?: ?[\"']?|\\*\\*\\* (?:Add|Update|Delete) File: |^Tool use: \\*\\*\\w+\\*\\* `)([^\\s\"'`,)\\\\]+)")
	fence    = regexp.MustCompile("(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*(?:```|~~~)[ \t]*$|\\z)")
	closing  = regexp.MustCompile(`(?i)<(/?)(conversation|known)\b`)
)

// ran tells of a command that it went well or failed, and of another tool only that it
// failed. most is 0 where only failures are told.
func ran(t process.Turn, most int) string {
	call := command(t)
	if t.Failed {
		return "failed: " + clip(cmp.Or(strings.TrimPrefix(call, "Tool use: "), t.Tool), max(most, 120))
	}
	if most == 0 || call == "" || !runTool.MatchString(t.Tool) && !runTool.MatchString(call[:min(len(call), 40)]) {
		return ""
	}
	return "ok: " + clip(strings.TrimPrefix(call, "Tool use: "), most)
}

// command is how a tool was called, on one line, and nothing of what it answered: ""
// where the one can't be told from the other.
func command(t process.Turn) string {
	line, rest, _ := strings.Cut(strings.TrimSpace(t.Content), "\n")
	if !callForm.MatchString(line) {
		return ""
	}
	if strings.HasPrefix(line, "Tool use: ") { // as SpecStory writes it: the answer is fenced
		call, _, _ := strings.Cut(rest, "```")
		line += " " + call
	}
	return oneLine(line)
}

// Files are the files that the tools of a conversation changed, in the order of their
// first change, at most 50.
func Files(c process.Transcript) (files []string) {
	for _, t := range c.Turns {
		call := command(t)
		if t.Role != process.RoleTool || t.Failed || !editTool.MatchString(t.Tool) && !strings.Contains(call, "*** Begin Patch") {
			continue
		}
		found := fileForm.FindAllStringSubmatch(call, -1)
		if !strings.Contains(call, "*** Begin Patch") {
			found = found[:min(len(found), 1)] // what follows is text
		}
		for _, m := range found {
			file := strings.TrimPrefix(strings.TrimPrefix(m[1], c.Project), "/")
			if !slices.Contains(files, file) && len(files) < 50 {
				files = append(files, file)
			}
		}
	}
	return files
}

// unpasted shortens what a person has pasted: blocks of code, and long runs of lines
// that are no prose, such as logs.
func unpasted(text string) string {
	const most = 12 // lines
	text = fence.ReplaceAllStringFunc(text, func(block string) string { return ends(strings.Split(block, "\n"), most) })
	var out, run []string
	for line := range strings.SplitSeq(text+"\nend", "\n") {
		if !prose(line) {
			run = append(run, line)
			continue
		}
		if len(run) > 0 {
			out, run = append(out, ends(run, most)), nil
		}
		out = append(out, line)
	}
	return strings.Join(out[:len(out)-1], "\n")
}

// prose: most of a line are letters and spaces, as nobody's log and code are.
func prose(line string) bool {
	letters, all := 0, 0
	for _, r := range line {
		all++
		if r == ' ' || r == ',' || r >= utf8.RuneSelf || r|0x20 >= 'a' && r|0x20 <= 'z' {
			letters++
		}
	}
	return all > 0 && letters*100 >= all*88 && !strings.HasPrefix(line, "    ") && !strings.HasPrefix(line, "\t")
}

// ends are the first and the last of some lines.
func ends(lines []string, most int) string {
	if len(lines) > most {
		lines = slices.Concat(lines[:most*2/3], []string{fmt.Sprintf("[... %d lines ...]", len(lines)-most)}, lines[len(lines)-most/3:])
	}
	return strings.Join(lines, "\n")
}

// data keeps a text from closing the marks around it.
func data(text string) string { return closing.ReplaceAllString(text, "<$1 $2") }

func indented(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// clip keeps the first runes of a text, and says that there were more.
func clip(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "..."
	}
	return s
}

// middle leaves the middle of a long text out: the end is where an agent asks.
func middle(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	if most == 0 {
		return ""
	}
	head := most * 2 / 5
	return string(r[:head]) + " [...] " + string(r[len(r)-(most-head):])
}
