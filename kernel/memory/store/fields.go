package store

import (
	"maps"
	"slices"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// entryFields are the texts of an entry, to be scanned: all that is stored.
func entryFields(prefix string, e *memory.Entry) []memory.Field {
	var fs []memory.Field
	for _, f := range memory.EntryFields {
		if !f.Scan {
			continue
		}
		switch v := f.Pointer(e).(type) {
		case *string:
			if *v != "" {
				valueFields(prefix+f.Name, *v, &fs)
			}
		case *[]string:
			valueFields(prefix+f.Name, *v, &fs)
		case *map[string]any:
			valueFields(prefix+f.Name, *v, &fs)
		}
	}
	return fs
}

// valueFields flattens JSON values to named texts, names included: a map's key
// is text that is stored, too.
func valueFields(name string, v any, fs *[]memory.Field) {
	switch v := v.(type) {
	case string:
		*fs = append(*fs, memory.Field{Name: name, Text: v})
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if _, text := v[k].(string); !text {
				*fs = append(*fs, memory.Field{Name: name, Text: k})
			}
			valueFields(name+"."+k, v[k], fs)
		}
	case []any:
		for _, x := range v {
			valueFields(name, x, fs)
		}
	case []string:
		for _, x := range v {
			*fs = append(*fs, memory.Field{Name: name, Text: x})
		}
	}
}
