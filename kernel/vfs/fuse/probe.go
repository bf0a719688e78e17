package fuse

import (
	"context"
	"crypto/rand"
	"os/exec"
	"path/filepath"
	"sync"
)

// probe finds out whether the pid in a request's header is a pid here. It is 0
// for callers outside of the pid namespace of the process that called mount(2), and
// another process's number when this server lives in another namespace.
//
// A child looks up a name that only it knows, and the server compares the pid of
// that LOOKUP with the child's. The server itself must not touch its mount.
type probe struct {
	mu   sync.Mutex
	name string // the secret name; "" when none is expected
	pid  uint32
	seen bool
}

// looked notes a LOOKUP of a name with a dot in front.
func (p *probe) looked(name string, pid uint32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.name != "" && name == p.name {
		p.pid, p.seen = pid, true
	}
}

// lookers are commands that look up a path, to be found in PATH.
var lookers = [][]string{{"stat"}, {"test", "-e"}, {"ls", "-d"}, {"cat"}}

// run has a child look up the name in each of the mountpoints, of which one may be
// this server's. ok is false when no LOOKUP was seen.
func (p *probe) run(ctx context.Context, command, mountpoints []string) (same, ok bool) {
	if command = looker(command); command == nil {
		return false, false
	}
	name := ".rnix-pid-" + rand.Text()
	p.mu.Lock()
	p.name = name
	p.mu.Unlock()
	for _, m := range mountpoints {
		cmd := exec.CommandContext(ctx, command[0], append(command[1:len(command):len(command)], filepath.Join(m, name))...)
		if cmd.Start() != nil {
			continue
		}
		pid := uint32(cmd.Process.Pid)
		_ = cmd.Wait() // it fails: there is no such name
		p.mu.Lock()
		seen, got := p.seen, p.pid
		p.mu.Unlock()
		if seen {
			return got == pid, true
		}
	}
	return false, false
}

func looker(command []string) []string {
	if len(command) > 0 {
		return command
	}
	for _, c := range lookers {
		if path, err := exec.LookPath(c[0]); err == nil {
			return append([]string{path}, c[1:]...)
		}
	}
	return nil
}
