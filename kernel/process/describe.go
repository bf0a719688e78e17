package process

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"time"
)

// readDescription reads the process.json of a conversation.
func readDescription(root *os.Root, at place) (Conversation, error) {
	raw, err := readFile(root, at.of(processFile), maxDescription)
	if err != nil {
		return Conversation{}, err
	}
	var p Conversation
	if json.Unmarshal(raw, &p) != nil {
		return Conversation{}, errors.New(processFile + " can't be read: it is not a JSON object of the right kind")
	}
	return p, nil
}

// merge completes a description by a newer one.
func merge(old, p Conversation) Conversation {
	out := old
	fill := func(to *string, from string) {
		if *to == "" {
			*to = from
		}
	}
	fill(&out.Parent, p.Parent)
	fill(&out.Branch, p.Branch)
	fill(&out.Model, p.Model)
	fill((*string)(&out.Trust), string(p.Trust))
	if p.Title != "" {
		out.Title = p.Title
	}
	if out.Start.IsZero() || !p.Start.IsZero() && p.Start.Before(out.Start) {
		out.Start = p.Start
	}
	if p.End.After(out.End) {
		out.End, out.ExitCode, out.ExitReason = p.End, p.ExitCode, p.ExitReason
	}
	return out
}

// maxField bounds the texts of a description, in bytes.
const maxField = 1000

func trim(p *Conversation) {
	for _, field := range []*string{&p.Agent, &p.External, &p.Title, &p.Branch, &p.Model, &p.ExitReason} {
		if len(*field) > maxField {
			*field = strings.ToValidUTF8((*field)[:maxField], "")
		}
	}
}

// describe keeps what change makes of a conversation's description. The description
// is zero, and the error os.ErrNotExist, where somebody deleted it.
func (s *Store) describe(ctx context.Context, root *os.Root, at place, change func(old Conversation, err error) (Conversation, error)) (p Conversation, err error) {
	err = s.withLog(ctx, root, at, func(*log, *os.File) error {
		old, err := readDescription(root, at)
		if p, err = change(old, err); err != nil || reflect.DeepEqual(p, old) {
			return err
		}
		if err := replace(root, at.of(processFile), p); err != nil {
			return err
		}
		s.changed(p.Project, p.UUID)
		return nil
	})
	return p, err
}

// End is how a conversation ended.
type End struct {
	Time     time.Time // zero: now
	ExitCode *int      // nil: nobody knows
	Reason   string    // "exit", "logout", a signal's name, ...
}

// End keeps the end of a conversation, durably. A conversation may go on after its
// end, and end again; the last end counts. Saying the same again changes nothing.
func (s *Store) End(ctx context.Context, project, uuid string, end End) (err error) {
	defer wrap("end conversation", &err)
	root, at, err := s.lookup(project, uuid)
	if err != nil {
		return err
	}
	defer root.Close()
	reason, err := s.cleaner.cleanSmall(ctx, end.Reason)
	if err != nil {
		return err
	}
	if end.Time = utc(end.Time); end.Time.IsZero() {
		end.Time = utc(s.opts.Now())
	}
	_, err = s.describe(ctx, root, at, func(p Conversation, err error) (Conversation, error) {
		p.UUID, p.Project = uuid, project
		p.End, p.ExitCode, p.ExitReason = end.Time, end.ExitCode, reason.text
		trim(&p)
		return p, err
	})
	return err
}
