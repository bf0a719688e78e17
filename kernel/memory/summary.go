package memory

import "strings"

// CategorySummary is the category of the summary of a conversation.
const CategorySummary = "summary"

// Summary is what remains of a conversation that is over: what a colleague asks who
// goes on with the work. Each text is a sentence or two; "" where there is none.
type Summary struct {
	Title string // of the conversation
	Asked string
	Done  string
	Found string // what was learned on the way
	Open  string // what was left open
	Files string // that were touched, in the order of their first change
	Ended string // such as "exit 0"
}

// The words before the lines of a summary's text, in their order.
func (s *Summary) lines() []struct {
	word string
	text *string
} {
	return []struct {
		word string
		text *string
	}{{"Asked", &s.Asked}, {"Done", &s.Done}, {"Learned", &s.Found}, {"Open", &s.Open}, {"Files", &s.Files}, {"Ended", &s.Ended}}
}

// Text is the summary as an entry holds it: the title in the first line, and a line
// "Word: text" for each part that is there.
func (s Summary) Text() string {
	var b strings.Builder
	b.WriteString(oneLine(s.Title))
	for _, l := range s.lines() {
		if text := oneLine(*l.text); text != "" {
			b.WriteString("\n" + l.word + ": " + text)
		}
	}
	return b.String()
}

// ParseSummary reads what [Summary.Text] wrote, perhaps after a person edited it: a
// line without one of the words goes on with the part before it.
func ParseSummary(text string) Summary {
	var s Summary
	part := &s.Title
	for line := range strings.Lines(text) {
		for _, l := range s.lines() {
			if rest, ok := strings.CutPrefix(line, l.word+":"); ok {
				part, line = l.text, rest
				break
			}
		}
		*part = oneLine(*part + " " + line)
	}
	return s
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
