package vfs

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/recall"
)

// FoundResults is how many results of a search for a prompt are looked at.
const FoundResults = 50

// What a prompt is shown of what was found for it.
const (
	foundLines  = 5
	foundTokens = 400
)

// found is a result of the recall device, as far as a prompt is shown it.
type found struct {
	RecallResult
	Explain struct {
		Terms []recall.TermScore `json:"terms"`
	} `json:"explain"`
}

// Found returns the block of text for what was found for a prompt: a line a fact, entries
// before turns. reply is the recall device's to a request with explain; own is the uuid
// of the conversation of the prompt, whose turns need no repeating. "" stands for
// nothing that is worth the room.
func Found(reply []byte, prompt, own string, now time.Time) (string, error) {
	var r struct {
		Results []found `json:"results"`
	}
	if err := json.Unmarshal(reply, &r); err != nil {
		return "", memory.Errorf(memory.KindInternal, "read recall", "the device's reply is no JSON")
	}
	slices.SortStableFunc(r.Results, func(a, b found) int {
		return cmp.Compare(b.Source, a.Source) // memory before conversation
	})
	left := foundTokens - memory.Tokens(frameOpen+notes+frameClose)
	said := []map[string]bool{wordsOf(prompt)}
	text := ""
	for _, res := range r.Results {
		words := wordsOf(res.Found())
		same := func(other map[string]bool) bool { return alike(words, other) }
		if len(said) > foundLines || res.UUID == own || !res.near(len(words)) || slices.ContainsFunc(said, same) {
			continue
		}
		line := res.line(now)
		if left -= memory.Tokens(line); left < 0 {
			break
		}
		said = append(said, words)
		text += line
	}
	if text == "" {
		return "", nil
	}
	return frameOpen + notes + text + frameClose, nil
}

// near reports whether a result shares enough with the prompt, by the weight of the
// words: half of the prompt for a turn that says something in words, not only by paths;
// a third for an entry, or most of the entry, which has so many words.
func (f *found) near(words int) bool {
	all, shared, named := 0., 0., 0
	for _, t := range f.Explain.Terms {
		all += t.Weight
		if t.Score > 0 {
			shared += t.Weight
			if len(t.Term) > 1 && strings.ContainsFunc(t.Term, unicode.IsLetter) {
				named++
			}
		}
	}
	if f.Source != string(recall.SourceConversation) {
		return named >= 2 && shared >= all/3 || named >= 3 && max(named, len(f.Marks))*5 >= words*2
	}
	said := slices.DeleteFunc(strings.Fields(f.Found()), func(w string) bool { return strings.Contains(w, "/") })
	return (f.Role == process.RoleUser || f.Role == process.RoleAssistant) && len(said) >= 5 && named >= 4 && shared >= all/2
}

func (f *found) line(now time.Time) string {
	text, at := f.Found(), f.Timestamp
	if !f.Said.IsZero() {
		at = f.Said
	}
	if f.Source == string(recall.SourceConversation) {
		return bullet(string(f.Role)+": "+text, memory.TrustExtracted, at, now)
	}
	return bullet(text, f.Trust, at, now)
}

// wordsOf are the words of a text, in lower case.
func wordsOf(text string) map[string]bool {
	words := map[string]bool{}
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		words[w] = true
	}
	return words
}

// alike reports whether two texts say the same: nearly all words of one are in the other.
func alike(a, b map[string]bool) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	n := 0
	for w := range a {
		if b[w] {
			n++
		}
	}
	return n*5 >= len(a)*4
}
