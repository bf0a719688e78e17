package transcript

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/sqlite"
)

// opencode reads the sessions of OpenCode: its database, or what its command
// export prints.
type opencode struct{}

var sqliteMagic = []byte("SQLite format 3\x00")

func (opencode) Name() string { return "opencode" }

// Detect wants a database of that name, or with those tables in its first pages;
// or the export of a session.
func (opencode) Detect(path string, head []byte) bool {
	if bytes.HasPrefix(head, sqliteMagic) {
		name := filepath.Base(path)
		named := strings.HasPrefix(name, "opencode") && strings.HasSuffix(name, ".db")
		return named || bytes.Contains(head, []byte("session_id")) && bytes.Contains(head, []byte("message_id")) && bytes.Contains(head, []byte("parent_id"))
	}
	keys := headKeys(head)
	_, messages := keys["messages"]
	var info opencodeSession
	return messages && isObject(keys["info"]) && decode(keys["info"], &info) == nil && strings.HasPrefix(info.ID, "ses")
}

// Find looks for the databases of all channels.
func (opencode) Find(home string, env func(string) string) ([]string, error) {
	dir := filepath.Join(cmp.Or(env("XDG_DATA_HOME"), filepath.Join(home, ".local", "share")), "opencode")
	paths, err := walk(dir, func(rel string) bool {
		return filepath.Base(rel) == rel && strings.HasPrefix(rel, "opencode") && strings.HasSuffix(rel, ".db")
	})
	if own := env("OPENCODE_DB"); own != "" && err == nil {
		if !filepath.IsAbs(own) {
			own = filepath.Join(dir, own)
		}
		if fi, err := os.Stat(own); err == nil && fi.Mode().IsRegular() && own != filepath.Join(dir, filepath.Base(own)) {
			paths = append(paths, own)
			slices.Sort(paths)
		}
	}
	return paths, err
}

// Read yields each session of a database, or the one of an export.
func (opencode) Read(ctx context.Context, path string) iter.Seq2[process.Transcript, error] {
	return read(func(w *writer) error {
		file, err := open(opRead, path)
		if err != nil {
			return err
		}
		magic := make([]byte, len(sqliteMagic))
		_, err = file.ReadAt(magic, 0)
		_ = file.Close()
		if err == nil && bytes.Equal(magic, sqliteMagic) {
			return readOpencode(ctx, w, path)
		}
		return exportOpencode(ctx, w, path)
	})
}

func exportOpencode(ctx context.Context, w *writer, path string) error {
	var export struct {
		Info     opencodeSession `json:"info"`
		Messages []struct {
			Info  opencodeMessage `json:"info"`
			Parts []opencodePart  `json:"parts"`
		} `json:"messages"`
	}
	if err := decodeDocument(path, &export); err != nil {
		return err
	}
	p := export.Info.process()
	p.External = cmp.Or(p.External, placeName(path))
	w.begin(p)
	for _, m := range export.Messages {
		for _, part := range m.Parts {
			if ctx.Err() != nil || !export.Info.part(w, m.Info, part) {
				return ctx.Err()
			}
		}
	}
	return nil
}

// opencodeRows reads a session's parts in order. A part above the limit is left
// out before it is read into memory.
const opencodeRows = `SELECT m.id, m.data, p.id, CASE WHEN length(p.data) > ? THEN NULL ELSE p.data END
FROM message m JOIN part p ON p.message_id = m.id
WHERE m.session_id = ? ORDER BY m.time_created, m.id, p.id`

func readOpencode(ctx context.Context, w *writer, path string) error {
	before, err := os.Stat(path)
	if err != nil {
		return fileError(opRead, err)
	}
	db, err := sqlite.Read(ctx, path)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	sessions, err := opencodeSessions(ctx, db)
	if err != nil {
		return databaseError(ctx, err)
	}
	for _, s := range sessions {
		w.begin(s.process())
		if err := s.rows(ctx, w, db); err != nil {
			return databaseError(ctx, err)
		}
		if w.stopped {
			return nil
		}
	}
	if after, err := os.Stat(path); err != nil || after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime()) {
		return memory.Errorf(memory.KindConflict, opRead, "the database was written to while it was read; read it again")
	}
	return nil
}

func databaseError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return memory.Errorf(memory.KindInvalid, opRead, "no database of OpenCode that is known: %w", err)
}

// opencodeSessions reads all sessions, oldest first. Versions differ in columns,
// so they are taken by name.
func opencodeSessions(ctx context.Context, db *sql.DB) ([]opencodeSession, error) {
	rows, err := db.QueryContext(ctx, "SELECT * FROM session ORDER BY time_created, id")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var list []opencodeSession
	values, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		row := map[string]string{}
		for i, name := range columns {
			row[name] = values[i].String
		}
		list = append(list, opencodeRow(row))
	}
	return list, rows.Err()
}

func (s *opencodeSession) rows(ctx context.Context, w *writer, db *sql.DB) error {
	rows, err := db.QueryContext(ctx, opencodeRows, maxLine, s.ID)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var messageID, partID string
		var message, part []byte
		if err := rows.Scan(&messageID, &message, &partID, &part); err != nil {
			return err
		}
		if part == nil {
			w.skipped.add(skipTooLong, 1)
			continue
		}
		var m opencodeMessage
		var p opencodePart
		if !json.Valid(message) || decode(message, &m) != nil || decode(part, &p) != nil {
			w.skipped.add(skipUnparsable, 1)
			continue
		}
		m.ID, p.ID = messageID, partID
		if !s.part(w, m, p) {
			return nil
		}
	}
	return rows.Err()
}
