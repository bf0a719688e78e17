package exchange

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/sqlite"
)

// records are the tables of working.db and longterm.db: of which category a row is, the
// column that names it, those that make its text, and that of its time.
var records = []struct {
	table, category, id string
	text                []string
	at                  string
}{
	{"goals", "goal", "id", []string{"description", "result"}, "created_at"},
	{"tasks", "task", "id", []string{"description", "error"}, "started_at"},
	{"tool_calls", "tool_call", "id", []string{"tool_name", "reason"}, "timestamp"},
	{"agent_states", "agent_state", "agent_name", []string{"agent_name", "state"}, "updated_at"},
	{"decisions", "decision", "id", []string{"context", "chosen", "reasoning", "outcome"}, "timestamp"},
	{"patterns", "pattern", "id", []string{"trigger", "action"}, "last_used"},
	{"procedures", "procedure", "id", []string{"name", "description"}, "created_at"},
	{"incidents", "incident", "id", []string{"description", "root_cause", "resolution", "prevention"}, "timestamp"},
	{"config_changes", "config_change", "id", []string{"file_path", "reason", "content"}, "timestamp"},
	{"config_history", "config_change", "id", []string{"file_path", "reason", "content"}, "timestamp"},
}

// readAIOS reads the databases that lie at the path.
func readAIOS(ctx context.Context, s *source) error {
	return filepath.WalkDir(s.path, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Ext(path) != ".db" && path != s.path {
			return err
		}
		if err := s.database(ctx, path); err != nil {
			s.skip(filepath.Base(path), memory.ReasonOf(err))
		}
		return nil
	})
}

func (s *source) database(ctx context.Context, path string) error {
	db, err := sqlite.Read(ctx, path)
	if err != nil {
		return err
	}
	defer db.Close()
	known := 0
	for i, r := range records {
		var n int
		if err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?", r.table).Scan(&n); err != nil {
			return err
		}
		if known += n; n == 0 {
			continue
		}
		if err := s.table(ctx, db, i, filepath.Base(path)); err != nil {
			s.skip(filepath.Base(path)+":"+r.table, "the table can't be read to its end")
		}
	}
	if known == 0 {
		s.skip(filepath.Base(path), "it has none of the tables that are read")
	}
	return nil
}

func (s *source) table(ctx context.Context, db *sql.DB, i int, file string) error {
	rows, err := db.QueryContext(ctx, "SELECT * FROM "+records[i].table) //nolint:gosec // a name of ours
	if err != nil {
		return err
	}
	defer rows.Close()
	names, err := rows.Columns()
	values, into := make([]any, len(names)), make([]any, len(names))
	for n := range values {
		into[n] = &values[n]
	}
	for err == nil && rows.Next() {
		if err = rows.Scan(into...); err != nil {
			break
		}
		row := map[string]any{}
		for n, name := range names {
			row[strings.TrimSuffix(name, "_json")] = plain(values[n])
		}
		s.record(i, row, file)
	}
	if err != nil {
		return err
	}
	return rows.Err()
}

// record adds a row as an entry. Its columns are metadata, too, so that they can be asked
// for, but those of longer texts.
func (s *source) record(i int, row map[string]any, file string) {
	r, id := records[i], fmt.Sprint(row[records[i].id])
	var lines []string
	for n, name := range r.text {
		if row[name] == nil || row[name] == "" {
			continue
		}
		text, isText := row[name].(string)
		if !isText {
			raw, _ := json.Marshal(row[name]) // it came from JSON
			text = string(raw)
		}
		if n > 0 {
			text = strings.ToUpper(name[:1]) + strings.ReplaceAll(name[1:], "_", " ") + ": " + text
		}
		lines = append(lines, text)
	}
	it := s.add(file+":"+r.table+":"+id, strings.Join(lines, "\n"), r.category)
	it.Key, it.said = new(r.category+"-"+id), clock(row[r.at])
	if tags, ok := row["tags"].(string); ok {
		it.tag(strings.Split(tags, ","))
	}
	for name, value := range row {
		switch name {
		case "id", "description", "context", "content", "embedding", "tags":
		default:
			if value != nil && value != "" {
				it.note(name, value)
			}
		}
	}
}

// plain is a value of a database as JSON has it.
func plain(v any) any {
	switch v := v.(type) {
	case []byte:
		return plain(strings.ToValidUTF8(string(v), "\uFFFD"))
	case time.Time:
		return v.UTC().Format(time.RFC3339)
	case string:
		var parsed any
		if strings.HasPrefix(v, "{") || strings.HasPrefix(v, "[") {
			if json.Unmarshal([]byte(v), &parsed) == nil {
				return parsed
			}
		}
	}
	return v
}
