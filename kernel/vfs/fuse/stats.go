package fuse

// Stats is what status tells of a mount.
type Stats struct {
	// Ancestry reports whether replies go to their askers by ancestry; where it is
	// off, only a session's tree or the writing descriptor gives a reply back.
	Ancestry bool `json:"ancestry"`
}

// Stats returns the state of the mount.
func (s *Server) Stats() Stats { return Stats{Ancestry: s.fs.ancestry.Load()} }
