package memory

import (
	"strings"
	"time"
)

// Category is a row of the table of categories: what holds for a new entry of the
// category where its request does not say. The zero value says nothing.
type Category struct {
	Scope      Scope         // of a request that names no target; "": the device's
	Type       string        // "": none
	Importance *float64      // nil: DefaultImportance
	Pinned     bool          // never evicted
	Lifetime   time.Duration // 0: the scope's; [Forever]
	Then       Then          // "": the scope's
	OnKey      OnKey         // "": KeyReplace
	Require    []string      // names of metadata that an entry must have
	Text       Form          // "": FormAny
}

// Missing returns the names of required metadata that are not there, or blank.
func (c Category) Missing(metadata map[string]any) (names []string) {
	for _, name := range c.Require {
		text, isText := metadata[name].(string)
		if metadata[name] == nil || isText && strings.TrimSpace(text) == "" {
			names = append(names, name)
		}
	}
	return names
}

// Forever is the lifetime of what never expires, where 0 leaves it open.
const Forever time.Duration = -1

// Then says what becomes of an entry that has expired.
type Then string

// What becomes of it.
const (
	ThenRemove  Then = "remove"
	ThenArchive Then = "archive"
)

// Categories is the table of categories. Its names are in small letters.
type Categories map[string]Category

// Of returns the row of a category, in any case; zero where there is none.
func (t Categories) Of(category string) Category { return t[strings.ToLower(category)] }

// DefaultCategories returns the rows that are built in.
func DefaultCategories() Categories {
	return Categories{"restriction": {Pinned: true}}
}
