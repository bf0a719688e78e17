package file

import (
	"os"
	"path/filepath"
	"strings"
)

// SetAside counts the texts that were set aside in a folder, for a status that
// must not wait for the folder. An unreadable folder counts as none: Check says
// what is wrong with it.
func SetAside(dir string) int {
	names, err := os.ReadDir(filepath.Join(dir, rejectedDir))
	if err != nil {
		return 0
	}
	n := 0
	for _, e := range names {
		if strings.HasSuffix(e.Name(), ".reason.json") {
			n++
		}
	}
	return n
}
