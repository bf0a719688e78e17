package vfs

// help is what a device shows to a reader for whom it has no reply.
type help struct {
	Device  string      `json:"device"`
	About   string      `json:"about"`
	Actions []string    `json:"actions,omitempty"`
	Fields  []fieldHelp `json:"fields"`
	Example string      `json:"example"`
}

type fieldHelp struct {
	Name string `json:"name"`
	What string `json:"what"`
}

// encode makes the reply: ok is false, as in the reference system, for nothing
// was done; the code tells it from a failure.
func (h help) encode(why string) []byte {
	return encode(struct {
		OK    bool   `json:"ok"`
		Code  string `json:"code"`
		Error string `json:"error"`
		help
	}{Code: "no_reply", Error: why, help: h})
}

func entryHelp(target string) []fieldHelp {
	return []fieldHelp{
		{"action", "required; what to do"},
		{"target", target},
		{"content", "add: the text to remember; replace: the new text; remove, get, history: the entry's whole text"},
		{"old", "replace, remove: the entry's whole text"},
		{"new", "replace: the new text"},
		{"id, key", "name an entry instead of quoting it; add takes a key of your choice"},
		{"category, type, tags, importance, pinned, expires, ttl, metadata", "add, replace: what is known about the entry; list filters by category, type, tags"},
		{"expected_revision", "replace, remove, restore: refuse if the entry has changed since"},
		{"idempotency_key", "a repeated request with the same key is done once"},
		{"revision", "restore: which state to bring back; without it, the one before the last change"},
		{"ops", "batch: a list of add, replace, remove and restore, done all or none"},
		{"max_results", "list, history: at most so many, the newest"},
		{"project", "a project inside the caller's own"},
	}
}
