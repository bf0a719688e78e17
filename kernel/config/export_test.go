package config

// Setting is a row of the table, for the tests of the documents.
type Setting struct {
	Key, Default string
	Restart      bool
}

// Settings returns all rows.
func Settings() []Setting {
	all, def := make([]Setting, len(settings)), Default()
	for i, s := range settings {
		all[i] = Setting{Key: s.key, Default: s.show(&def), Restart: s.scope == atMount}
	}
	return all
}
