package vfs

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/knowledge"
	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/recall"
	"github.com/rnixfs/rnixfs/kernel/writeback"
)

// RecallReply is what the recall device answers.
type RecallReply struct {
	OK           bool           `json:"ok"`
	Results      []RecallResult `json:"results"`
	Summary      string         `json:"summary,omitempty"`
	SummarizedBy string         `json:"summarized_by,omitempty"` // model, words
	NotByModel   string         `json:"not_by_model,omitempty"`  // why words, where a model was to be asked
	Count        int            `json:"count"`                   // of the results shown
	Total        int            `json:"total"`                   // of the results there are
	Behind       bool           `json:"behind,omitempty"`        // turns of conversations, or documents, are still being indexed
	Missing      []string       `json:"missing,omitempty"`       // words of the query that nothing searched has
	Meaning      string         `json:"meaning,omitempty"`       // what became of the second look; "": none was taken
	Unread       []Unread       `json:"unread,omitempty"`
	Hint         string         `json:"hint,omitempty"` // why nothing can be found, where that is known
	// Searched and Elsewhere are said where nothing was found.
	Searched  *Searched   `json:"searched,omitempty"`
	Elsewhere []Elsewhere `json:"elsewhere,omitempty"`
	found     *recall.Results
}

// Searched is what was searched.
type Searched struct {
	Project       string `json:"project"`
	Entries       int    `json:"entries"`
	Conversations int    `json:"conversations"`
}

// Elsewhere is another project of the user that has conversations, and how to search it.
type Elsewhere struct {
	Project string `json:"project"`
	Command string `json:"command"`
}

// Nothing says in words what was searched, and what else can be.
func (reply *RecallReply) Nothing() string {
	if reply.Searched == nil {
		return ""
	}
	text := fmt.Sprintf("searched: entries %d, conversations %d\n", reply.Searched.Entries, reply.Searched.Conversations)
	for _, e := range reply.Elsewhere {
		text += "there are conversations in " + oneLine(e.Project) + ": " + oneLine(e.Command) + "\n"
	}
	return text
}

// Unread is what could not be searched, or shown, and why.
type Unread struct {
	Source string       `json:"source"` // memory, conversation, knowledge
	Target memory.Scope `json:"target,omitempty"`
	Code   string       `json:"code"`
	Error  string       `json:"error"`
}

// resultPlace says where a section of a document is, and where else stands what a result
// says.
type resultPlace struct {
	URI  string   `json:"uri,omitempty"`
	Path string   `json:"path,omitempty"`
	Same int      `json:"same,omitempty"` // results that say the same and are not shown
	Also []AlsoAt `json:"also,omitempty"` // the first of them
}

// RecallResult is an entry, a turn, or a section of a document that was found.
type RecallResult struct {
	resultPlace
	UUID      string       `json:"uuid,omitempty"`
	Summary   string       `json:"summary"` // the entry's whole text; of a turn or a section, the snippet
	Timestamp time.Time    `json:"timestamp,omitzero"`
	Said      time.Time    `json:"said,omitzero"` // of an entry that was learned later than that
	Source    string       `json:"source"`        // memory, conversation, knowledge
	Target    memory.Scope `json:"target,omitempty"`
	Key       string       `json:"key,omitempty"`
	Turn      int          `json:"turn,omitempty"` // from 1, in the conversation that UUID names
	Role      process.Role `json:"role,omitempty"`
	Title     string       `json:"title,omitempty"`
	Agent     string       `json:"agent,omitempty"`
	Score     float64      `json:"score"`
	Snippet   string       `json:"snippet,omitempty"` // where Summary does not say the same
	Marks     [][2]int     `json:"marks,omitempty"`   // where the query's words are in Found: bytes, from and to
	Category  string       `json:"category,omitempty"`
	Archived  bool         `json:"archived,omitempty"`
	Tags      []string     `json:"tags,omitempty"`
	Trust     memory.Trust `json:"trust,omitempty"`
	Explain   any          `json:"explain,omitempty"`
}

// Found is the text around what was found.
func (r *RecallResult) Found() string { return cmp.Or(r.Snippet, r.Summary) }

// AlsoAt is the place of an entry, or of a turn.
type AlsoAt struct {
	UUID string `json:"uuid"`
	Turn int    `json:"turn,omitempty"`
}

func resultOf(h recall.Hit) RecallResult {
	r := RecallResult{
		UUID: h.ID, Key: h.Key, Source: string(h.Source), Target: h.Scope.Scope, Score: h.Score,
		Summary: h.Snippet, Timestamp: h.Timestamp,
	}
	if h.Source == recall.SourceKnowledge {
		r.UUID, r.Key = "", ""
		r.URI, r.Path, r.Title = knowledge.Place(&h)
	}
	if h.Source == recall.SourceConversation {
		r.Turn, r.Role, r.Title, r.Agent = h.Turn+1, h.Role, h.Title, h.Agent
	}
	if h.Entry != nil {
		r.Summary, r.Category, r.Tags, r.Trust = h.Entry.Content, h.Entry.Category, h.Entry.Tags, h.Entry.Source.Trust
		if r.Archived = h.Archived; r.Summary != h.Snippet {
			r.Snippet = h.Snippet
		}
		if said := h.Entry.Said(); !said.Equal(h.Entry.Updated) {
			r.Said = said
		}
	}
	for _, m := range h.Marks {
		r.Marks = append(r.Marks, [2]int{m.Start, m.End})
	}
	r.Same = h.Same
	for _, p := range h.Also {
		at := AlsoAt{UUID: p.ID}
		if p.Source == recall.SourceConversation {
			at.Turn = p.Turn + 1
		}
		r.Also = append(r.Also, at)
	}
	if h.Explanation != nil {
		r.Explain = h.Explanation
	}
	return r
}

func unreadOf(source recall.Source, target memory.Scope, err error) Unread {
	return Unread{string(source), target, memory.KindOf(err).Code(), memory.ReasonOf(err)}
}

const (
	summaryRunes  = 1200                   // of a digest, without where its sentences stand
	maxShownBytes = 12 << 10               // of the texts that a model is shown
	inHand        = 500 * time.Millisecond // of a request's time, for what follows a model's answer
)

// summarize puts a summary into a reply. What was searched is not held open meanwhile.
func (d *recallDevice) summarize(ctx context.Context, caller memory.Caller, query string, reply *RecallReply) {
	set := d.Settings()
	if set.Model != nil {
		if m := set.Model(caller.UID); m != nil {
			_, r := Begin(ctx)
			reply.Summary, reply.NotByModel = d.answer(ctx, r.began.Add(set.Deadline-inHand), m, query, reply.found)
		}
	}
	if reply.SummarizedBy = "model"; reply.Summary == "" {
		reply.Summary, reply.SummarizedBy = digest(reply.found), "words"
	}
}

// answer is a summary by a model, a line for each sentence, or why there is none. What it
// is shown and what it says has to pass the scanner.
func (d *recallDevice) answer(ctx context.Context, until time.Time, m *writeback.Model, query string, found *recall.Results) (summary, why string) {
	asking, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	var texts, places, lines []string
	left := maxShownBytes
	for i, h := range found.Hits {
		text := found.Around(i)
		if left -= len(text); left >= 0 && !d.Store.Withhold(ctx, text) {
			head := cmp.Or(string(h.Role), string(h.Source)) + " " + h.Timestamp.UTC().Format(time.DateOnly)
			texts, places = append(texts, head+":\n"+text), append(places, citation(&h))
		}
	}
	if len(texts) == 0 || d.Store.Withhold(ctx, query) {
		return "", memory.KindRejected.Code()
	}
	sentences, said, err := writeback.Cite(asking, m, query, texts)
	switch why = "unsupported"; {
	case err != nil:
		return "", memory.KindOf(err).Code()
	case said == 0:
		return "", "no_answer"
	}
	for _, s := range sentences {
		if d.Store.Withhold(ctx, s.Text) {
			why = memory.KindRejected.Code()
			continue
		}
		at := ""
		for _, n := range s.Cites {
			at += "; " + places[n-1]
		}
		lines = append(lines, fmt.Sprintf("- %s (%s)", strings.Join(strings.Fields(oneLine(s.Text)), " "), at[2:]))
	}
	if len(lines) > 0 {
		why = ""
	}
	return strings.Join(lines, "\n"), why
}

// digest is a summary without a model: a line for each sentence, with where it stands.
func digest(found *recall.Results) string {
	var lines []string
	for _, s := range found.Digest(summaryRunes) {
		lines = append(lines, fmt.Sprintf("- %s (%s)", oneLine(s.Text), citation(&found.Hits[s.Hit])))
	}
	return strings.Join(lines, "\n")
}

// citation says where a hit stands: the turn, the entry's key, or the section.
func citation(h *recall.Hit) string {
	if h.Source == recall.SourceKnowledge {
		uri, _, _ := knowledge.Place(h)
		return uri
	}
	if h.Source == recall.SourceMemory {
		return oneLine(h.Key)
	}
	at := fmt.Sprintf("%s#%d", h.ID, h.Turn+1)
	if !h.Timestamp.IsZero() {
		at += ", " + h.Timestamp.UTC().Format(time.DateOnly)
	}
	return at
}
