package writebackeval

import (
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/writeback/llm"
)

//go:embed testdata/answers.jsonl
var recorded []byte

// answer is what a reader of a prompt answered.
type answer struct {
	Conv   string `json:"conv"`
	Hash   string `json:"hash"` // of the exact prompt
	Answer string `json:"answer"`
}

// maxOperations is how many operations the prompts ask for.
const maxOperations = 20

// question is what a model is asked about a conversation, with its prompt and the
// prompt's hash.
func question(name string, c process.Transcript) (q llm.Question, prompt, hash string, err error) {
	q = llm.Question{Project: projectOf(name, c), Conversation: c, Most: maxOperations, Session: true}
	prompt, err = q.Prompt("", 0)
	sum := sha256.Sum256([]byte(prompt))
	return q, prompt, hex.EncodeToString(sum[:8]), err
}

// base is the name of a conversation's files: of its prompt and of its answer.
func base(name, hash string) string { return strings.ReplaceAll(name, "/", "__") + "." + hash }

// WritePrompts writes the prompt of every conversation to a file of its own in dir:
// CONVERSATION.HASH.txt. It prints the names.
func WritePrompts(ctx context.Context, w io.Writer, data, dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return each(ctx, data, func(name string, c process.Transcript) error {
		_, prompt, hash, err := question(name, c)
		if err != nil {
			return err
		}
		file := filepath.Join(dir, base(name, hash)+".txt")
		_, _ = io.WriteString(w, file+"\n")
		return os.WriteFile(file, []byte(prompt), 0o600)
	})
}

// TakeAnswers reads the answers CONVERSATION.HASH.json of a folder, adds to the file
// those that it does not have, and prints a line for each operation that is kept of
// them: a judgement to be filled in. An answer to another prompt is an error.
func TakeAnswers(ctx context.Context, w io.Writer, data, dir, file string) error {
	text, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	all, err := readLines[answer](text)
	if err != nil {
		return err
	}
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	err = each(ctx, data, func(name string, c process.Transcript) error {
		q, _, hash, err := question(name, c)
		if err != nil {
			return err
		}
		found, _ := filepath.Glob(filepath.Join(dir, strings.ReplaceAll(name, "/", "__")+".*.json"))
		if len(found) == 0 {
			return nil
		}
		words, err := os.ReadFile(filepath.Join(dir, base(name, hash)+".json"))
		if err != nil {
			return changed(name)
		}
		read, err := llm.Read(string(words), q)
		if err != nil {
			return memory.Errorf(memory.KindInvalid, "take answers", "%s: %w", name, err)
		}
		all = slices.DeleteFunc(all, func(a answer) bool { return a.Conv == name })
		all = append(all, answer{Conv: name, Hash: hash, Answer: string(words)})
		for _, op := range read.Operations {
			if err := out.Encode(struct {
				judgement
				Quotes []string `json:"quotes"`
			}{judgement{Conv: name, Text: op.Content}, op.Quotes}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b answer) int { return cmp.Compare(a.Conv, b.Conv) })
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, a := range all {
		if err := enc.Encode(a); err != nil {
			return err
		}
	}
	return os.WriteFile(file, []byte(b.String()), 0o600)
}

// replay is what the recorded answer to a conversation's prompt amounts to; ok is
// false where nobody was asked.
func replay(name string, c process.Transcript, all []answer) (a llm.Answer, ok bool, err error) {
	i := slices.IndexFunc(all, func(a answer) bool { return a.Conv == name })
	if i < 0 {
		return a, false, nil
	}
	q, _, hash, err := question(name, c)
	if err != nil {
		return a, false, err
	}
	if all[i].Hash != hash {
		return a, false, changed(name)
	}
	a, err = llm.Read(all[i].Answer, q)
	return a, true, err
}

func changed(name string) error {
	return memory.Errorf(memory.KindNotFound, "replay answers", "%s: the question has changed since it was answered", name)
}
