package exchange

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
	"github.com/rnixfs/rnixfs/kernel/yamldoc"
)

// requestOf is the request that adds an entry again. What it says was said when it does.
func requestOf(target memory.Scope, agent string, e *memory.Entry) store.Request {
	it := item{Request: store.Request{Action: string(memory.ActionAdd), Target: string(target), Asker: store.Asker{Agent: agent}}}
	it.Key, it.Content, it.Importance = &e.Key, &e.Content, &e.Importance
	for _, f := range []struct {
		text string
		to   **string
	}{{e.Category, &it.Category}, {e.Type, &it.Type}} {
		if f.text != "" {
			*f.to = &f.text
		}
	}
	if e.Pinned {
		it.Pinned = &e.Pinned
	}
	if e.Expires != nil {
		it.Expires = new(e.Expires.Format(time.RFC3339))
	}
	it.tag(e.Tags)
	for name, value := range e.Metadata {
		it.note(name, value)
	}
	it.note(memory.SaidKey, e.Said().UTC().Format(time.RFC3339))
	return it.Request
}

// WriteLine writes an entry as a line of JSON: the request to commit that adds it.
func WriteLine(w io.Writer, target memory.Scope, agent string, e *memory.Entry) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(requestOf(target, agent, e))
}

// WritePage writes an entry as Markdown, with the request's other fields as front matter.
func WritePage(w io.Writer, target memory.Scope, agent string, e *memory.Entry) error {
	req := requestOf(target, agent, e)
	req.Action, req.Content = "", nil
	raw, err := json.Marshal(req)
	if err != nil {
		return err
	}
	var fields map[string]any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&fields); err != nil {
		return err
	}
	delete(fields, "action")
	head, err := yamldoc.Append([]byte("---\n"), fields, 0)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s---\n%s\n", head, e.Content)
	return err
}

// readLines reads what [WriteLine] wrote.
func readLines(_ context.Context, s *source) error {
	return s.each([]string{".jsonl", ".json"}, func(rel, text string) error {
		n := 0
		for line := range strings.Lines(text) {
			n++
			it := &item{at: fmt.Sprintf("%s:%d", rel, n)}
			if err := memory.DecodeStrict([]byte(line), &it.Request); err != nil || it.Content == nil || it.Action != string(memory.ActionAdd) {
				s.skip(it.at, "the line is not a request that adds an entry")
				continue
			}
			s.items = append(s.items, it)
		}
		return nil
	})
}

// readPages reads what [WritePage] wrote, a file each.
func readPages(_ context.Context, s *source) error {
	return s.each([]string{".md"}, func(rel, text string) error {
		fields, body := matter(text)
		raw, err := json.Marshal(fields)
		it := &item{at: rel}
		if err != nil || fields == nil || memory.DecodeStrict(raw, &it.Request) != nil {
			return errors.New("its front matter is not that of an entry")
		}
		body = strings.TrimSuffix(body, "\n")
		it.Content = &body
		s.items = append(s.items, it)
		return nil
	})
}
