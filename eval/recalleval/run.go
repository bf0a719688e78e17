package recalleval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/rnixfs/rnixfs/kernel/config"
	"github.com/rnixfs/rnixfs/kernel/gate"
	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/recall"
	"github.com/rnixfs/rnixfs/kernel/recall/meaning"
	"github.com/rnixfs/rnixfs/kernel/vfs"
)

// depth is how many results a question is asked for.
const depth = 50

// Ranked is a turn that was found, by its id, the session that it lies in, and the turns
// that the result names as saying the same.
type Ranked struct {
	Turn, Session string
	Also          []string
}

// searcher is a way to search one conversation.
type searcher interface {
	Search(ctx context.Context, question string, limit int) ([]Ranked, error)
	Close() error
}

// opener indexes a conversation.
type opener func(ctx context.Context, c *Conversation) (searcher, error)

// run measures one way to search.
func run(ctx context.Context, set *Set, open opener) (*Report, error) {
	r := newReport()
	for i := range set.Conversations {
		if err := r.conversation(ctx, &set.Conversations[i], open); err != nil {
			return nil, err
		}
	}
	r.finish()
	return r, nil
}

func (r *Report) conversation(ctx context.Context, c *Conversation, open opener) error {
	begin := time.Now()
	s, err := open(ctx, c)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	r.indexing += time.Since(begin)
	r.Conversations++
	sessions := map[string]string{}
	for _, session := range c.Sessions {
		r.Sessions++
		for _, t := range session.Turns {
			sessions[t.ID] = session.UUID
			r.Turns++
		}
	}
	for i := range c.Questions {
		q := &c.Questions[i]
		begin := time.Now()
		found, err := s.Search(ctx, q.Question, depth)
		if err != nil {
			return err
		}
		r.took = append(r.took, time.Since(begin))
		a := judge(q, found, sessions)
		r.add(q, &a)
	}
	return nil
}

// Recall measures the recall device: what a user gets.
func Recall(ctx context.Context, set *Set) (*Report, error) {
	return run(ctx, set, openRecall)
}

// Embeddings is the address of a server that makes vectors; "": no second look is taken.
var Embeddings string

// recallSearcher is the device with the index of one conversation in memory.
type recallSearcher struct {
	vfs.Device
	engine *recall.Engine
	look   *meaning.Look
	dir    string
	index  *recall.Conversations
	turns  kept
}

// kept is a store of turns: by session, the offset being the number.
type kept map[string][]process.Turn

// Turn returns a turn.
func (k kept) Turn(_ context.Context, session string, offset int64) (process.Turn, error) {
	if turns := k[session]; offset >= 0 && offset < int64(len(turns)) {
		return turns[offset], nil
	}
	return process.Turn{}, memory.Errorf(memory.KindNotFound, "read turn", "session %s has no turn at %d", session, offset)
}

func openRecall(ctx context.Context, c *Conversation) (searcher, error) {
	s := &recallSearcher{turns: kept{}}
	var err error
	if s.dir, err = os.MkdirTemp("", "recalleval"); err != nil {
		return nil, err
	}
	if s.index, err = recall.OpenConversations("", s.turns, recall.ConversationOptions{Vectors: filepath.Join(s.dir, "meaning")}); err != nil {
		return nil, err
	}
	s.look = meaning.New(meaning.Options{
		Endpoint: func() meaning.Endpoint { return meaning.Endpoint{BaseURL: Embeddings, Model: "measured"} },
		Patience: time.Minute,
	})
	s.engine = recall.New(recall.Options{Look: s.look})
	s.Device = vfs.NewRecall(vfs.RecallOptions{
		Engine: s.engine, Store: store.New(store.Options{Scanner: gate.New(config.Default().Scanner, nil, false)}), // and no entries
		Settings: func() vfs.RecallSettings { return vfs.RecallSettings{Enabled: true} },
		Conversations: func(context.Context, memory.Caller) (*recall.Conversations, bool, error) {
			s.index.Hold()
			return s.index, false, nil
		},
	})
	for _, session := range c.Sessions {
		s.turns[session.UUID] = session.Turns
		stored := make([]recall.StoredTurn, len(session.Turns))
		for i, t := range session.Turns {
			stored[i] = recall.StoredTurn{Turn: t, Number: i, Offset: int64(i), End: int64(i + 1)}
		}
		if err := s.index.Add(ctx, session.Conversation, stored); err != nil {
			return nil, fmt.Errorf("conversation %s: %w", c.ID, err)
		}
	}
	return s, s.embed()
}

// embed waits until every turn has its vector.
func (s *recallSearcher) embed() error {
	if Embeddings == "" {
		return nil
	}
	s.look.Want(s.index)
	for {
		embedded, total, code := s.look.State()
		switch {
		case code != "":
			return fmt.Errorf("the server of --embeddings: %s", code)
		case total > 0 && embedded == total:
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Search asks the device.
func (s *recallSearcher) Search(ctx context.Context, question string, limit int) ([]Ranked, error) {
	request, err := json.Marshal(map[string]any{"query": question, "max_results": limit, "sources": []string{"conversation"}})
	if err != nil {
		return nil, err
	}
	var reply vfs.RecallReply
	body := s.Exec(ctx, memory.Caller{Project: "/project"}, request).Body
	if err := json.Unmarshal(body, &reply); err != nil || !reply.OK || len(reply.Unread) > 0 {
		return nil, fmt.Errorf("the recall device answered %s", body)
	}
	out := make([]Ranked, len(reply.Results))
	for i, r := range reply.Results {
		out[i] = Ranked{Turn: s.turns[r.UUID][r.Turn-1].ID, Session: r.UUID}
		for _, p := range r.Also {
			out[i].Also = append(out[i].Also, s.turns[p.UUID][p.Turn-1].ID)
		}
	}
	return out, nil
}

// Close ends the device.
func (s *recallSearcher) Close() error {
	err := errors.Join(s.engine.Close(), os.RemoveAll(s.dir))
	if e := s.index.Close(); err == nil {
		err = e
	}
	return err
}

// sessionsOf returns the sessions of results, in order of their first.
func sessionsOf(found []Ranked) []string {
	var out []string
	for _, f := range found {
		if !slices.Contains(out, f.Session) {
			out = append(out, f.Session)
		}
	}
	return out
}
