package knowledge

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/url"
	"os"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/recall"
)

// texts is the file of the sections as they are indexed and shown, a line each, which
// only grows. It implements recall.TurnReader.
type texts struct {
	file *os.File // closed with the last search in it, by the garbage collector
	size int64
}

// manual is the scheme of the URIs of manual pages, and what the index has as their agent.
const manual = "man"

// record is a line.
type record struct {
	Path string `json:"path"`
	Section
}

// add appends the sections of a document.
func (t *texts) add(d *document, list []Section) (turns []recall.StoredTurn, err error) {
	var out []byte
	for i, s := range list {
		line, err := json.Marshal(record{d.path(), s})
		if err != nil {
			return nil, err
		}
		at := t.size + int64(len(out))
		out = append(append(out, line...), '\n')
		turns = append(turns, recall.StoredTurn{
			Turn:   process.Turn{Role: process.RoleUser, Content: s.Text, Time: d.changed},
			Number: i, Offset: at, End: t.size + int64(len(out)),
		})
	}
	n, err := t.file.WriteAt(out, t.size)
	t.size += int64(n)
	return turns, err
}

// Turn implements recall.TurnReader. The id of the turn is the name of the section.
func (t *texts) Turn(_ context.Context, id string, offset int64) (process.Turn, error) {
	line, err := bufio.NewReader(io.NewSectionReader(t.file, offset, 8*maxSection)).ReadBytes('\n')
	var r record
	if err != nil || json.Unmarshal(line, &r) != nil || r.Path != pathOf(id) {
		return process.Turn{}, memory.Errorf(memory.KindNotFound, "read section", "it is not there")
	}
	return process.Turn{ID: r.Name(), Role: process.RoleUser, Content: r.Text}, nil
}

// pathOf is the path of the document with an id.
func pathOf(id string) string {
	path, _, _ := strings.Cut(id, "\x00")
	return path
}

// Place says where a hit is from. Its title is that of the document, and of the section.
func Place(h *recall.Hit) (uri, path, title string) {
	path, title = pathOf(h.ID), h.Title
	at := url.URL{Scheme: "file", OmitHost: true, Path: path, Fragment: h.Key}
	if h.Agent == manual {
		at = url.URL{Scheme: manual, Opaque: h.Title, Fragment: h.Key}
	}
	if h.Key != title {
		title += ": " + h.Key
	}
	return at.String(), path, title
}
