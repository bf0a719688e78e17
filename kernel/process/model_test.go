package process_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// model is what a store should hold.
type model struct {
	t      *rapid.T
	dir    string
	stores []*process.Store

	processes map[string]*modelProcess // by uuid
	removed   map[string]bool
}

type modelProcess struct {
	project, title string
	ended          time.Time
	ids            []string
	text           map[string]string
	positions      []process.Position
}

func (m *model) open() *process.Store {
	s, err := process.Open(m.dir, process.Options{Redact: mask, OpenLogs: 2})
	if err != nil {
		m.t.Fatal(err)
	}
	return s
}

func (m *model) store() *process.Store { return rapid.SampledFrom(m.stores).Draw(m.t, "store") }

func (m *model) some() (string, *modelProcess) {
	if len(m.processes) == 0 {
		m.t.Skip("none there")
	}
	uuid := rapid.SampledFrom(slices.Sorted(maps.Keys(m.processes))).Draw(m.t, "uuid")
	return uuid, m.processes[uuid]
}

func (m *model) ok(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

func (m *model) begin(t *rapid.T) {
	m.t = t
	p := process.Conversation{
		Project:  rapid.SampledFrom([]string{"", "/p", "/q"}).Draw(t, "project"),
		Agent:    rapid.SampledFrom([]string{"a", "b"}).Draw(t, "agent"),
		External: rapid.SampledFrom([]string{"1", "2", "3"}).Draw(t, "external"),
		Title:    rapid.SampledFrom([]string{"", "t", "u"}).Draw(t, "title"),
	}
	uuid := process.ID(0, p.Agent, p.External)
	got, err := m.store().Begin(t.Context(), p)
	if m.removed[uuid] {
		if err == nil {
			t.Fatal("a removed conversation came back")
		}
		return
	}
	m.ok(err)
	known := m.processes[uuid]
	if known == nil {
		known = &modelProcess{project: p.Project, text: map[string]string{}, positions: []process.Position{{}}}
		m.processes[uuid] = known
	}
	if p.Title != "" {
		known.title = p.Title
	}
	if got.UUID != uuid || got.Project != known.project || got.Title != known.title {
		t.Fatalf("got %+v", got)
	}
}

func (m *model) append(t *rapid.T) {
	m.t = t
	uuid, p := m.some()
	var turns []process.Turn
	want := 0
	for _, n := range rapid.SliceOfN(rapid.IntRange(0, 30), 0, 8).Draw(t, "turns") {
		id := fmt.Sprint("turn-", n)
		turn := user(id, rapid.StringN(0, 30, -1).Draw(t, "text"))
		turns = append(turns, turn)
		if _, ok := p.text[id]; !ok {
			p.ids, p.text[id] = append(p.ids, id), strings.ToValidUTF8(strings.ReplaceAll(turn.Content, "SECRET", "[redacted:test]"), "\uFFFD")
			want++
		}
	}
	res, err := m.store().Append(t.Context(), p.project, uuid, turns)
	m.ok(err)
	if res.Added != want || res.Known != len(turns)-want || res.Turns != len(p.ids) {
		t.Fatalf("got %+v, want %d new of %d, %d in all", res, want, len(turns), len(p.ids))
	}
}

func (m *model) end(t *rapid.T) {
	m.t = t
	uuid, p := m.some()
	p.ended = time.Unix(rapid.Int64Range(1, 1e9).Draw(t, "end"), 0).UTC()
	m.ok(m.store().End(t.Context(), p.project, uuid, process.End{Time: p.ended}))
}

func (m *model) remove(t *rapid.T) {
	m.t = t
	uuid, p := m.some()
	m.ok(m.store().Remove(t.Context(), p.project, uuid))
	delete(m.processes, uuid)
	m.removed[uuid] = true
}

func (m *model) reopen(t *rapid.T) {
	m.t = t
	m.stores[rapid.IntRange(0, len(m.stores)-1).Draw(t, "which")] = m.open()
}

// resume reads from a position that was handed out before.
func (m *model) resume(t *rapid.T) {
	m.t = t
	uuid, p := m.some()
	from := rapid.SampledFrom(p.positions).Draw(t, "position")
	at := from.Number
	s := m.store()
	for turn, err := range s.Turns(t.Context(), p.project, uuid, from) {
		m.ok(err)
		if turn.ID != p.ids[at] || turn.Number != at+1 {
			t.Fatalf("turn %d is %s, number %d; want %s", at, turn.ID, turn.Number, p.ids[at])
		}
		one, err := s.TurnAt(t.Context(), p.project, uuid, turn.Offset)
		m.ok(err)
		if one != turn {
			t.Fatalf("alone it is %+v, in order %+v", one, turn)
		}
		p.positions = append(p.positions, turn.Next())
		at++
	}
	if at != len(p.ids) {
		t.Fatalf("read up to %d of %d turns", at, len(p.ids))
	}
}

// check compares all that can be seen.
func (m *model) check(t *rapid.T) {
	m.t = t
	s := m.store()
	seen := 0
	for _, project := range []string{"", "/p", "/q"} {
		sizes := map[string]int{}
		for size, err := range s.Sizes(t.Context(), project) {
			m.ok(err)
			sizes[size.UUID] = size.Turns
		}
		for got, err := range s.Conversations(t.Context(), project) {
			m.ok(err)
			p := m.processes[got.UUID]
			if p == nil || p.project != project || p.title != got.Title || !p.ended.Equal(got.End) {
				t.Fatalf("got %+v, want %+v", got, p)
			}
			if sizes[got.UUID] != len(p.ids) {
				t.Fatalf("%d turns, want %v", sizes[got.UUID], p.ids)
			}
			seen++
		}
	}
	if seen != len(m.processes) {
		t.Fatalf("%d processes, want %d", seen, len(m.processes))
	}
}

// TestModel does random things to a store that several have open, and compares it
// with a model of what it should hold.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &model{
			t: t, dir: tempDir(t), processes: map[string]*modelProcess{}, removed: map[string]bool{},
		}
		m.stores = []*process.Store{m.open(), m.open()}
		t.Repeat(map[string]func(*rapid.T){
			"begin": m.begin, "begin again": m.begin, "append": m.append, "append more": m.append, "end": m.end,
			"remove": m.remove, "reopen": m.reopen, "resume": m.resume, "": m.check,
		})
	})
}
