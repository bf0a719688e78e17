package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
	"github.com/rnixfs/rnixfs/kernel/vfs"
)

func memoryToolCmd(a *app) *cobra.Command {
	cmd := command("memory-tool", "Run one command of Anthropic's memory tool (memory_20250818)", cobra.NoArgs, func(ctx context.Context, _ []string) error {
		raw, err := stdin(ctx, a)
		if err != nil {
			return err
		}
		var c vfs.ToolCommand
		if err := json.Unmarshal(raw, &c); err != nil {
			return withExit(exitFailure, errors.New("standard input is no command of the memory tool: "+shown(err.Error())))
		}
		text, err := (&vfs.Memories{Do: a.do}).Tool(ctx, memory.Caller{}, c)
		var known *memory.Error
		switch {
		case errors.As(err, &known):
			var r *refusal
			if text = memory.ReasonOf(err); errors.As(err, &r) {
				text = r.Error()
			}
			text = shown(text)
		case err != nil:
			return err
		}
		fmt.Fprintln(a.out, text)
		if err != nil {
			return withExit(exitFailure, nil)
		}
		return nil
	})
	cmd.Long = `It reads the command as JSON from standard input and prints what the tool answers. It
exits with 1 where that is an error. /memories is the project's memory; in it global,
user and session are those scopes. docs/protocol.md has the files.`
	cmd.Example = `  echo '{"command":"view","path":"/memories"}' | rnixfs memory-tool
  echo '{"command":"create","path":"/memories/style.md","file_text":"Tabs."}' | rnixfs memory-tool`
	return cmd
}

// do runs a request on a scope through its device.
func (a *app) do(ctx context.Context, _ memory.Caller, scope memory.Scope, req store.Request) (reply store.Reply, err error) {
	req.Target = string(scope)
	body, err := a.call(ctx, addressOf(scope).device, req)
	if err == nil {
		err = json.Unmarshal(body, &reply)
	}
	return reply, err
}
