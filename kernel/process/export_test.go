package process

import "context"

// Examined is what is in a log, for tests.
type Examined struct {
	Turns, Broken int
	Torn, Bytes   int64
}

// Examine reads a whole log and counts.
func (s *Store) Examine(ctx context.Context, project, uuid string) (Examined, error) {
	e, err := s.scan(ctx, project, uuid, Position{}, func(Placed) bool { return true })
	return Examined{e.turns, e.broken, e.torn, e.bytes}, failure(opRead, err)
}
