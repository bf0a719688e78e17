package exchange

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

var (
	pagePlace   = regexp.MustCompile(`([^/]+)/wiki/([^/]+)/(?:([^/]+)/)?[^/]+$`)
	pageFields  = regexp.MustCompile(`(?m)^<!--\s*id:(.*)-->[ \t]*\n?`)
	pageField   = regexp.MustCompile(`\|\s*(\w+):\s*([^|]*)`)
	pageSection = regexp.MustCompile(`(?m)^## (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)[ \t]*\n?`)
)

// scopeFederated is that of the whole machine, where a row adds it.
const scopeFederated memory.Scope = "federated"

// pageScopes are the folders below wiki/, and the scopes that their pages belong to.
var pageScopes = map[string]memory.Scope{
	"global": memory.ScopeGlobal, "federated": memory.ScopeGlobal, "project": memory.ScopeProject, "agent": memory.ScopeAgent,
}

// readCAO reads pages of a wiki: CONTAINER/wiki/SCOPE/[OWNER/]KEY.md, where the container
// is "global" or names a project by a hash of its directory.
func readCAO(_ context.Context, s *source) error {
	root, err := filepath.EvalSymlinks(s.project)
	sum := sha256.Sum256([]byte(root))
	own := hex.EncodeToString(sum[:])[:12]
	return s.each([]string{".md"}, func(rel, text string) error {
		if filepath.Base(rel) == "index.md" {
			return nil
		}
		var target memory.Scope
		agent := ""
		if place := pagePlace.FindStringSubmatch(strings.TrimSuffix(s.path, rel) + "/" + rel); place != nil && !s.all {
			target = pageScopes[place[2]]
			switch {
			case s.federated && place[2] == string(scopeFederated):
				target = scopeFederated
			case target == "":
				return errors.New("is of a session; --scope says where it goes")
			case target == memory.ScopeProject && strings.Contains(rel, place[1]+"/") && (err != nil || place[1] != own):
				return errors.New("is of another project; name its folder to take it in here")
			case target == memory.ScopeAgent:
				agent = place[3]
			}
		}
		it := s.page(rel, text)
		it.Target, it.Agent = string(target), agent
		return nil
	})
}

// page adds a page as one entry: a heading, a line with its fields, and sections with
// their dates, which stay sections.
func (s *source) page(rel, text string) *item {
	if strings.HasPrefix(text, "# ") {
		_, text, _ = strings.Cut(text, "\n")
	}
	it := s.add(rel, "", "")
	it.Key = new(strings.TrimSuffix(filepath.Base(rel), ".md"))
	if at := pageFields.FindStringIndex(text); at != nil {
		for _, field := range pageField.FindAllStringSubmatch(strings.ReplaceAll(text[at[0]:at[1]], "-->", ""), -1) {
			switch value := strings.TrimSpace(field[2]); {
			case field[1] == "type" && value != "":
				it.Category = &value
			case field[1] == "tags":
				it.tag(strings.Split(value, ","))
			}
		}
		text = text[:at[0]] + text[at[1]:]
	}
	dates := pageSection.FindAllStringSubmatch(text, -1)
	for n, part := range pageSection.Split(text, -1) {
		if n > 0 {
			it.said = clock(dates[n-1][1])
		}
		switch part = inert(strings.TrimSpace(part)); {
		case *it.Content == "":
			*it.Content = part
		case part != "":
			*it.Content = memory.Append(*it.Content, part, it.said)
		}
	}
	return it
}
