package cli

import (
	"context"
	"errors"
	"log/slog"
	"sync"

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
		a.kept = &kept{opts: daemon.Options{ConfigFile: a.config, Watch: true, Logger: log, Level: &level, MaxLevel: most}}
		err = mcp.Serve(ctx, a.in, a.out, mcp.Options{
			Call: a.answer, Mask: shown, Tools: loaded.Config.OfferedTools(), Version: number, Logger: log,
		})
		if ctx.Err() != nil {
			err = cut(ctx)
		}
		return errors.Join(err, a.kept.drop())
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

// kept is a kernel in this process that is opened when it is first needed, and stays.
type kept struct {
	opts daemon.Options
	mu   sync.RWMutex // read by those who use k
	k    *daemon.Kernel
}

func (s *kept) use(ctx context.Context, a *app, fn func(*daemon.Kernel) error) error {
	for {
		if used, err := s.try(fn); used {
			return err
		}
		if err := s.open(ctx, a); err != nil {
			return err
		}
	}
}

// try calls fn, if the kernel is open.
func (s *kept) try(fn func(*daemon.Kernel) error) (used bool, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.k == nil {
		return false, nil
	}
	return true, fn(s.k)
}

func (s *kept) open(ctx context.Context, a *app) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.k != nil {
		return nil
	}
	if s.k, err = daemon.New(ctx, s.opts); err != nil {
		return withExit(exitConfig, err)
	}
	a.warn(s.k.Config())
	return nil
}

// drop closes the kernel unless it is in use: something is mounted, which is asked now,
// or the server ends.
func (s *kept) drop() (err error) {
	if s == nil || !s.mu.TryLock() {
		return nil
	}
	defer s.mu.Unlock()
	if s.k != nil {
		err, s.k = s.k.Close(), nil
	}
	return err
}
