package transcript

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// aider reads the chat histories of Aider: Markdown that only grows, with many
// sessions in one file.
type aider struct{}

const (
	aiderFile  = ".aider.chat.history.md"
	aiderBegin = "# aider chat started at "
)

// zone is what a time without one is in: histories are read where they were
// written.
var zone = time.Local

func (aider) Name() string { return "aider" }

// Detect wants the line that begins a session.
func (aider) Detect(_ string, head []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(trimMark(head)), []byte(aiderBegin)) || bytes.Contains(head, []byte("\n"+aiderBegin))
}

// Find looks in the working directory alone, by PWD: the history lies in each
// project, and projects lie anywhere.
func (aider) Find(home string, env func(string) string) ([]string, error) {
	dir := project(home, env)
	if dir == "" {
		return nil, nil
	}
	path := cmp.Or(env("AIDER_CHAT_HISTORY_FILE"), aiderFile)
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if fi, err := os.Stat(path); err != nil || !fi.Mode().IsRegular() {
		return nil, missing(err)
	}
	return []string{path}, nil
}

// project is the directory that a caller looks for histories in: PWD, when it is
// one and not the home, where no project lies.
func project(home string, env func(string) string) string {
	dir := folder(env("PWD"))
	if dir == filepath.Clean(home) || dir == "/" {
		return ""
	}
	return dir
}

// Read yields each session. It skips the lines before the first one.
func (aider) Read(ctx context.Context, path string) iter.Seq2[process.Transcript, error] {
	return read(func(w *writer) error {
		e := aiderEmitter{w: w, path: path, times: map[string]int{}}
		err := eachLine(ctx, w, path, func(l line) bool { return e.line(string(l.text)) })
		e.end()
		return err
	})
}

// aiderEmitter gathers the lines of one speaker.
type aiderEmitter struct {
	w       *writer
	path    string
	times   map[string]int // sessions by the time of their start
	role    process.Role
	reply   string // of the model since the user spoke: see echo
	between string // what the program said since
	text    strings.Builder
	over    bool
	started bool
}

func (e *aiderEmitter) line(s string) bool {
	if at, ok := strings.CutPrefix(s, aiderBegin); ok {
		e.end()
		e.begin(strings.TrimSpace(at))
		return !e.w.stopped
	}
	if !e.started {
		return true
	}
	role := process.RoleAssistant
	if said, ok := strings.CutPrefix(s, "####"); ok && strings.Contains(said, "? (Y)es/(N)o") {
		role, s = process.RoleTool, strings.TrimSpace(said) // what the program asks, with "all" for an answer
	} else if ok && (said == "" || said[0] == ' ') {
		role, s = process.RoleUser, strings.TrimPrefix(said, " ")
	} else if told, ok := strings.CutPrefix(s, ">"); ok && (told == "" || told[0] == ' ') {
		role, s = process.RoleTool, strings.TrimPrefix(told, " ")
	}
	if strings.TrimSpace(s) == "" {
		role = e.role // an empty line belongs to the speaker
	}
	if role != e.role {
		if !e.end() {
			return false
		}
		e.role = role
	}
	if role == process.RoleTool {
		e.notice(s)
	}
	if e.text.Len()+len(s) > maxLine {
		e.over = true
		return true
	}
	e.text.WriteString(strings.TrimRight(s, " "))
	e.text.WriteByte('\n')
	return true
}

// begin starts a session. Aider names none, so it is named by the time and the
// place of the file.
func (e *aiderEmitter) begin(at string) {
	name := strings.ReplaceAll(short(at, 40), " ", "T")
	for base := name; e.times[name] > 0; {
		e.times[base]++
		name = base + "." + strconv.Itoa(e.times[base])
	}
	e.times[name]++
	abs := e.path
	if a, err := filepath.Abs(e.path); err == nil {
		abs = a
	}
	p := process.Conversation{Agent: "aider", External: handle(name + "-" + digest(abs, 8)), Project: folder(filepath.Dir(abs))}
	if t, err := time.ParseInLocation(time.DateTime, at, zone); err == nil {
		p.Start = t.UTC()
	}
	e.w.begin(p)
	e.started, e.role, e.reply, e.between = true, "", "", ""
}

// notice takes what the program says of itself at the start.
func (e *aiderEmitter) notice(s string) {
	for _, mark := range []string{"Model: ", "Main model: "} {
		if model, ok := strings.CutPrefix(s, mark); ok {
			model, _, _ = strings.Cut(model, " with ")
			e.w.proc.Model = cmp.Or(e.w.proc.Model, short(model, maxName))
		}
	}
}

// end adds what one speaker said.
func (e *aiderEmitter) end() bool {
	text := e.text.String()
	e.text.Reset()
	if e.over {
		e.w.skipped.add(skipTooBig, 1)
		e.over = false
	}
	t := process.Turn{Role: e.role, Content: said(text)}
	switch t.Role {
	case process.RoleUser:
		if echo(e.reply, t.Content) {
			e.w.skipped.add(skipDuplicate, 1)
			t.Content = ""
		}
		e.reply, e.between = "", ""
	case process.RoleTool:
		e.between += "\n" + bare(t.Content)
		t.Tool, t.Content = "aider", cut(clean(text), maxResult)
	default:
		e.reply += e.between + "\n" + bare(t.Content)
		e.reply, e.between = e.reply[max(0, len(e.reply)-8*maxText):], "" // no plan is longer than a turn
	}
	return e.w.add(t)
}

// echo says whether a text that is marked as the user's is the plan of an architect,
// which Aider hands to an editor in the user's place: all that the model said last,
// or all after its thoughts. A short text could be the user's own. reply is bare, its
// parts after a newline each.
func echo(reply, text string) bool {
	const short = 80
	want := bare(text)
	for parts := strings.Count(reply, "\n"); len(want) >= short && parts > 0; parts-- {
		_, reply, _ = strings.Cut(reply, "\n")
		if len(reply)-parts+1 == len(want) && strings.ReplaceAll(reply, "\n", "") == want {
			return true
		}
	}
	return false
}

// bare is a text without white space and marks of quotation. What follows a model's
// thoughts is a part of its own.
func bare(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '>' {
			return -1
		}
		return r
	}, s)
	return strings.ReplaceAll(s, "►**ANSWER**", "\n")
}
