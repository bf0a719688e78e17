package transcript

import (
	"cmp"
	"context"
	"iter"
	"path/filepath"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// gemini reads the chats of the Gemini CLI: JSONL whose records replace each
// other, or, from old versions, one JSON document.
type gemini struct{}

func (gemini) Name() string { return "gemini" }

// Detect wants the session with the hash of its project, which begins both forms.
func (gemini) Detect(_ string, head []byte) bool {
	keys := headKeys(head)
	_, session := keys["sessionId"]
	_, hash := keys["projectHash"]
	return session && hash
}

// Find looks where chats are, and those of sub-agents. GEMINI_CLI_HOME stands in
// for the home.
func (gemini) Find(home string, env func(string) string) ([]string, error) {
	root := filepath.Join(cmp.Or(env("GEMINI_CLI_HOME"), home), ".gemini", "tmp")
	return walk(root, func(rel string) bool {
		parts := strings.Split(rel, string(filepath.Separator))
		ext := filepath.Ext(rel)
		if len(parts) < 3 || len(parts) > 4 || parts[1] != "chats" || ext != ".jsonl" && ext != ".json" {
			return false
		}
		return len(parts) == 4 || strings.HasPrefix(parts[2], "session-")
	})
}

// Read keeps the messages until the file ends: any line may change earlier ones.
func (gemini) Read(ctx context.Context, path string) iter.Seq2[process.Transcript, error] {
	return read(func(w *writer) error {
		c := geminiChat{w: w, index: map[string]int{}}
		if err := c.load(ctx, path); err != nil {
			return err
		}
		w.begin(c.process(path))
		for _, m := range c.messages {
			for _, t := range m.turns {
				if !w.add(t) {
					return nil
				}
			}
		}
		return nil
	})
}

// load reads either form: the first line of JSONL is whole and has no messages.
func (c *geminiChat) load(ctx context.Context, path string) error {
	first, err := firstLine[geminiRecord](ctx, path)
	if err != nil {
		return err
	}
	if first != nil && first.Messages == nil {
		return lines(ctx, c.w, path, func(l line, r *geminiRecord) bool {
			c.take(r, l.n)
			return true
		})
	}
	var whole geminiRecord
	if err := decodeDocument(path, &whole); err != nil {
		return err
	}
	c.take(&whole, 0)
	return nil
}

func (c *geminiChat) process(path string) process.Conversation {
	dir, name := filepath.Split(path)
	dir = filepath.Clean(dir)
	name = strings.TrimSuffix(name, filepath.Ext(name))
	p := c.proc
	p.Agent = "gemini"
	p.External = c.session
	if !uuidName.MatchString(c.session) { // "a2a-server", which one program writes in all of its sessions
		p.External = placeName(path)
	}
	if filepath.Base(dir) != "chats" && filepath.Base(filepath.Dir(dir)) == "chats" {
		p.Parent = handle(filepath.Base(dir))
		p.External = handle(p.Parent + "/" + name)
		dir = filepath.Dir(dir)
	}
	if p.Project == "" {
		p.Project = geminiProject(filepath.Dir(dir), c.hash)
	}
	return p
}
