package store

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// sortRelevance sorts by [memory.Score.Relevance], which is no field.
const sortRelevance = "relevance"

// order is the order of a list.
type order struct {
	value  path
	turned bool // the greatest value first; what has none is last all the same
	newest bool // pages go back from the newest entry, each in order of creation
}

// place is where an entry stands in an order. No two entries stand in the same.
type place struct {
	value any
	id    string
	entry *memory.Entry
}

// orderOf is the order that sort names. What is relevant changes with time: at is when.
func orderOf(sort string, score memory.Score, at time.Time) (order, error) {
	if sort == "" {
		return order{value: func(e *memory.Entry) any { return e.Created.UTC().Format(stamp) }, newest: true}, nil
	}
	name, turned := strings.CutPrefix(sort, "-")
	if name == sortRelevance {
		return order{value: func(e *memory.Entry) any { return score.Relevance(e, at) }, turned: turned}, nil
	}
	p := pathOf(name)
	if p == nil {
		return order{}, unknown("sort", name, sortRelevance)
	}
	return order{value: p, turned: turned}, nil
}

func (o order) compare(a, b place) int {
	ca, cb := class(a.value), class(b.value)
	c := cmp.Compare(ca, cb)
	if c == 0 {
		na, _ := a.value.(float64)
		nb, _ := b.value.(float64)
		sa, _ := a.value.(string)
		sb, _ := b.value.(string)
		c = cmp.Or(cmp.Compare(na, nb), cmp.Compare(sa, sb))
	}
	if o.turned && ca != classNone && cb != classNone {
		c = -c
	}
	if c == 0 {
		c = cmp.Compare(a.id, b.id)
	}
	if o.newest {
		c = -c
	}
	return c
}

// classNone is that of what can't be compared: nothing, or a list.
const classNone = 4

// class puts numbers before texts, and false and true behind them.
func class(v any) int {
	switch v {
	case false:
		return 2
	case true:
		return 3
	}
	switch v.(type) {
	case float64:
		return 0
	case string:
		return 1
	}
	return classNone
}

// cursor is where a page of a list ended. It names a place and no number of entries, so
// that what others add and remove meanwhile moves nothing.
type cursor struct {
	Query string    `json:"q"` // digest of the scope and of what was asked
	At    time.Time `json:"t"` // of the first page
	Value any       `json:"v"`
	ID    string    `json:"i"`
}

// cursorOf returns the request's cursor, of the first page where it has none.
func cursorOf(j job) (c cursor, err error) {
	query, text := j.req, j.req.Cursor
	query.Target, query.Project, query.Agent = string(j.id.Scope), j.id.Owner, ""
	query.Cursor, query.MaxResults = "", 0
	sum := digest(query)
	if text == "" {
		return cursor{Query: sum}, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || json.Unmarshal(raw, &c) != nil || c.ID == "" {
		return c, badList("cursor: it is not the next of a reply to a list")
	}
	if c.Query != sum {
		return c, badList("cursor: it belongs to another list; the target, the filters and sort must be those of its first page")
	}
	return c, nil
}
