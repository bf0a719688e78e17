package daemon

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/config"
	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/recall/meaning"
	"github.com/rnixfs/rnixfs/kernel/writeback"
	"github.com/rnixfs/rnixfs/kernel/writeback/llm"
)

// lookOf finds by meaning, with the server that the configuration in force names.
func lookOf(k *Kernel) *meaning.Look {
	return meaning.New(meaning.Options{Redact: k.Gate.RedactLong, Endpoint: func() meaning.Endpoint {
		c := k.Config().Config.Recall.Embeddings
		return meaning.Endpoint{
			BaseURL: c.BaseURL, Model: c.Model, DocumentPrefix: c.DocumentPrefix, QueryPrefix: c.QueryPrefix,
			Key: os.Getenv(c.APIKeyEnv), // "" where no variable is named
		}
	}})
}

// vectorsOf is the file of the vectors of a scope. What is kept in RAM leaves none.
func vectorsOf(k *Kernel, id memory.ScopeID) string {
	if k.Config().Policies()[id.Scope].Keep == memory.KeepRAM {
		return ""
	}
	return k.Paths.Vectors(id)
}

// modelOf is who is asked for a user, nil for nobody. A program is run for the user of this
// process alone: it has their login and their rights.
func (k *Kernel) modelOf(uid uint32) *writeback.Model {
	c := k.Config().Config
	e := llm.Endpoint{
		BaseURL: c.LLM.BaseURL, API: c.LLM.API, Model: cmp.Or(c.Writeback.Model, c.LLM.Model), Timeout: c.LLM.Timeout,
		Key:    os.Getenv(c.LLM.APIKeyEnv), // "" where no variable is named
		Budget: &llm.Budget{File: k.Paths.Tokens(), Max: c.LLM.MaxTokensPerDay},
	}
	m := &writeback.Model{Model: e, Tokens: c.LLM.MaxInputTokens}
	switch {
	case len(c.Writeback.Command) > 0 && int(uid) == os.Getuid():
		m.Model = llm.Program{Command: c.Writeback.Command, Budget: e.Budget}
	case c.LLM.BaseURL == "":
		return nil
	}
	m.Template, m.Err = template(c.Writeback.Prompt)
	return m
}

// template reads the question of a user's own, "" where the built-in one is put.
func template(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", memory.Errorf(memory.KindUnavailable, "ask model", "the file of writeback.prompt can't be read")
	}
	return string(text), nil
}

// CheckModel says why what is configured can't be asked: no such program, or a question
// that can't be put. Nobody is asked. path is the PATH of the process that is to run it:
// the mount's, where there is one.
func CheckModel(c config.Config, path string) error {
	if words := c.Writeback.Command; len(words) > 0 {
		dirs := filepath.SplitList(path)
		if strings.Contains(words[0], "/") {
			dirs = []string{""}
		}
		if !slices.ContainsFunc(dirs, func(dir string) bool {
			_, err := exec.LookPath(filepath.Join(dir, words[0]))
			return err == nil
		}) {
			return memory.Errorf(memory.KindInvalid, "check configuration", "writeback.command: there is no program %s in PATH, which is %q where it is to run", memory.QuoteName(words[0]), path)
		}
	}
	if c.Recall.Model && len(c.Writeback.Command) == 0 && c.LLM.BaseURL == "" {
		return memory.Errorf(memory.KindInvalid, "check configuration", "recall.model: nobody can be asked: neither writeback.command nor llm.base_url is set")
	}
	text, err := template(c.Writeback.Prompt)
	if err == nil {
		sample := process.Transcript{Turns: []process.Turn{{Role: process.RoleUser, Content: "hello"}}}
		_, err = llm.Question{Conversation: sample}.Prompt(text, 0)
	}
	if err != nil {
		return memory.Errorf(memory.KindInvalid, "check configuration", "writeback.prompt: %s", memory.ReasonOf(err))
	}
	return nil
}
