package scanner

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What people write has to pass: at most one text in a thousand is rejected, or one of a
// list that is shorter.
const naturalLimit = 1000

func checkNatural(t *testing.T, name string, texts []string) {
	t.Helper()
	s := scanner(t)
	bad := 0
	for _, text := range texts {
		rep := scanText(t, s, text)
		found := rep.Findings
		for _, f := range found {
			t.Logf("%s: %s (%s) at line %d: %s", name, f.Rule, f.View, f.Line, f.Preview)
		}
		bad += count(len(found) > 0)
	}
	t.Logf("%s: %d of %d texts rejected", name, bad, len(texts))
	if bad*naturalLimit > max(len(texts), naturalLimit) {
		t.Errorf("%s: %d of %d texts rejected, limit 1 in %d", name, bad, len(texts), naturalLimit)
	}
}

func paragraphs(text string) []string {
	return slices.DeleteFunc(strings.Split(text, "\n\n"), func(p string) bool { return strings.TrimSpace(p) == "" })
}

// The documents and commit messages of this repository.
func TestNaturalRepository(t *testing.T) {
	var docs []string
	for _, pattern := range []string{"../../*.md", "../../docs/*.md"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if filepath.Base(f) == "scanner.md" {
				continue // it quotes what is rejected
			}
			raw, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			docs = append(docs, slices.DeleteFunc(paragraphs(string(raw)), func(p string) bool {
				return strings.Contains(p, "hunter2") // the documents' example of what is rejected
			})...)
		}
	}
	checkNatural(t, "documents", docs)
	log, err := exec.Command("git", "log", "--format=%B%x00").Output()
	if err != nil {
		t.Skipf("no history: %v", err)
	}
	checkNatural(t, "commit messages", strings.Split(string(log), "\x00"))
}

// The turns of long conversations.
func TestNaturalConversations(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(evalDir(t), "locomo", "*.json"))
	if err != nil || len(files) == 0 {
		t.Skip("no conversations")
	}
	var turns []string
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var list []struct {
			Conversation map[string]json.RawMessage `json:"conversation"`
		}
		if err := json.Unmarshal(raw, &list); err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			for _, session := range c.Conversation {
				var said []struct {
					Text string `json:"text"`
				}
				if json.Unmarshal(session, &said) != nil {
					continue // a date or a name
				}
				for _, turn := range said {
					turns = append(turns, turn.Text)
				}
			}
		}
	}
	checkNatural(t, "turns", turns)
}
