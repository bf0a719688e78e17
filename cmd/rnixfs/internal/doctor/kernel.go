package doctor

import (
	"context"
	"fmt"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/daemon"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
	"github.com/rnixfs/rnixfs/kernel/vfs"
	"github.com/rnixfs/rnixfs/kernel/writeback/spool"
)

// kernel looks at the scanner, the writeback and the stores, as a kernel of this
// process has them. written is the status of the mount that they are written through,
// where there is one.
func (r *report) kernel(ctx context.Context, configFile string, written *vfs.Status) {
	k, err := daemon.New(ctx, daemon.Options{ConfigFile: configFile})
	if err != nil {
		r.fail("kernel", err.Error(), "")
		return
	}
	defer k.Close()
	if err := k.Gate.Loaded(); err != nil {
		r.fail("scanner", err.Error(), "every write is refused until the rules load; mend scanner.rules and scanner.allow in memory.yaml, or reinstall rnixfs")
	} else {
		r.ok("scanner", "rules loaded, self-test passed")
	}
	var jobs *spool.Stats
	if own, err := k.Own(); err == nil {
		jobs = own.Stats()
		list, _ := own.Jobs.List(ctx) // what can't be read, queue says
		r.lastFailure(list)
	}
	r.queue(jobs)
	for _, h := range k.Examine(ctx, store.Reader.Check) {
		for _, p := range h.Problems {
			if p.Code == "read_only" && written != nil && written.Scopes[h.Scope].ReadOnly == "" {
				r.ok("store "+string(h.Scope), h.Folder+", written through the mount")
				continue
			}
			if p.Code == "foreign_journal" && p.Path == "journal.jsonl" && written != nil {
				p.Mend = "do not write without the mount: it has the key of this history, and without it another would be begun"
			}
			r.warn("store "+string(h.Scope), p.Path+": "+p.Reason, p.Mend)
		}
		switch {
		case h.Err != "":
			r.fail("store "+string(h.Scope), h.Folder+": "+h.Err, h.Mend)
		case len(h.Problems) == 0:
			r.ok("store "+string(h.Scope), fmt.Sprintf("%s (entries: %d)", h.Folder, h.Entries))
		}
	}
}

// lastFailure tells why the last conversation was not learned from, or not by the model.
func (r *report) lastFailure(list []spool.Item) {
	why, last := "", ""
	for _, it := range list {
		reason := it.Reason
		if it.Done != nil {
			reason = it.Done.Fallback
		}
		if it.ID > last && (reason != "" || it.Done != nil && it.Done.By == "llm") {
			last, why = it.ID, reason
		}
	}
	if why != "" {
		r.warn("writeback", "the last conversation: "+why, "rnixfs writeback show "+last+" says more; once it is mended, rnixfs writeback retry tries one that waits again at once")
	}
}

// staleQueue is the age in seconds of the oldest job above which nobody seems to
// work.
const staleQueue = 10 * 60

func (r *report) queue(s *spool.Stats) {
	switch {
	case s == nil:
		r.warn("writeback", "the queue can't be read", "give this user the folder spool in $XDG_DATA_HOME/rnix")
	case s.Dead > 0:
		r.warn("writeback", fmt.Sprintf("jobs that failed for good: %d", s.Dead), "rnixfs writeback list shows why, rnixfs writeback retry tries one again")
	case s.Queue > 0 && s.Oldest > staleQueue:
		r.warn("writeback", fmt.Sprintf("jobs that wait: %d, the oldest for %d minutes", s.Queue, int(s.Oldest)/60), "rnixfs mount works on them, or rnixfs writeback run")
	default:
		r.ok("writeback", fmt.Sprintf("jobs that wait: %d, done: %d", s.Queue, s.Done))
	}
}
