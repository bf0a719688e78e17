package recalleval

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/lang/cjk"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"

	"github.com/rnixfs/rnixfs/kernel/sqlite"
)

// FTS5 measures SQLite's full text search as one would set it up: a turn is a row, in
// porter's stems, the question is the OR of its words without those of a stop list,
// ranked by its bm25. What is mostly Chinese is cut into trigrams.
func FTS5(ctx context.Context, set *Set) (*Report, error) {
	return run(ctx, set, openFTS5)
}

// Bleve measures bleve as one would set it up: a turn is a document, the question its
// match query with the English analyser, or that for Chinese, Japanese and Korean.
func Bleve(ctx context.Context, set *Set) (*Report, error) {
	return run(ctx, set, openBleve)
}

// flat is the turns of a conversation one after the other.
func flat(c *Conversation, yield func(r Ranked, content string) error) error {
	for _, s := range c.Sessions {
		for _, t := range s.Turns {
			if err := yield(Ranked{Turn: t.ID, Session: s.UUID}, t.Content); err != nil {
				return err
			}
		}
	}
	return nil
}

// chinese reports whether most of a conversation is Chinese, of three bytes a character.
func chinese(c *Conversation) bool {
	size, runes := 0, 0
	_ = flat(c, func(_ Ranked, content string) error {
		size, runes = size+len(content), runes+utf8.RuneCountInString(content)
		return nil
	})
	return size > 2*runes
}

type fts5 struct {
	db       *sql.DB
	turns    []Ranked // by row
	stop     analysis.TokenMap
	trigrams bool
}

func openFTS5(ctx context.Context, c *Conversation) (searcher, error) {
	db, err := sqlite.Memory(ctx)
	if err != nil {
		return nil, err
	}
	s := &fts5{db: db, stop: analysis.NewTokenMap(), trigrams: chinese(c)}
	if err := s.stop.LoadBytes(en.EnglishStopWords); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if err := s.fill(ctx, c); err != nil {
		return nil, errors.Join(fmt.Errorf("fts5: %w", err), db.Close())
	}
	return s, nil
}

func (s *fts5) fill(ctx context.Context, c *Conversation) error {
	tokenizer := "porter unicode61"
	if s.trigrams {
		tokenizer = "trigram"
	}
	if _, err := s.db.ExecContext(ctx, "CREATE VIRTUAL TABLE turns USING fts5(content, tokenize='"+tokenizer+"')"); err != nil {
		return err
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	err = flat(c, func(r Ranked, content string) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO turns(rowid, content) VALUES (?, ?)", len(s.turns), content)
		s.turns = append(s.turns, r)
		return err
	})
	if err != nil {
		return err
	}
	return tx.Commit()
}

// words are what FTS5 is asked for.
func (s *fts5) words(question string) []string {
	words := strings.FieldsFunc(question, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if !s.trigrams {
		return slices.DeleteFunc(words, func(w string) bool { return s.stop[strings.ToLower(w)] })
	}
	var out []string
	for _, w := range words {
		for runes := []rune(w); len(runes) > 2; runes = runes[1:] {
			out = append(out, string(runes[:3]))
		}
	}
	return out
}

// Search quotes each word: FTS5 has a syntax, and questions break it.
func (s *fts5) Search(ctx context.Context, question string, limit int) ([]Ranked, error) {
	words := s.words(question)
	if len(words) == 0 {
		return nil, nil
	}
	match := `"` + strings.Join(words, `" OR "`) + `"`
	rows, err := s.db.QueryContext(ctx, "SELECT rowid FROM turns WHERE turns MATCH ? ORDER BY bm25(turns), rowid LIMIT ?", match, limit)
	if err != nil {
		return nil, fmt.Errorf("fts5: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var out []Ranked
	for rows.Next() {
		var row int
		if err := rows.Scan(&row); err != nil {
			return nil, fmt.Errorf("fts5: %w", err)
		}
		out = append(out, s.turns[row])
	}
	return out, rows.Err()
}

// Close ends the database.
func (s *fts5) Close() error { return s.db.Close() }

type bleveSearcher struct {
	index bleve.Index
	turns []Ranked
}

func openBleve(_ context.Context, c *Conversation) (searcher, error) {
	mapping := bleve.NewIndexMapping()
	mapping.DefaultAnalyzer = en.AnalyzerName
	if chinese(c) {
		mapping.DefaultAnalyzer = cjk.AnalyzerName
	}
	index, err := bleve.NewMemOnly(mapping)
	if err != nil {
		return nil, fmt.Errorf("bleve: %w", err)
	}
	s := &bleveSearcher{index: index}
	b := index.NewBatch()
	err = flat(c, func(r Ranked, content string) error {
		s.turns = append(s.turns, r)
		return b.Index(fmt.Sprintf("%09d", len(s.turns)-1), map[string]string{"content": content})
	})
	if err == nil {
		err = index.Batch(b)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("bleve: %w", err), index.Close())
	}
	return s, nil
}

// Search asks bleve's match query.
func (s *bleveSearcher) Search(ctx context.Context, question string, limit int) ([]Ranked, error) {
	request := bleve.NewSearchRequestOptions(bleve.NewMatchQuery(question), limit, 0, false)
	request.SortBy([]string{"-_score", "_id"})
	found, err := s.index.SearchInContext(ctx, request)
	if err != nil {
		return nil, fmt.Errorf("bleve: %w", err)
	}
	var out []Ranked
	for _, h := range found.Hits {
		var row int
		if _, err := fmt.Sscanf(h.ID, "%d", &row); err != nil {
			return nil, fmt.Errorf("bleve: %w", err)
		}
		out = append(out, s.turns[row])
	}
	return out, nil
}

// Close frees the index.
func (s *bleveSearcher) Close() error { return s.index.Close() }
