package cli

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/vfs/attest"
	"github.com/rnixfs/rnixfs/kernel/writeback/spool"
)

// outerRun is a run that waits for the end of one below it.
type outerRun struct {
	pid                     int
	session, agent, project string
}

// runEnv tells a run of the one that it lies in.
const runEnv = "RNIX_RUN"

func (o outerRun) String() string {
	return strings.Join([]string{strconv.Itoa(o.pid), o.session, o.agent, o.project}, " ")
}

// outer is the run that this process lies in, the zero one where the environment
// names none that still is among its ancestors: a terminal's server, begun in a
// run, keeps the environment of that run for ever.
func outer(env string) outerRun {
	f := strings.SplitN(env, " ", 4)
	if len(f) < 4 {
		return outerRun{}
	}
	pid, err := strconv.Atoi(f[0])
	if err != nil || pid <= 1 || !isAncestor(pid) || !sameProgram(pid) {
		return outerRun{}
	}
	return outerRun{pid, f[1], f[2], f[3]}
}

func isAncestor(pid int) bool {
	above := attest.New("").Chain(os.Getppid())
	return slices.ContainsFunc(above, func(l attest.Link) bool { return l.PID == pid })
}

func sameProgram(pid int) bool {
	var own, its unix.Stat_t
	return unix.Stat("/proc/self/exe", &own) == nil && unix.Stat("/proc/"+strconv.Itoa(pid)+"/exe", &its) == nil &&
		own.Dev == its.Dev && own.Ino == its.Ino
}

// ended hands over the conversation of a run that has ended, unless somebody else
// did or will: an agent's hook knows the conversation, and a run around this one
// searches for the same ones.
func ended(ctx context.Context, a *app, job spool.Job, root string, around outerRun) error {
	s, err := a.spool(ctx, job.Project)
	if s == nil {
		return err
	}
	nested := around.agent == job.Agent
	last, known := s.TakeNote(job.Session, job.Agent)
	if known && nested {
		up := last
		up.Event = cmp.Or(job.Event, last.Event)
		_ = s.Note(around.session, up) // without it, that run searches
	}
	switch {
	case !known && nested && around.project == root:
		return nil // that run finds all that this one would
	case known && (last.Event == job.Event || last.Event == "SessionEnd" && *job.ExitCode == 0):
		return nil // all there is to know was handed over
	}
	if known {
		job.External, job.Transcript = last.External, last.Transcript
	} else {
		job.Places = places(os.Getenv)
	}
	_, err = s.Submit(ctx, job)
	return err
}

// placeVars are the variables that the readers of histories look at.
var placeVars = []string{
	"HOME", "XDG_DATA_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "OPENCODE_DB", "AIDER_CHAT_HISTORY_FILE",
}

// places is where the agent of this run keeps its histories: whoever searches them
// was started elsewhere.
func places(getenv func(string) string) map[string]string {
	set := map[string]string{}
	for _, name := range placeVars {
		if value := getenv(name); value != "" {
			set[name] = value
		}
	}
	return set
}
