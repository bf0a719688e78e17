package main_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkHookStop is what an agent waits for at the end of each turn: this
// program from its start to its end, with an empty environment, a job made
// durable. It reports the 50th and the 99th percentile.
//
//	go test -run '^$' -bench HookStop -benchtime 200x ./cmd/rnixfs
func BenchmarkHookStop(b *testing.B) {
	dir := b.TempDir()
	payload := fmt.Sprintf(`{"session_id":"s","transcript_path":"%s/t.jsonl","cwd":%q,"hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":%q}`,
		dir, dir, strings.Repeat("text ", 2000))
	var took []time.Duration
	for b.Loop() {
		cmd := exec.Command(binary, "hook", "claude")
		cmd.Env = []string{"XDG_DATA_HOME=" + filepath.Join(dir, "data"), "XDG_STATE_HOME=" + filepath.Join(dir, "state")}
		cmd.Stdin = strings.NewReader(payload)
		start := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			b.Fatalf("%v: %s", err, out)
		}
		took = append(took, time.Since(start))
	}
	jobs, err := filepath.Glob(filepath.Join(dir, "data", "rnix", "spool", "new", "*.json"))
	if err != nil || len(jobs) != len(took) {
		b.Fatalf("%d jobs of %d (%v)", len(jobs), len(took), err)
	}
	slices.Sort(took)
	at := func(p int) float64 { return float64(took[min(len(took)*p/100, len(took)-1)].Microseconds()) / 1000 }
	b.ReportMetric(at(50), "p50-ms")
	b.ReportMetric(at(99), "p99-ms")
}
