package attest

import (
	"os"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Mount is one line of /proc/PID/mountinfo (proc_pid_mountinfo(5)).
type Mount struct {
	ID, Parent string
	Dev        string // major:minor, which no other mounted file system has
	Root       string // what of the file system is mounted: "/" is all of it
	Point      string // where, as the process sees it
	Shared     bool   // what is mounted in it is mounted in its copies, too
	Slave      bool   // it is a copy, in which is mounted what is mounted in the other
	FSType     string
}

// Mounts returns the mounts that a process sees, a pid or "self"; later ones lie on top.
func Mounts(process string) (all []Mount, err error) {
	raw, err := os.ReadFile("/proc/" + process + "/mountinfo")
	if err != nil {
		return nil, memory.Errorf(memory.KindInternal, "read mounts", "%w", err)
	}
	for line := range strings.Lines(string(raw)) {
		if m, ok := parseMount(line); ok {
			all = append(all, m)
		}
	}
	return all, nil
}

// parseMount parses "36 35 98:0 /root /point rw,noatime master:1 - type src opts".
func parseMount(line string) (Mount, bool) {
	left, right, ok := strings.Cut(line, " - ")
	l, r := strings.Fields(left), strings.Fields(right)
	if !ok || len(l) < 6 || len(r) < 1 {
		return Mount{}, false
	}
	m := Mount{ID: l[0], Parent: l[1], Dev: l[2], Root: unescape.Replace(l[3]), Point: unescape.Replace(l[4]), FSType: r[0]}
	for _, tag := range l[6:] {
		m.Shared = m.Shared || strings.HasPrefix(tag, "shared:")
		m.Slave = m.Slave || strings.HasPrefix(tag, "master:")
	}
	return m, true
}

// unescape undoes the octal escapes of blanks, tabs, newlines and backslashes.
var unescape = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
