package recalleval

import (
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed" // the questions
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/process/transcript"
)

//go:embed work/questions.jsonl
var workQuestions string

// projects are the folders that the conversations of each project lie in.
var projects = map[string][]string{
	"minsky": {"histories/specstory"}, "getspec": {"agents/specstory-getspec"}, "opk": {"agents/codex-opk"},
	"mixed": {
		"agents/claude-slay", "agents/codex-trading", "agents/specstory-mitm", "agents/specstory-roo", "agents/specstory-xbrl",
		"histories/sweagent",
	},
}

// workRow is a question about work; work/README.md says what its fields are.
type workRow struct {
	Question
	Project, Kind, Answer string
	Spread                bool
}

// id names a row without saying what it asks.
func (r *workRow) id() string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(r.Question.Question)))[:8]
}

func workRows() (rows []workRow, err error) {
	d := json.NewDecoder(strings.NewReader(workQuestions))
	d.DisallowUnknownFields()
	for d.More() {
		var r workRow
		if err := d.Decode(&r); err != nil {
			return nil, fmt.Errorf("after %d questions about work: %w", len(rows), err)
		}
		r.AnyTurn, r.Unseen, r.Categories = r.Kind == "day", r.id()[0] <= '4', []string{"tuned"}
		if r.Unseen {
			r.Categories = []string{"unseen"}
		}
		if r.Spread {
			r.Categories = append(r.Categories, r.Categories[0]+" spread")
		}
		if !r.Unseen {
			r.Categories = append(r.Categories, r.Kind)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// Work reads the conversations of each project below a folder, with our questions about
// them: the tuned, and on demand the unseen.
func Work(ctx context.Context, data string, unseen bool) (*Set, error) {
	rows, err := workRows()
	if err != nil {
		return nil, err
	}
	set := &Set{}
	for _, project := range slices.Sorted(maps.Keys(projects)) {
		c := Conversation{ID: project}
		for _, folder := range projects[project] {
			if err := c.readFolder(ctx, data, folder); err != nil {
				return nil, err
			}
		}
		for _, r := range rows {
			if r.Project == project && (unseen || !r.Unseen) {
				c.Questions = append(c.Questions, r.Question)
			}
		}
		set.Conversations = append(set.Conversations, c)
	}
	return set, set.check()
}

// readFolder adds the conversations of a folder as import takes them: one a file. A turn
// is called FILE#NUMBER.
func (c *Conversation) readFolder(ctx context.Context, data, folder string) error {
	paths, err := filepath.Glob(filepath.Join(data, folder, "*"))
	if err != nil || len(paths) == 0 {
		return errors.Join(fmt.Errorf("no conversations below %s", filepath.Join(data, folder)), err)
	}
	for _, path := range paths {
		format, err := transcript.Detect(path)
		if err != nil {
			continue // a licence
		}
		var s process.Transcript
		for part, err := range format.Read(ctx, path) {
			if errors.Is(err, transcript.ErrSkipped) {
				continue
			}
			if err != nil {
				return err
			}
			part.Turns = append(s.Turns, part.Turns...)
			s = part
		}
		s.UUID, s.Agent = folder+"/"+filepath.Base(path), cmp.Or(s.Agent, format.Name())
		for i := range s.Turns {
			s.Turns[i].ID = fmt.Sprintf("%s#%d", s.UUID, i)
		}
		if len(s.Turns) > 0 {
			c.Sessions = append(c.Sessions, s)
		}
	}
	return nil
}
