package transcript

import (
	"bytes"
	"context"
	"iter"
	"regexp"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// cursor reads what Cursor exports of a chat: Markdown of the form that SpecStory
// has, too, with other headings. Its transcripts are of the kind openai.
type cursor struct{}

var (
	cursorMark    = regexp.MustCompile(`(?m)\A# [^\n]*\n_Exported on [^\n]* from Cursor \(`)
	cursorSpeaker = regexp.MustCompile(`^\*\*(User|Cursor)\*\*()$`)
)

func (cursor) Name() string { return "cursor" }

// Detect wants the title with the line of the export below it.
func (cursor) Detect(_ string, head []byte) bool {
	return cursorMark.Match(bytes.ReplaceAll(trimMark(head), []byte("\r\n"), []byte("\n")))
}

// Find knows no place: an export lies where its user saved it.
func (cursor) Find(string, func(string) string) ([]string, error) { return nil, nil }

// Read splits a file at its speakers. It has the time of the export alone, in the
// order of some country.
func (cursor) Read(ctx context.Context, path string) iter.Seq2[process.Transcript, error] {
	return readStory(ctx, path, process.Conversation{Agent: "cursor"}, cursorSpeaker)
}
