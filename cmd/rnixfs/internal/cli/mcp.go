package cli

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/build"
	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/daemon"
	"github.com/rnixfs/rnixfs/kernel/vfs/mcp"
)

func mcpCmd(a *app) *cobra.Command {
	var debug bool
	cmd := command("mcp", "Serve memory to an agent over MCP, on standard input and output", cobra.NoArgs, func(ctx context.Context, _ []string) error {
		loaded, err := a.settings(ctx, "")
		if err != nil {
			return withExit(exitConfig, err)
		}
		a.warn(loaded)
		most := slog.LevelError
		if debug {
			most = slog.LevelDebug
		}
		number, _ := build.Version()
		var level slog.LevelVar
		level.Set(min(loaded.Config.Log.Level.Slog(), most))
		log := a.logger(&level)
		var own atomic.Pointer[daemon.Kernel]
		a.kept = sync.OnceValues(func() (*daemon.Kernel, error) {
			k, err := daemon.New(ctx, daemon.Options{ConfigFile: a.config, Absent: absent(), Watch: true, Logger: log, Level: &level, MaxLevel: most})
			own.Store(k)
			return k, err
		})
		err = mcp.Serve(ctx, a.in, a.out, mcp.Options{
			Call: a.answer, Mask: shown, Tools: loaded.Config.OfferedTools(), Version: number, Logger: log,
		})
		if ctx.Err() != nil {
			err = cut(ctx)
		}
		if k := own.Load(); k != nil {
			err = errors.Join(err, k.Close())
		}
		return err
	})
	cmd.Long = `It offers two tools, memory_recall and memory_remember, and the resource
memory://context. The agent starts it; nothing needs to be mounted, and where something
is, it asks that. Standard output is the protocol's; what it logs goes to standard error.
docs/agents.md has what each agent calls it by.`
	cmd.Example = `  claude mcp add rnixfs -- rnixfs mcp
  codex mcp add rnixfs -- rnixfs mcp`
	cmd.Flags().BoolVarP(&debug, "debug", "d", false, "log more")
	return cmd
}

// answer is call for those to whom a refusal is an answer.
func (a *app) answer(ctx context.Context, device string, request []byte) ([]byte, error) {
	body, err := a.call(ctx, device, request)
	if r, ok := errors.AsType[*refusal](err); ok {
		return r.reply, nil
	}
	return body, err
}
