package recalleval

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// locomoSample is a sample of LoCoMo (Maharana and others, ACL 2024): chats of
// two people over months.
type locomoSample struct {
	SampleID string `json:"sample_id"`
	QA       []struct {
		Question string
		Category json.RawMessage
		Evidence []string
	} `json:"qa"`
	Conversation map[string]json.RawMessage `json:"conversation"`
}

type locomoTurn struct {
	Speaker string
	Text    string
	DiaID   string `json:"dia_id"`
	// Caption is of the picture that was shared, which LoCoMo's own code gives to
	// the reader, too ("and shared ...").
	Caption string `json:"blip_caption"`
}

// turnID finds the ids in an item of evidence, which may be several, or
// misspelt: "D8:6; D9:17", "D30:05", "D:11:26".
var turnID = regexp.MustCompile(`D:?(\d+):0*(\d+)`)

func fromLocomo(samples []locomoSample) (*Set, error) {
	set := &Set{}
	for i, s := range samples {
		if len(s.Conversation) == 0 {
			return nil, fmt.Errorf("sample %d has no conversation: not LoCoMo's form", i)
		}
		c := Conversation{ID: cmp.Or(s.SampleID, strconv.Itoa(i))}
		if err := c.locomoSessions(s.Conversation); err != nil {
			return nil, fmt.Errorf("sample %s: %w", c.ID, err)
		}
		for _, qa := range s.QA {
			q := Question{Question: qa.Question, Categories: []string{strings.Trim(string(qa.Category), `"`)}}
			for _, e := range qa.Evidence {
				for _, m := range turnID.FindAllStringSubmatch(e, -1) {
					q.Evidence = append(q.Evidence, "D"+m[1]+":"+m[2])
				}
			}
			slices.Sort(q.Evidence)
			q.Evidence = slices.Compact(q.Evidence)
			c.Questions = append(c.Questions, q)
		}
		set.Conversations = append(set.Conversations, c)
	}
	return set, nil
}

func (c *Conversation) locomoSessions(parts map[string]json.RawMessage) error {
	for n := 1; len(c.Sessions) < len(parts); n++ {
		name := fmt.Sprintf("session_%d", n)
		raw, ok := parts[name]
		if !ok {
			break
		}
		var turns []locomoTurn
		if err := json.Unmarshal(raw, &turns); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		var when string
		if raw, ok := parts[name+"_date_time"]; ok {
			if err := json.Unmarshal(raw, &when); err != nil {
				return fmt.Errorf("%s_date_time: %w", name, err)
			}
		}
		s := process.Transcript{Conversation: process.Conversation{UUID: name}}
		if when != "" {
			at, err := time.Parse("3:04 pm on 2 January, 2006", when)
			if err != nil {
				return fmt.Errorf("%s_date_time: %w", name, err)
			}
			s.Start = at
		}
		for _, t := range turns {
			content := t.Speaker + ": " + t.Text
			if t.Caption != "" {
				content += " [shared " + t.Caption + "]"
			}
			s.Turns = append(s.Turns, process.Turn{ID: t.DiaID, Role: process.RoleUser, Content: content, Time: s.Start})
		}
		c.Sessions = append(c.Sessions, s)
	}
	return nil
}
