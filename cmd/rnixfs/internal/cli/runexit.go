package cli

import (
	"context"
	"os"

	"github.com/rnixfs/rnixfs/kernel/writeback/spool"
)

// ended hands over the conversation of a run that has ended, unless all there is to
// know was handed over: an agent's hook knows the conversation.
func ended(ctx context.Context, a *app, job spool.Job) error {
	s, err := a.spool(ctx, job.Project)
	if s == nil {
		return err
	}
	last, known := s.TakeNote(job.Session, job.Agent)
	switch {
	case known && last.Event == "SessionEnd" && *job.ExitCode == 0:
		return nil
	case known:
		job.External, job.Transcript = last.External, last.Transcript
	default:
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
