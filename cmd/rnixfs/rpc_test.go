package main_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/vfs/rpc/rpctest"
)

// calls is a client of gRPC.
type calls struct{ *rpctest.Client }

// newCalls connects to the socket of a mount, whose memory.yaml has it.
func newCalls(t *testing.T, m *mount) calls {
	t.Helper()
	c, err := rpctest.Dial(m.socket())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return calls{c}
}

// configure writes the user's memory.yaml.
func (m *mount) configure(yaml string) {
	m.t.Helper()
	dir := filepath.Join(m.dir, "home/.config/rnix")
	if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "memory.yaml"), []byte(yaml), 0o600)); err != nil {
		m.t.Fatal(err)
	}
}

func (m *mount) socket() string { return filepath.Join(m.dir, "run/rnix/rpc.sock") }

// Do calls rnixfs.v1.Devices.
func (c calls) Do(device string, request []byte) ([]byte, string, error) {
	message, err := json.Marshal(map[string]string{"device": device, "request": string(request)})
	if err != nil {
		return nil, "", err
	}
	body, err := c.Call(context.Background(), "rnixfs.v1.Devices/Exec", string(message))
	var failed *rpctest.Failed
	if errors.As(err, &failed) {
		if statusOf[failed.Code] != failed.Status {
			return nil, "", failed
		}
		return []byte(failed.Reply), failed.Code, nil
	}
	var reply struct{ Reply string }
	if err == nil {
		err = json.Unmarshal([]byte(body), &reply)
	}
	return []byte(reply.Reply), "", err
}

// statusOf are the codes of gRPC by ours, as docs/rpc.md has them.
var statusOf = map[string]string{
	"invalid": "InvalidArgument", "too_big": "ResourceExhausted", "rejected": "PermissionDenied", "over_limit": "ResourceExhausted",
	"not_found": "NotFound", "exists": "AlreadyExists", "conflict": "Aborted", "read_only": "FailedPrecondition", "denied": "PermissionDenied",
	"timeout": "DeadlineExceeded", "unavailable": "Unavailable", "removed": "PermissionDenied", "internal": "Internal",
}

// TestCallers: each who calls is known by the system's word, as to the user and to the
// project; without allow_other nobody but the daemon's own user is let in.
func TestCallers(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil || os.Getuid() != 0 {
		t.Skip("needs curl, and root to be three users")
	}
	for _, shared := range []bool{true, false} {
		m := newFolders(t, "")
		m.configure("rpc: {socket: rpc.sock}")
		if shared {
			m.args = []string{"--allow-other"}
		}
		needFuse(t)
		m.mount()
		t.Cleanup(func() { unmount(m.mnt) })
		m.must("chmod 755 " + filepath.Dir(m.dir))
		if !shared { // what keeps them out is not the mode alone
			m.must("chmod 666 " + m.socket())
		}
		const add = `curl -sS --unix-socket $XDG_RUNTIME_DIR/rnix/rpc.sock -H 'Content-Type: application/json' -d '{"device":"commit","request":"{\"action\":\"add\",\"content\":\"text of '$(id -u)'\"}"}' http://x/rnixfs.v1.Devices/Exec`
		for uid, name := range map[int]string{ada: "ada", bob: "bob"} {
			m.must(fmt.Sprintf("mkdir -p %[1]s/one/.git %[1]s/two/.git; chown -R %d %[1]s", filepath.Join(m.dir, name), uid))
			for _, project := range []string{"one", "two"} {
				out, rc := m.as(uid, name+"/"+project, add)
				if (rc == 0) != shared {
					t.Fatalf("%d: %s", rc, out)
				}
				stored, _ := m.as(uid, name+"/"+project, `cat .rnix/memory/*.md; stat -c %u .rnix/memory/*.md`)
				if got := strings.Contains(stored, fmt.Sprintf("text of %d\n%d\n", uid, uid)); got != shared {
					t.Errorf("%s in %s: %s", name, project, stored)
				}
			}
		}
	}
}
