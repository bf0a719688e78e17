package transcript

import (
	"context"
	"errors"
	"io"
	"iter"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
)

// Format reads the histories of one kind.
type Format interface {
	// Name is the stable name of the kind: claude, codex, gemini, antigravity, opencode, aider,
	// cline, copilot, cursor, rnix, sweagent, specstory, openai.
	Name() string
	// Detect says whether a file is of this kind, by its path and its first 64 KB.
	// A name alone never decides against the content.
	Detect(path string, head []byte) bool
	// Read yields the conversations of a file, in chunks: see the package comment.
	// Errors that are ErrSkipped count the turns left out; any other error ends the
	// sequence and is a *memory.Error, or the error of ctx.
	Read(ctx context.Context, path string) iter.Seq2[process.Transcript, error]
	// Find returns the paths of every such history of the user whose home and
	// environment these are, sorted. A folder that is missing is no error.
	Find(home string, env func(string) string) ([]string, error)
}

// Formats returns every kind, in the order in which Detect asks them: those with
// the more telling marks first. Markdown may quote the lines of any other.
func Formats() []Format {
	return []Format{
		specstory{}, cursor{}, opencode{}, claude{}, codex{}, gemini{}, antigravity{}, copilot{}, cline{}, rnix{}, sweagent{}, aider{}, openai{},
	}
}

// Detect returns the kind of the file at path. Errors are KindNotFound,
// KindDenied, KindInvalid when it is of no known kind or is no file, and
// KindInternal.
func Detect(path string) (Format, error) {
	const op = "detect history"
	f, err := open(op, path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, headSize)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, memory.Errorf(memory.KindInternal, op, "%w", err)
	}
	var names []string
	for _, format := range Formats() {
		if format.Detect(path, head[:n]) {
			return format, nil
		}
		names = append(names, format.Name())
	}
	return nil, memory.Errorf(memory.KindInvalid, op, "not a history of a known kind (%s)", strings.Join(names, ", "))
}
