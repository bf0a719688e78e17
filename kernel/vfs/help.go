package vfs

import "github.com/rnixfs/rnixfs/kernel/memory"

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

// entryHelp is the help of a device whose requests go to entries.
func entryHelp(target string) []fieldHelp {
	fields := []fieldHelp{
		{"action", "required; what to do"},
		{"target", target},
		{"id", "names an entry instead of quoting it"},
		{"old", "replace, remove: the entry's whole text"},
		{"new", "replace: the new text"},
	}
	for _, f := range memory.EntryFields {
		if f.Request {
			fields = append(fields, fieldHelp{f.Name, f.Help})
		}
	}
	return append(fields,
		fieldHelp{"ttl", `add, put, replace: a lifetime, such as "90m", "12h" or "30d", in place of expires`},
		fieldHelp{"set_metadata", "replace, put: names of metadata to set, null to remove, the others stay"},
		fieldHelp{"outcome", "replace, put: success or failure, counted in metadata.uses and metadata.success_rate"},
		fieldHelp{"on_key", "put: where the key is taken, replace (the text), append (a dated section) or refuse"},
		fieldHelp{"also", "add, replace, put: a list of further targets"},
		fieldHelp{"confirm", "clear: true, to remove every entry of the target"},
		fieldHelp{"expected_revision", "put, replace, remove, restore: refuse if the entry has changed since"},
		fieldHelp{"idempotency_key", "a repeated request with the same key is done once"},
		fieldHelp{"revision", "restore: which state to bring back; without it, the one before the last change"},
		fieldHelp{"sequence", "undo: which change, as log has it; without it, the last one"},
		fieldHelp{"dry_run", "sweep: only say what would be done with what has expired"},
		fieldHelp{"ops", "batch: a list of add, put, replace, remove and restore, done all or none"},
		fieldHelp{"where", `list: by field, one value or several to choose from: {"metadata.status":"active","category":["goal","task"]}`},
		fieldHelp{"any_tags", "list: entries with one of them; tags, or all_tags: with all of them"},
		fieldHelp{"min_importance", "list: entries of that importance or more"},
		fieldHelp{"since, until", "list: entries changed in that time; log: changes since then"},
		fieldHelp{"sort", "list: a field such as created, updated, importance, key or metadata.priority, or relevance; -created is the newest first"},
		fieldHelp{"max_results, or limit", "list, history, log: at most so many; without sort, the newest"},
		fieldHelp{"cursor", "list: next of the reply before, for the next page"},
		fieldHelp{"project", "a project inside the caller's own"},
		fieldHelp{"agent", "with the target agent: which; without it, the program that asks"},
	)
}
