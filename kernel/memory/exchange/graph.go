package exchange

import (
	"context"
	"fmt"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// readGraph reads the file of a knowledge graph, a line of JSON for each entity and each
// relation. An entity is one entry: its observations, and what it has to do with others.
func readGraph(_ context.Context, s *source) error {
	return s.each([]string{".jsonl", ".json"}, func(rel, text string) error {
		type record struct {
			Type         string
			Name         string
			EntityType   string
			Observations []string
			From         string
			To           string
			RelationType string
			at           string
		}
		entities, relations, n := map[string]*item{}, []record{}, 0
		for line := range strings.Lines(text) {
			n++
			r := record{at: fmt.Sprintf("%s:%d", rel, n)}
			switch {
			case strings.TrimSpace(line) == "":
			case decode(line, &r) == nil && r.Type == "relation":
				relations = append(relations, r)
			case r.Type == "entity" && r.Name != "":
				it := s.add(r.at, strings.Join(append([]string{r.Name}, r.Observations...), "\n- "), r.EntityType)
				it.Key, entities[r.Name] = new(memory.Cut(r.Name, memory.MaxKeyRunes)), it
			default:
				s.skip(r.at, "the line is neither an entity nor a relation")
			}
		}
		for _, r := range relations {
			if it := entities[r.From]; it != nil {
				*it.Content += "\n- " + inert(r.RelationType+" "+r.To)
			} else {
				s.skip(r.at, "the relation is of an entity that is not there")
			}
		}
		return nil
	})
}
