package process

import (
	"bytes"
	"encoding/json"
	"errors"
)

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
	if p.Title != "" {
		out.Title = p.Title
	}
	if out.Trust == "" {
		out.Trust = p.Trust
	}
	if out.Start.IsZero() || !p.Start.IsZero() && p.Start.Before(out.Start) {
		out.Start = p.Start
	}
	if p.End.After(out.End) {
		out.End, out.ExitCode, out.ExitReason = p.End, p.ExitCode, p.ExitReason
	}
	return out
}

func same(a, b Conversation) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

const maxProcess = 1 << 20 // bytes of process.json

func readProcess(at dir) (Conversation, error) {
	raw, err := at.read(processFile, maxProcess)
	if err != nil {
		return Conversation{}, err
	}
	var p Conversation
	if err := json.Unmarshal(raw, &p); err != nil {
		return Conversation{}, errors.New(processFile + " can't be read: it is not a JSON object of the right kind")
	}
	return p, nil
}
