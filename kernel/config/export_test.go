package config

// Setting is a row of the table, for the tests of the documents.
type Setting struct {
	Key, Default string
	Restart      bool
}

// Settings returns all rows.
func Settings() []Setting {
	all := make([]Setting, len(settings))
	for i, s := range settings {
		all[i] = Setting{Key: s.key, Default: s.def, Restart: s.scope == atMount}
	}
	return all
}
