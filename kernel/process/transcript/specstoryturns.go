package transcript

import (
	"regexp"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// story gathers the lines of a block: all that a user says, or one step of an
// agent.
type story struct {
	w        *writer
	speakers *regexp.Regexp // a heading: who speaks, and what else it says

	role  process.Role // "" before the first speaker
	time  time.Time
	aside bool // a sub-agent speaks
	lines []string
	size  int
	fence string // what closes the code we are in, or ""
	inner string // what closes the element that the block is, or ""
	rule  bool   // the last line with text was a rule
	blank bool   // the last line was empty
}

// line takes one line and returns false when no more are wanted.
func (s *story) line(text string) bool {
	empty := text == ""
	m := s.speakers.FindStringSubmatch(text)
	// Code may quote a session, and may not be closed: a heading after a rule and an
	// empty line names a speaker in any case. Cursor writes a rule before each.
	if m != nil && (s.role == "" || s.blank && (s.fence == "" && s.speakers == storySpeaker || s.rule)) {
		if !s.end() {
			return false
		}
		s.speaker(m[1], m[2])
		return true
	}
	rule := text == "---"
	defer func() {
		s.blank = empty
		s.rule = rule || s.rule && empty
	}()
	switch {
	case s.role == "":
		s.header(text)
		return true
	case s.role == process.RoleUser:
		s.fences(text)
		s.keep(text)
		return true
	case rule && s.fence == "" && s.inner == "":
		return s.end()
	}
	return s.step(text)
}

// step takes a line of an agent: calls of tools and thoughts are elements, which
// stand alone.
func (s *story) step(text string) bool {
	for _, name := range []string{"tool-use", "think", "details"} {
		opens := s.fence == "" && s.inner == "" && (strings.HasPrefix(text, "<"+name+">") || strings.HasPrefix(text, "<"+name+" "))
		if opens && (name != "details" || s.nothing()) {
			if !s.end() {
				return false
			}
			s.inner = "</" + name + ">"
		}
	}
	s.keep(text)
	if s.inner == "" {
		s.fences(text)
	} else if strings.HasSuffix(text, s.inner) {
		return s.end()
	}
	return true
}

func (s *story) nothing() bool {
	for _, l := range s.lines {
		if l != "" {
			return false
		}
	}
	return true
}

// fences follows code blocks, CommonMark section 4.5.
func (s *story) fences(text string) {
	text = strings.TrimLeft(text, " ")
	if s.fence != "" {
		if strings.HasPrefix(text, s.fence) && strings.Trim(text, s.fence[:1]) == "" {
			s.fence = ""
		}
		return
	}
	for _, mark := range []string{"`", "~"} {
		if rest := strings.TrimLeft(text, mark); len(text)-len(rest) >= 3 && !strings.Contains(rest, "`") {
			s.fence = strings.Repeat(mark, len(text)-len(rest))
		}
	}
}

func (s *story) keep(text string) {
	if s.size += len(text) + 1; s.size <= maxLine {
		s.lines = append(s.lines, text)
	}
}

func (s *story) speaker(who, more string) {
	t, utc := storyMoment(more)
	s.time, s.aside = inZone(t, utc), strings.Contains(more, "sidechain")
	s.rule, s.blank = false, false
	switch who {
	case "User":
		s.role = process.RoleUser
	default:
		s.role = process.RoleAssistant
		if m := storyModel.FindStringSubmatch(more); m != nil && !s.aside {
			s.w.proc.Model = short(m[1], maxName)
		}
	}
}

// end adds the block as a turn.
func (s *story) end() bool {
	if s.size > maxLine {
		s.w.skipped.add(skipTooBig, 1)
	}
	text := strings.Join(s.lines, "\n")
	element := s.inner
	s.lines, s.size, s.fence, s.inner = nil, 0, "", ""
	text = clean(text)
	for strings.HasSuffix(text, "\n---") || text == "---" { // between speakers
		text = strings.TrimSpace(strings.TrimSuffix(text, "---"))
	}
	t := process.Turn{Role: s.role, Time: s.time}
	switch {
	case text == "" || s.role == "":
		return true
	case s.aside:
		s.w.skipped.add(skipSidechain, 1)
		return true
	case s.role == process.RoleUser:
		t.Content = said(userText(text))
	case element == "</think>":
		return true
	case s.speakers != storySpeaker: // Cursor exports no calls of tools
		t.Content = said(text)
	default:
		t = storyStep(t, text, element != "")
	}
	return s.w.add(t)
}

var (
	storyTags    = regexp.MustCompile(`</?(?:details|summary|tool-use|pre|code)\b[^>\n]*>`)
	storySummary = regexp.MustCompile(`(?s)<summary>\s*(.*?)\s*</summary>`)
	storyTool    = regexp.MustCompile(`data-tool-name="([^"]*)"`)
	storyUse     = regexp.MustCompile(`^Tool use: \*\*([^*\n]+)\*\*`)
)

// storyPhrases are how SpecStory writes the calls of the tools of Cursor: the
// beginning of a line that is a call, the tool, and whether it says that it
// failed.
var storyPhrases = []struct {
	begin, tool string
	failed      bool
}{
	{"Read file: ", "read_file", false},
	{"Searched codebase", "codebase_search", false},
	{"Listed ", "list_dir", false},
	{"Grep search", "grep_search", false},
	{"Searched web", "web_search", false},
	{"Searched files", "file_search", false},
	{"Could not find file ", "read_file", true},
	{"Model provided invalid arguments to ", "tool", true},
	{"Could not resolve URI", "tool", true},
	{"Tool call timed out", "tool", true},
	{"Cancelled", "tool", true},
}

// storyBlocks are calls of tools that SpecStory writes as nothing but code, or a
// rule: the beginning of the step, and the tool.
var storyBlocks = map[string]string{
	"```bash\n":  "run_terminal_cmd", // the command, then its output in a block of its own
	"```diff\n":  "edit_file",
	"### Rule: ": "fetch_rules",
}

// storyStep is a step of an agent: a call of a tool, or what it says.
func storyStep(t process.Turn, text string, element bool) process.Turn {
	tool, first := "", text
	if m := storyTool.FindStringSubmatch(text); element && m != nil {
		tool = m[1]
	}
	if m := storySummary.FindStringSubmatch(text); element && m != nil {
		first = m[1]
	}
	if m := storyUse.FindStringSubmatch(first); m != nil && tool == "" {
		tool = m[1]
	}
	line, _, more := strings.Cut(first, "\n")
	for _, p := range storyPhrases {
		// Outside an element, a call is a line of its own; what failed has a reason.
		if tool == "" && strings.HasPrefix(line, p.begin) && (element || !more || p.failed && len(text) < maxArgs) {
			tool, t.Failed = p.tool, p.failed
		}
	}
	for begin, name := range storyBlocks {
		if tool == "" && strings.HasPrefix(text, begin) && (begin[0] == '#' || strings.HasSuffix(text, "\n```")) {
			tool = name
		}
	}
	if tool == "" && !element {
		t.Content = said(text)
		return t
	}
	if tool == "" {
		tool = "tool"
	}
	t.Role, t.Tool = process.RoleTool, tool
	t.Content = cut(clean(storyTags.ReplaceAllString(text, "")), maxResult)
	return t
}
