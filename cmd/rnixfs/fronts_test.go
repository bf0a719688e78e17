package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/vfs"
	"github.com/rnixfs/rnixfs/kernel/vfs/vfstest"
)

// fronts are the front ends that run the suite. open is given the folders of a user.
var fronts = []struct {
	name    string
	mounted bool
	open    func(t *testing.T, m *mount) vfstest.Front
}{
	{"mount", true, func(_ *testing.T, m *mount) vfstest.Front { return files{m.mnt} }},
	{"CLI with a mount", true, func(_ *testing.T, m *mount) vfstest.Front { return commands{m} }},
	{"gRPC", true, func(t *testing.T, m *mount) vfstest.Front { return newCalls(t, m) }},
	{"CLI without a mount", false, func(_ *testing.T, m *mount) vfstest.Front { return commands{m} }},
	{"MCP", false, func(t *testing.T, m *mount) vfstest.Front { return tools{newTools(t, m)} }},
}

// TestFronts: whatever carries a request, the devices answer the same.
func TestFronts(t *testing.T) {
	for _, f := range fronts {
		t.Run(f.name, func(t *testing.T) {
			m := newFolders(t, "")
			if f.mounted {
				needFuse(t)
				m.configure("rpc: {socket: rpc.sock}")
				m.mount()
				t.Cleanup(func() { unmount(m.mnt) })
			}
			vfstest.Run(t, m.dir, f.mounted, func(t *testing.T) vfstest.Front { return f.open(t, m) })
		})
	}
}

// codeOf is the code in a reply, and the kind that has it.
func codeOf(reply []byte) (string, memory.Kind) {
	var r struct{ Code string }
	_ = json.Unmarshal(reply, &r)
	for _, k := range memory.Kinds() {
		if k.Code() == r.Code {
			return r.Code, k
		}
	}
	return r.Code, memory.KindInternal
}

// files are the devices of a mount: a write on a descriptor, and a read of it.
type files struct{ mnt string }

func (f files) Do(device string, request []byte) ([]byte, string, error) {
	file, err := os.OpenFile(filepath.Join(f.mnt, device), os.O_RDWR, 0)
	if errors.Is(err, vfs.Errno(memory.KindReadOnly)) {
		return []byte(`{"ok":false,"code":"read_only"}`), "read_only", nil // there is no file to read a reply from
	}
	if err != nil {
		return nil, "", err
	}
	defer file.Close()
	_, werr := file.Write(request)
	reply, err := io.ReadAll(io.NewSectionReader(file, 0, 1<<40))
	code, kind := codeOf(reply)
	var errno syscall.Errno
	if errors.As(werr, &errno) && errno != vfs.Errno(kind) || (werr == nil) != (code == "") {
		err = errors.Join(err, fmt.Errorf("the errno is %v, and the reply %s", werr, reply))
	}
	return reply, code, err
}

// commands are those of the command line.
type commands struct{ *mount }

// flags are the fields of requests that have a flag, by device.
var flags = map[string]map[string]string{
	"recall":  {"query": "", "max_results": "max", "scope": "scope", "tags": "tag", "summarize": "summarize"},
	"context": {"task": "task", "max_tokens": "max-tokens", "scopes": "scope"},
}

func (c commands) Do(device string, request []byte) ([]byte, string, error) {
	cmd := exec.Command(binary, device, "--json")
	if device == "commit" || device == "profile" {
		cmd.Stdin = bytes.NewReader(request)
	} else {
		args, err := arguments(flags[device], request)
		if err != nil {
			return nil, "", err
		}
		cmd.Args = append(cmd.Args, args...)
	}
	var out, problems bytes.Buffer
	cmd.Env, cmd.Stdout, cmd.Stderr = c.env, &out, &problems
	err := cmd.Run()
	exit, code := cmd.ProcessState.ExitCode(), ""
	for _, k := range memory.Kinds() {
		if exit == 10+int(k) {
			code = k.Code()
		}
	}
	if said, _ := codeOf(out.Bytes()); code == "" && exit != 0 || out.Len() > 0 && said != code {
		return nil, "", fmt.Errorf("exit %d, %w: %s%s", exit, err, out.Bytes(), problems.Bytes())
	}
	if out.Len() == 0 { // it never became a request
		out = problems
	}
	return out.Bytes(), code, nil
}

// arguments are a request as flags, and as the words of its query.
func arguments(names map[string]string, request []byte) (args []string, err error) {
	var fields map[string]any
	d := json.NewDecoder(bytes.NewReader(request))
	d.UseNumber()
	if d.Decode(&fields) != nil || names == nil {
		return nil, vfstest.ErrNotCarried
	}
	words := []string{}
	for field, value := range fields {
		name, ok := names[field]
		if !ok {
			return nil, vfstest.ErrNotCarried
		}
		text := fmt.Sprint(value)
		if list, is := value.([]any); is {
			text = strings.Trim(fmt.Sprint(list), "[]")
		}
		if name == "" {
			words = append(words, "--", text)
			continue
		}
		args = append(args, "--"+name+"="+text)
	}
	return append(args, words...), nil
}
