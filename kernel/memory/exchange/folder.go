package exchange

import (
	"context"
	"maps"
	"strings"
)

// readFolder reads a folder that an agent with file tools keeps its memory in: each file
// is an entry, whose key is its path, as in the mount's memories/.
func readFolder(_ context.Context, s *source) error {
	return s.each([]string{".md", ".txt", ".xml", ".json", ".yaml", ".yml"}, func(rel, text string) error {
		fields, body := matter(text)
		below, _ := fields["metadata"].(map[string]any) // where newer files have most of them
		delete(fields, "metadata")
		maps.Copy(fields, below)
		if strings.TrimSpace(body) == "" {
			s.skip(rel, "is empty")
			return nil
		}
		category, _ := fields["type"].(string)
		it := s.add(rel, body, category)
		it.Key, it.said = &rel, clock(fields["modified"])
		for name, value := range fields {
			if name != "type" && name != "node_type" && name != "modified" {
				it.note(name, value)
			}
		}
		return nil
	})
}
