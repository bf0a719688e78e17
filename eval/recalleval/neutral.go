package recalleval

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/process"
)

type neutralFile struct {
	Conversations []struct {
		ID       text
		Sessions []struct {
			ID    text
			Time  string
			Turns []struct {
				ID      text
				Role    string
				Content string
				Time    string
			}
		}
		Questions []struct {
			Question string
			Category text
			Evidence []text
		}
	}
}

// text is a string, or a number that stands for one.
type text string

// UnmarshalJSON takes strings, numbers and null.
func (t *text) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] != '"' {
		*t = text(strings.TrimPrefix(string(raw), "null"))
		return nil
	}
	return json.Unmarshal(raw, (*string)(t))
}

func parseNeutral(raw []byte) (*Set, error) {
	var file neutralFile
	if err := json.Unmarshal(raw, &file); err != nil {
		return nil, err
	}
	set := &Set{}
	for i, from := range file.Conversations {
		c := Conversation{ID: cmp.Or(string(from.ID), strconv.Itoa(i))}
		for k, fs := range from.Sessions {
			s := process.Transcript{Conversation: process.Conversation{UUID: cmp.Or(string(fs.ID), strconv.Itoa(k))}}
			var err error
			if s.Start, err = parseTime(fs.Time); err != nil {
				return nil, fmt.Errorf("conversation %s, session %s: %w", c.ID, s.UUID, err)
			}
			for n, ft := range fs.Turns {
				t := process.Turn{ID: string(ft.ID), Content: ft.Content}
				if t.Time, err = parseTime(ft.Time); err != nil {
					return nil, fmt.Errorf("conversation %s, session %s, turn %d: %w", c.ID, s.UUID, n, err)
				}
				if t.Time.IsZero() {
					t.Time = s.Start
				}
				t.Role, t.Content = roleOf(ft.Role, ft.Content)
				s.Turns = append(s.Turns, t)
			}
			c.Sessions = append(c.Sessions, s)
		}
		for _, fq := range from.Questions {
			q := Question{Question: fq.Question, Categories: []string{string(fq.Category)}}
			for _, e := range fq.Evidence {
				q.Evidence = append(q.Evidence, string(e))
			}
			if strings.TrimSpace(q.Question) != "" {
				c.Questions = append(c.Questions, q)
			}
		}
		set.Conversations = append(set.Conversations, c)
	}
	return set, nil
}

// roleOf brings a role to those of turns. What is none is a person's name.
func roleOf(role, content string) (process.Role, string) {
	switch r := process.Role(strings.ToLower(role)); r {
	case process.RoleUser, process.RoleAssistant, process.RoleTool, process.RoleSystem:
		return r, content
	case "", "human":
		return process.RoleUser, content
	case "agent", "ai", "model":
		return process.RoleAssistant, content
	}
	return process.RoleUser, role + ": " + content
}

var timeLayouts = []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02", "2006/01/02"}

func parseTime(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("time %q is neither RFC 3339 nor a date", s)
}
