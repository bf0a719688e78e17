package config

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/rnixfs/rnixfs/kernel/tool"
)

// devices are those that take requests, but for the devices of scopes that rows add.
var devices = []string{"commit", "profile", "recall", "context", "session", "agent", "events", "knowledge", "process"}

const maxTools = 200

var toolName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`)

// toolRows checks the table of tools.
func toolRows(value any) (at, reason string) {
	table := value.(map[string]tool.Tool)
	if len(table) > maxTools {
		return "", fmt.Sprintf("must be at most %d tools", maxTools)
	}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		if !toolName.MatchString(name) || longWord(name) {
			return "." + name, "must be a name of letters, digits, '_' and '-', at most 64, with no word of more than 20 characters"
		}
		if at, reason := table[name].Fault(); reason != "" {
			return "." + name + at, reason
		}
	}
	return "", ""
}
