package attest

import (
	"strings"
)

// cgroupOf returns the cgroup path of a process, by the id of its cgroup when
// that is known: ids are never reused, so the path is read once for each.
func (a *Attester) cgroupOf(pid int, id uint64) string {
	if path, ok := a.cgroups[id]; ok && id != 0 {
		return path
	}
	var room [4096]byte
	raw, ok := readProc(pid, "cgroup", room[:])
	if !ok {
		return ""
	}
	path, unified := parseCgroup(string(raw))
	if unified && id != 0 {
		a.cgroups[id] = path
	}
	return path
}

// parseCgroup picks the path that tells containers apart out of /proc/PID/cgroup
// (cgroups(7)): that of the unified hierarchy, or on hosts which still use the
// first version the longest of any controller. unified reports which it was.
func parseCgroup(raw string) (path string, unified bool) {
	longest := ""
	for line := range strings.Lines(raw) {
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(parts) != 3 {
			continue
		}
		if parts[0] == "0" && parts[1] == "" {
			path = parts[2]
		}
		if len(parts[2]) > len(longest) {
			longest = parts[2]
		}
	}
	if path == "" || path == "/" && len(longest) > 1 {
		return longest, false
	}
	return path, true
}
