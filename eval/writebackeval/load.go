package writebackeval

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/process/transcript"
)

// loader reads the conversations of a data folder. A file with many is read once.
type loader struct {
	data  string
	talks map[string][]talk
}

// load returns the conversation of a case. Errors are KindNotFound, KindInvalid
// and KindInternal.
func (l *loader) load(ctx context.Context, c Case) (process.Transcript, error) {
	name, session, many := strings.Cut(c.Name, "#")
	if path := filepath.Join(l.data, filepath.FromSlash(c.Name)); !many || exists(path) {
		return history(ctx, path)
	}
	return l.talk(name, session, c.User)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// history reads a file of one conversation.
func history(ctx context.Context, path string) (process.Transcript, error) {
	var whole process.Transcript
	format, err := transcript.Detect(path)
	if err != nil && filepath.Ext(path) == ".md" { // of SpecStory, from when its files had no mark
		i := slices.IndexFunc(transcript.Formats(), func(f transcript.Format) bool { return f.Name() == "specstory" })
		format, err = transcript.Formats()[i], nil
	}
	if err != nil {
		return whole, err
	}
	for chunk, err := range format.Read(ctx, path) {
		if errors.Is(err, transcript.ErrSkipped) {
			continue
		}
		if err != nil {
			return whole, err
		}
		whole.Conversation = chunk.Conversation
		whole.Turns = append(whole.Turns, chunk.Turns...)
	}
	return whole, nil
}

// talk is a conversation of two people over many sessions, as LoCoMo has it.
type talk struct {
	ID       string                     `json:"sample_id"`
	Sessions map[string]json.RawMessage `json:"conversation"`
}

// talk makes a conversation of one session of two people, of whom one is taken
// for the user and the other for the agent.
func (l *loader) talk(file, session, user string) (process.Transcript, error) {
	const op = "read talks"
	if l.talks[file] == nil {
		text, err := os.ReadFile(filepath.Join(l.data, filepath.FromSlash(file)))
		if err != nil {
			return process.Transcript{}, memory.Errorf(memory.KindNotFound, op, "%w", err)
		}
		var all []talk
		if err := json.Unmarshal(text, &all); err != nil {
			return process.Transcript{}, memory.Errorf(memory.KindInvalid, op, "%w", err)
		}
		l.talks[file] = all
	}
	id, key, _ := strings.Cut(session, "/")
	for _, t := range l.talks[file] {
		if t.ID == id {
			return t.session(key, user)
		}
	}
	return process.Transcript{}, memory.Errorf(memory.KindNotFound, op, "%s has no talk %s", file, id)
}

func (t talk) session(key, user string) (process.Transcript, error) {
	const op = "read talks"
	var c process.Transcript
	var said []struct {
		Speaker string `json:"speaker"`
		ID      string `json:"dia_id"`
		Text    string `json:"text"`
	}
	var name, date string
	if err := errors.Join(
		json.Unmarshal(t.Sessions[key], &said),
		json.Unmarshal(t.Sessions["speaker_"+user], &name),
		json.Unmarshal(t.Sessions[key+"_date_time"], &date),
	); err != nil {
		return c, memory.Errorf(memory.KindInvalid, op, "%s %s: %w", t.ID, key, err)
	}
	c.External, c.Agent = t.ID+"/"+key, "talk"
	c.Start, _ = time.Parse("3:04 pm on 2 January, 2006", date) // zero when it is written otherwise
	for _, s := range said {
		turn := process.Turn{ID: s.ID, Role: process.RoleAssistant, Content: s.Text, Time: c.Start}
		if s.Speaker == name {
			turn.Role = process.RoleUser
		}
		c.Turns = append(c.Turns, turn)
	}
	return c, nil
}
