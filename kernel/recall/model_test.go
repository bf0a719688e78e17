package recall

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

var modelWords = []string{"tea", "coffee", "went", "going", "getUserName", "v1.2.3", "数据库迁移", "배포절차", "the", "café"}

// model is a scope as a provider would have it, in order of creation.
type model struct {
	engine  *Engine
	entries []*memory.Entry
	next    int
}

func drawContent(t *rapid.T) string {
	words := rapid.SliceOfN(rapid.SampledFrom(modelWords), 0, 70).Draw(t, "words")
	return fmt.Sprint(words)
}

func (m *model) draw(t *rapid.T) *memory.Entry {
	m.next++
	e := entry(fmt.Sprintf("%03d", m.next), drawContent(t), rapid.IntRange(0, 3).Draw(t, "age"))
	e.Tags = rapid.SliceOfNDistinct(rapid.SampledFrom(modelWords), 0, 2, rapid.ID).Draw(t, "tags")
	return e
}

func (m *model) add(t *rapid.T) {
	e := m.draw(t)
	m.entries = append(m.entries[:len(m.entries):len(m.entries)], e)
	m.engine.Changed(projectA, add(e))
}

func (m *model) change(t *rapid.T) {
	if len(m.entries) == 0 {
		t.Skip("nothing to change")
	}
	i := rapid.IntRange(0, len(m.entries)-1).Draw(t, "which")
	old := m.entries[i]
	var next []*memory.Entry
	step := memory.Step{Before: old}
	next = append(next, m.entries[:i]...)
	switch rapid.IntRange(0, 2).Draw(t, "how") {
	case 0: // remove
	case 1: // replace the content
		step.After = m.draw(t)
		step.After.ID = old.ID
	case 2: // a field that is not searched
		step.After = old.Clone()
		step.After.Importance = 1
	}
	if step.After != nil {
		next = append(next, step.After)
	}
	m.entries = append(next, m.entries[i+1:]...)
	m.engine.Changed(projectA, []memory.Step{step})
}

func (m *model) open(t *rapid.T) {
	for range rapid.IntRange(0, 12).Draw(t, "more") {
		m.entries = append(m.entries[:len(m.entries):len(m.entries)], m.draw(t))
	}
	m.engine.Opened(projectA, m.entries)
}

// check compares the engine with one that was only told of the entries there
// are: the same hits, the same scores.
func (m *model) check(t *rapid.T) {
	fresh := New(Options{Now: m.engine.opts.Now})
	defer func() { _ = fresh.Close() }()
	fresh.Opened(projectA, m.entries)
	for _, text := range []string{"tea go v1.2 user the", "the", "数据库", "café going"} {
		q := Query{Text: text, Scopes: []memory.ScopeID{projectA}, Explain: true, Max: 1000}
		want, err := fresh.Search(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.engine.Search(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Results{})); diff != "" {
			t.Fatalf("%q (-fresh +changed):\n%s", text, diff)
		}
	}
}

// After any changes the index is as if it had been built of what is left.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := model{engine: New(Options{Now: func() time.Time { return epoch }})}
		defer func() { _ = m.engine.Close() }()
		t.Repeat(map[string]func(*rapid.T){
			"add":     m.add,
			"change":  m.change,
			"open":    m.open,
			"search":  func(t *rapid.T) { ids(t, m.engine, "tea") },
			"rebuild": func(t *rapid.T) { m.rebuild(t) },
		})
		m.check(t)
		m.checkTables(t)
	})
}

// rebuild does what an index does when much is gone.
func (m *model) rebuild(t *rapid.T) {
	ix := m.engine.scopes[projectA]
	if ix == nil {
		return
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if err := ix.rebuild(); err != nil {
		t.Fatal(err)
	}
}

// checkTables checks what a search does not show: that nothing leaks.
func (m *model) checkTables(t *rapid.T) {
	ix := m.engine.scopes[projectA]
	if ix == nil {
		return
	}
	if len(ix.docs) != len(m.entries) {
		t.Errorf("%d documents for %d entries", len(ix.docs), len(m.entries))
	}
	used := 0
	var total [fieldCount]int64
	for _, d := range ix.docs {
		used += len(d.passages)
		for _, n := range d.passages {
			if ix.passages[n].doc != d {
				t.Errorf("passage %d is of another document", n)
			}
			for f, length := range ix.passages[n].lengths {
				total[f] += int64(length)
			}
		}
	}
	if ix.postings != nil {
		snap := ix.postings.Snapshot()
		defer snap.Close()
		if int(snap.Docs()) != len(ix.passages) {
			t.Errorf("%d passages, %d in the postings", len(ix.passages), snap.Docs())
		}
	}
	if used != ix.live || total != ix.total {
		t.Errorf("%d passages in use, %d counted; lengths %v and %v", used, ix.live, total, ix.total)
	}
}
