package exchange

import (
	"context"
	"path/filepath"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// readA3S reads a file store: items/ID.json each, and index.json, which may name items
// that are gone.
func readA3S(_ context.Context, s *source) error {
	type stored struct {
		ID         string
		Content    string
		Timestamp  string
		Importance *float64
		Tags       []string
		MemoryType *string `json:"memory_type"`
		Metadata   *map[string]any
	}
	there, index := map[string]bool{}, []stored{}
	err := s.each([]string{".json"}, func(rel, text string) error {
		if filepath.Base(rel) == "index.json" {
			return decode(text, &index)
		}
		var x stored
		if err := decode(text, &x); err != nil {
			return err
		}
		there[x.ID] = true
		it := s.add(rel, x.Content, "")
		it.tag(x.Tags)
		it.said, it.Type, it.Metadata = clock(x.Timestamp), x.MemoryType, x.Metadata
		if x.Importance != nil {
			it.Importance = new(min(max(*x.Importance, 0), 1))
		}
		return nil
	})
	for _, x := range index {
		if !there[x.ID] {
			s.skip("index.json", "an item that it names has no file: "+memory.QuoteName(x.ID))
		}
	}
	return err
}
