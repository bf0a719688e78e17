package memory

// Share says who gets the room in what is shown of memory.
type Share string

// The shares.
const (
	ShareEven Share = "even" // each scope as much, and what one does not need the others
	ShareNone Share = "none" // whatever comes first takes what it needs
)

// LineFields are the words that can stand in braces in the template of a line.
var LineFields = []string{"scope", "key", "category", "content", "date"}
