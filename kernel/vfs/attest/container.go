package attest

import (
	"os"
	"regexp"
	"strings"
)

const mountSpace = "ns/mnt"

// away reports whether a process is in another mount namespace than this one, where a path
// is the name of something else. One of which that can't be seen counts as away.
func (a *Attester) away(pid int) bool { return readLink(pid, mountSpace) != a.mounts }

// Away is the same, for who has no Attester.
func Away(pid int) bool { return readLink(pid, mountSpace) != readLink(os.Getpid(), mountSpace) }

// containerOf is the id of the container that a process is in, by its control groups
// (proc_pid_cgroup(5)), or "". Of a container in a container it is both, joined by a dot: a
// container can name control groups inside its own as it likes.
func (a *Attester) containerOf(pid int) string {
	var room [8 << 10]byte
	raw, _ := readProc(pid, "cgroup", room[:])
	return containerIn(string(raw), a.groups)
}

// containerIn is containerOf, of the control groups of a process and of this one.
func containerIn(groups, own string) string {
	for line := range strings.Lines(groups) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3) // the last part may have colons
		if len(f) < 3 {
			continue
		}
		var ids []string
		for part := range strings.SplitSeq(f[2], "/") {
			if id := containerID(part); id != "" {
				ids = append(ids, id)
			}
		}
		// runc puts its containers at the top, where it is not told otherwise.
		if top := strings.TrimPrefix(f[2], "/"); len(ids) == 0 && freeName.MatchString(top) && !strings.Contains(own, line) {
			ids = []string{top}
		}
		if len(ids) > 0 {
			return strings.Join(ids, ".")
		}
	}
	return ""
}

// freeName is an id that a person chose: one without a dot, which joins ids.
var freeName = regexp.MustCompile(`^[\w+][\w+-]{0,63}$`)

// containerID is the id of a container in the name of its control group: 64 hexadecimal
// digits, of engines in many forms (docker-ID.scope, cri-containerd-ID.scope,
// libpod-payload-ID), or the free name behind a runtime's prefix.
func containerID(group string) string {
	name := strings.TrimSuffix(group, ".scope")
	id := name[strings.LastIndexByte(name, '-')+1:]
	if len(id) == 64 && strings.Trim(id, "0123456789abcdef") == "" {
		return id
	}
	for _, runtime := range []string{"runc-", "crun-"} {
		if id, ok := strings.CutPrefix(name, runtime); ok && name != group && freeName.MatchString(id) {
			return id
		}
	}
	return ""
}
