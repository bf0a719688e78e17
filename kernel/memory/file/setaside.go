package file

import "strings"

// SetAside counts the texts that were set aside, for a status that must not wait
// for the folder. An unreadable folder counts as none: Check says what is wrong
// with it.
func (p *Provider) SetAside() int {
	p.fsMu.RLock()
	defer p.fsMu.RUnlock()
	if p.fsClosed {
		return 0
	}
	return countAside(p.fs)
}

func countAside(fsys FS) int {
	names, err := fsys.ReadDir(rejectedDir)
	if err != nil {
		return 0
	}
	n := 0
	for _, name := range names {
		if strings.HasSuffix(name, ".reason.json") {
			n++
		}
	}
	return n
}
