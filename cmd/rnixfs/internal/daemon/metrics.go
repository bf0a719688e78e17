package daemon

import (
	"bytes"
	"cmp"
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/build"
	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/scanner"
	"github.com/rnixfs/rnixfs/kernel/vfs"
	"github.com/rnixfs/rnixfs/kernel/vfs/fuse"
	"github.com/rnixfs/rnixfs/kernel/writeback/spool"
)

// metrics adds to the figures of a caller what the daemon counts: what status tells
// everybody, and to this process's user the rest, of all users together.
func metrics(k *Kernel, caller memory.Caller, s vfs.Status, x *vfs.Exposition) (all bool) {
	c, _ := s.Scanner.Counters.(*scanner.Stats)
	c = cmp.Or(c, &scanner.Stats{})
	jobs, _ := s.Writeback.(*spool.Stats)
	jobs = cmp.Or(jobs, &spool.Stats{})
	if all = int(caller.UID) == os.Getuid(); all {
		ofAll(k, x, s, c)
		jobs = allJobs(k)
	}
	x.Figure("start_time_seconds", "When the daemon started, in seconds since 1970.", float64(k.started.UnixMilli())/1000)
	x.Figure("healthy", "1 where status says ok: nothing needs a person.", bit(s.OK))
	x.Figure("scanner_ready", "1 where texts can be judged.", bit(s.Scanner.State == "ready"))
	x.Figure("scanner_scans_total", "Scans of the texts of a request.", float64(c.Scans))
	x.Figure("scanner_bytes_total", "Bytes that were scanned.", float64(c.Bytes))
	x.Figure("scanner_rejected_total", "Scans that found something to reject.", float64(c.Rejects))
	x.Figure("scanner_redactions_total", "Texts of conversations that were masked where needed.", float64(c.Redactions))
	x.Figure("writeback_queue_jobs", "Conversations that wait to be learned from, or are worked on.", float64(jobs.Queue))
	x.Figure("writeback_oldest_job_seconds", "Age of the oldest of them.", jobs.Oldest)
	x.Figure("writeback_done_jobs", "Jobs that there are records of.", float64(jobs.Done))
	x.Figure("writeback_dead_jobs", "Jobs that failed for good.", float64(jobs.Dead))
	x.Figure("writeback_entries", "Entries that the jobs of those records stored.", float64(jobs.Entries))
	x.Family("scanner_failures_total", "counter", "Scans that could not judge their text, by reason.")
	for _, reason := range slices.Sorted(maps.Keys(c.Failures)) {
		x.Add(float64(c.Failures[reason]), "reason", string(reason))
	}
	x.Family("scanner_findings_total", "counter", "Findings by rule, its category, and what the policy did.")
	byRule := func(a, b scanner.Verdict) int {
		return cmp.Or(cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Action, b.Action))
	}
	for _, v := range slices.SortedFunc(maps.Keys(c.Verdicts), byRule) {
		x.Add(float64(c.Verdicts[v]), "rule", v.Rule, "category", v.Category, "verdict", string(v.Action))
	}
	x.Family("writeback_dropped_candidates", "gauge", "Candidates that those jobs did not store, by reason.")
	for _, reason := range slices.Sorted(maps.Keys(jobs.Dropped)) {
		x.Add(float64(jobs.Dropped[reason]), "reason", reason)
	}
	return all
}

func bit(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// allJobs counts the jobs of all users.
func allJobs(k *Kernel) *spool.Stats {
	k.users.mu.Lock()
	all := slices.Collect(maps.Values(k.users.by))
	k.users.mu.Unlock()
	sum := &spool.Stats{Dropped: map[string]int{}}
	for _, u := range all {
		s := cmp.Or(u.Stats(), &spool.Stats{})
		sum.Queue, sum.Done, sum.Dead, sum.Entries = sum.Queue+s.Queue, sum.Done+s.Done, sum.Dead+s.Dead, sum.Entries+s.Entries
		sum.Oldest = max(sum.Oldest, s.Oldest)
		for reason, n := range s.Dropped {
			sum.Dropped[reason] += n
		}
	}
	return sum
}

// ofAll adds what is for the user who mounted.
func ofAll(k *Kernel, x *vfs.Exposition, s vfs.Status, c *scanner.Stats) {
	version, _ := build.Version()
	x.Family("build_info", "gauge", "Always 1; what is running.")
	x.Add(1, "version", version, "goversion", runtime.Version())
	x.Family("scanner_duration_seconds", "summary", "How long the scans took.")
	x.Sum(c.Seconds, c.Scans)
	var l fuse.Load
	if m := k.mounted.Load(); m != nil {
		l = m.server.Load()
	}
	behind, lag := k.indexes.Lag()
	statm, _ := os.ReadFile("/proc/self/statm") // size and resident set, in pages: proc_pid_statm(5)
	resident, _ := strconv.Atoi(string(slices.Concat(bytes.Fields(statm), [][]byte{nil, nil})[1]))
	fds, _ := os.ReadDir("/proc/self/fd")
	x.Figure("config_refused", "1 where a newer configuration is not in force.", bit(s.Config.Refused != ""))
	x.Figure("index_behind_conversations", "Conversations that have more than their index, of those asked for.", float64(behind))
	x.Figure("index_lag_seconds", "How long the index that is furthest behind has been so.", lag.Seconds())
	x.Figure("open_handles", "Open files of the mount.", float64(l.Handles))
	x.Figure("running_requests", "Requests that run.", float64(l.Running))
	x.Figure("pending_bytes", "Bytes of requests that are unfinished or run.", float64(l.PendingBytes))
	x.Figure("kept_replies", "Replies that are kept for readers.", float64(l.Replies))
	x.Figure("kept_replies_bytes", "Bytes that those take.", float64(l.ReplyBytes))
	x.Figure("process_resident_memory_bytes", "Memory that the daemon takes.", float64(resident*os.Getpagesize()))
	x.Figure("process_open_fds", "File descriptors that the daemon has open.", float64(len(fds)))
}
