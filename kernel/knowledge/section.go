package knowledge

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Section is a part of a document.
type Section struct {
	Heading string `json:"heading,omitempty"`
	Line    int    `json:"line"` // of the document, from 1; of a manual page, of what was made of it
	Text    string `json:"text"` // verbatim, with its heading
}

// Name is the part of a URI behind the "#".
func (s *Section) Name() string {
	if s.Heading != "" {
		return s.Heading
	}
	return "L" + strconv.Itoa(s.Line)
}

const (
	maxSections  = 2000     // of a document; what follows is part of the last
	maxSection   = 32 << 10 // bytes; a longer one is cut
	maxHeading   = 120      // bytes
	minParagraph = 600      // bytes; shorter ones of a text are taken together
)

// start is where a section begins.
type start struct {
	at      int
	heading string
}

// Markdown cuts a text at its headings (https://spec.commonmark.org/0.31.2/#leaf-blocks).
// Nothing in a fenced block or in front matter is one.
func Markdown(text string) []Section {
	var starts []start
	fence, before, at := "", "", 0
	for line := range strings.Lines(text) {
		words := strings.TrimSpace(line)
		mark := words[:len(words)-len(strings.TrimLeft(words, "`~"))]
		level := len(words) - len(strings.TrimLeft(words, "#"))
		paragraph := ""
		switch {
		case fence != "":
			if strings.HasPrefix(words, fence) && strings.Trim(words, fence[:1]) == "" {
				fence = ""
			}
		case len(mark) >= 3:
			fence = mark
		case at == 0 && words == "---":
			fence = words
		case level > 0 && level <= 6 && (level == len(words) || words[level] == ' ') && !strings.HasPrefix(line, "    "):
			starts = append(starts, start{at, strings.TrimSpace(strings.Trim(words, "#"))})
		case before != "" && words != "" && (strings.Trim(words, "=") == "" || strings.Trim(words, "-") == ""):
			starts = append(starts, start{at - len(before), strings.TrimSpace(before)})
		case words != "" && !strings.Contains(" \t-*+>|", line[:1]):
			paragraph = line // which an underline makes a heading
		}
		at, before = at+len(line), paragraph
	}
	return cut(text, starts)
}

// Plain cuts a text at its blank lines.
func Plain(text string) []Section {
	var starts []start
	at, last, blank := 0, 0, false
	for line := range strings.Lines(text) {
		empty := strings.TrimSpace(line) == ""
		if blank && !empty && at-last >= minParagraph {
			starts = append(starts, start{at: at})
			last = at
		}
		at, blank = at+len(line), empty
	}
	return cut(text, starts)
}

// cut returns the sections between the starts. Joined, their texts are the text.
func cut(text string, starts []start) []Section {
	var out []Section
	line := 1
	add := func(heading, part string) {
		for part != "" {
			n := len(part)
			if n > maxSection {
				if n = strings.LastIndexByte(part[:maxSection], '\n') + 1; n == 0 {
					for n = maxSection; n > maxSection-utf8.UTFMax && !utf8.RuneStart(part[n]); n-- {
					}
				}
			}
			out = append(out, Section{Heading: heading, Line: line, Text: part[:n]})
			line += strings.Count(part[:n], "\n")
			part = part[n:]
		}
	}
	last := start{}
	for _, s := range starts[:min(len(starts), maxSections)] {
		add(last.heading, text[last.at:s.at])
		last = start{s.at, strings.ToValidUTF8(s.heading[:min(len(s.heading), maxHeading)], "")}
	}
	add(last.heading, text[last.at:])
	return out
}
