package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/daemon"
	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/paths"
	"github.com/rnixfs/rnixfs/kernel/agents"
	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/vfs"
	"github.com/rnixfs/rnixfs/kernel/writeback/llm"
	"github.com/rnixfs/rnixfs/kernel/writeback/spool"
)

const (
	// showTime bounds how long a session or a prompt waits for memory.
	showTime = 5 * time.Second
	// payloadTime bounds the wait for the event on standard input, and for each more of it.
	payloadTime = time.Second
	// maxQueryRunes bounds the part of a prompt that is searched for.
	maxQueryRunes = 1000
)

func hookCmd(a *app) *cobra.Command {
	h := hook{}
	cmd := &cobra.Command{
		Use:   "hook AGENT [EVENT]",
		Short: "Answer an agent's hook (agents call this)",
		Long: `Answer one event of an agent's hooks: claude, codex, gemini or antigravity. The event
comes as JSON on standard input; the answer goes to standard output in the form that
the agent wants. "rnixfs install AGENT" enters this command into the agent's settings.

When a session starts, it is shown what is remembered. When a turn or a session
ends, the path of its transcript is handed to the writeback.

It never stands in the agent's way: the exit status is 0 whatever happens, and
what went wrong is in the log. With RNIX_HOOKS=off in the environment it does
nothing.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			answerHook(context.WithoutCancel(c.Context()), a, h, args)
			return nil
		},
	}
	cmd.Flags().BoolVar(&h.recall, "recall", false, "search memory on every prompt")
	// Exit status 2 tells Claude Code and Gemini CLI to block what the agent does.
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return withExit(exitOK, err) })
	return cmd
}

// hook is the answering of one event. Its functions are what it needs of the rest.
type hook struct {
	recall bool
	home   string
	getenv func(string) string
	now    func() time.Time

	handOver func(ctx context.Context, job spool.Job) error
	context  func(ctx context.Context, dir string) (string, error)
	search   func(ctx context.Context, dir, query, own string) (string, error)
}

// answerHook runs h on this process's streams.
func answerHook(ctx context.Context, a *app, h hook, args []string) {
	// An agent that ends does not wait (Gemini CLI, SessionEnd), and its terminal
	// may be closing.
	signal.Ignore(syscall.SIGHUP, syscall.SIGPIPE)
	home, _ := paths.Home()
	h.home, h.getenv, h.now = home, os.Getenv, time.Now
	h.handOver, h.context, h.search = a.handOver, a.context, a.search
	out, event, err := h.answer(ctx, args, patient{a.in, payloadTime})
	if err != nil {
		logHook(args, event, err)
	}
	_, _ = a.out.Write(out) // nobody reads any more: nobody is to be told
}

// answer returns what to print for the event on in, also beside an error.
func (h hook) answer(ctx context.Context, args []string, in io.Reader) (out []byte, event string, err error) {
	var agent *agents.Agent
	defer func() {
		// A panic would end the process with status 2: see hookCmd.
		if v := recover(); v != nil {
			err = memory.Errorf(memory.KindInternal, "hook", "panic: %T", v)
		}
		if out == nil && agent != nil {
			out = agent.Output(event, "")
		}
	}()
	if len(args) > 0 {
		agent = agents.ByName(args[0])
	}
	if agent == nil {
		return nil, "", memory.Errorf(memory.KindInvalid, "hook", "unknown agent; it is one of %s", strings.Join(agents.Names(true), ", "))
	}
	p, err := agents.Read(in, h.home)
	event = p.Event
	if len(args) > 1 {
		event = args[1]
	}
	if p.Cut {
		_, _ = io.Copy(io.Discard, in) // else the agent's write fails
	}
	if err != nil {
		return nil, event, err
	}
	if h.getenv("RNIX_HOOKS") == "off" || h.getenv(llm.Own) != "" { // else what a model is asked would be learned from
		return nil, event, nil
	}
	text, err := h.do(ctx, agent, event, p)
	return agent.Output(event, text), event, err
}

// do does what the event asks for and returns what the model is to be shown.
func (h hook) do(ctx context.Context, agent *agents.Agent, event string, p agents.Payload) (string, error) {
	dir := p.Cwd
	if dir == "" {
		dir, _ = os.Getwd() // agents start their hooks where they work
	}
	switch agent.Kind(event) {
	case agents.KindHandOver:
		if p.Transcript == "" && p.Session == "" {
			return "", memory.Errorf(memory.KindInvalid, "hook", "the event names no conversation")
		}
		// stop_hook_active says that another hook made the agent go on. What it did
		// since is handed over as well; as nothing is printed, nothing can go round.
		if at := h.getenv(agent.ProjectEnv); agent.ProjectEnv != "" && filepath.IsAbs(at) {
			dir = at // where the session began, wherever the agent has gone since
		}
		return "", h.handOver(ctx, spool.Job{
			Agent: agent.Name, External: p.Session, Subagent: p.Subagent, Session: h.getenv("RNIX_SESSION"),
			Transcript: p.Transcript, Project: dir, Event: event, Reason: p.Reason, End: h.now().UTC(), UID: uint32(os.Getuid()),
		})
	case agents.KindStart:
		ctx, cancel := context.WithTimeout(ctx, showTime)
		defer cancel()
		text, err := h.context(ctx, dir)
		if agent.Confined { // the mount may be hidden there, or read-only
			text = vfs.ByCommand(text, daemon.Program())
		} else if to, _ := os.Readlink(paths.Device); agent.Sandboxed() && to == paths.Shared { // its sandbox has a /dev without the link
			text = vfs.At(text, paths.Device, paths.Shared)
		}
		return text, err
	case agents.KindPrompt:
		if !h.recall || strings.TrimSpace(p.Prompt) == "" {
			return "", nil
		}
		ctx, cancel := context.WithTimeout(ctx, showTime)
		defer cancel()
		return h.search(ctx, dir, p.Prompt, process.ID(uint32(os.Getuid()), agent.Name, p.Session))
	}
	return "", memory.Errorf(memory.KindInvalid, "hook", "unknown event of %s", agent.Name)
}

// context is the memory that a session in dir is shown.
func (a *app) context(ctx context.Context, dir string) (string, error) {
	if err := enterDir(ctx, a, dir); err != nil {
		return "", err
	}
	return a.block(ctx)
}

// search is what memory has for a prompt, but for the conversation own, which the prompt
// is of.
func (a *app) search(ctx context.Context, dir, prompt, own string) (string, error) {
	if err := enterDir(ctx, a, dir); err != nil {
		return "", err
	}
	reply, err := a.call(ctx, "recall", request{"query": memory.Cut(prompt, maxQueryRunes), "max_results": vfs.FoundResults, "explain": true})
	if err != nil {
		return "", err
	}
	return vfs.Found(reply, prompt, own, time.Now())
}

// enterDir makes a directory the working directory, by which the devices know the
// project, and warns of what is wrong with the configuration there.
func enterDir(ctx context.Context, a *app, dir string) error {
	if err := os.Chdir(dir); err != nil {
		return memory.Errorf(memory.KindNotFound, "hook", "the working directory of the event is not there")
	}
	if loaded, err := a.settings(ctx, ""); err == nil {
		a.warn(loaded)
	}
	return nil
}

// patient waits for standard input for so long at most: an agent that opens it and
// writes nothing must not hold a process for ever.
type patient struct {
	r    io.Reader
	most time.Duration
}

func (p patient) Read(b []byte) (int, error) {
	f, ok := p.r.(*os.File)
	if !ok {
		return p.r.Read(b)
	}
	if isTerminal(f) {
		return 0, io.EOF // a person tries it out
	}
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(f.Fd()), Events: unix.POLLIN}}, int(p.most.Milliseconds()))
		switch {
		case err == unix.EINTR:
		case err == nil && n == 0:
			return 0, memory.Errorf(memory.KindTimeout, "read event", "nothing came on standard input")
		default:
			return f.Read(b)
		}
	}
}

// logHook writes to the log of the state folder, where a mount in the background
// logs as well. What can't be logged is not said at all.
func logHook(args []string, event string, err error) {
	p, perr := paths.Find()
	if perr != nil || os.MkdirAll(p.State, 0o700) != nil {
		return
	}
	f, ferr := os.OpenFile(p.Log(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if ferr != nil {
		return
	}
	defer f.Close()
	agent := ""
	if len(args) > 0 {
		agent = args[0]
	}
	slog.New(slog.NewJSONHandler(f, nil)).Warn("hook failed", "agent", clip(shown(agent)), "event", clip(shown(event)), "err", shown(memory.ReasonOf(err)), "kind", memory.KindOf(err).Code())
}

// clip keeps what somebody else named short.
func clip(s string) string {
	return fmt.Sprintf("%.40s", s)
}
