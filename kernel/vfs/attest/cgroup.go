package attest

import "strings"

// cgroupOf returns the cgroup path of a process.
func cgroupOf(pid int) string {
	var room [4096]byte
	raw, ok := readProc(pid, "cgroup", room[:])
	if !ok {
		return ""
	}
	return parseCgroup(string(raw))
}

// parseCgroup picks the path that tells containers apart out of /proc/PID/cgroup
// (cgroups(7)): that of the unified hierarchy, or on hosts which still use the
// first version the longest of any controller.
func parseCgroup(raw string) string {
	path, longest := "", ""
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
		return longest
	}
	return path
}
