package exchange

import (
	"context"
	"fmt"
	"slices"
)

// ofSession are the categories of facts of one session of a terminal.
var ofSession = []string{"host_info", "environment", "working_directory", "service_state", "discovery"}

// readInfraware reads memory.json: an array of facts with a category.
func readInfraware(_ context.Context, s *source) error {
	return s.each([]string{".json"}, func(rel, text string) error {
		var facts []struct {
			Fact      string
			Category  string
			CreatedAt string `json:"created_at"`
		}
		if err := decode(text, &facts); err != nil {
			return err
		}
		for i, f := range facts {
			at := fmt.Sprintf("%s[%d]", rel, i)
			if slices.Contains(ofSession, f.Category) && !s.all {
				s.skip(at, "a fact of a session that has ended; --scope says where it goes")
				continue
			}
			it := s.add(at, f.Fact, f.Category)
			it.said = clock(f.CreatedAt)
			if f.Category == "restriction" {
				it.Pinned = new(true)
			}
		}
		return nil
	})
}
