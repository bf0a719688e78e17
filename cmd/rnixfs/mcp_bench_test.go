package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// BenchmarkMCP measures the MCP server beside what is there without it, in the same run:
// its start to the first answer beside "rnixfs version", and a call beside the same
// request to a mount.
func BenchmarkMCP(b *testing.B) {
	dir := b.TempDir()
	m := &mount{dir: dir, mnt: filepath.Join(dir, "mnt"), work: filepath.Join(dir, "project")}
	m.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_RUNTIME_DIR=" + dir, "RNIXFS_MOUNTPOINT=" + m.mnt}
	if err := os.MkdirAll(filepath.Join(m.work, ".rnix"), 0o755); err != nil {
		b.Fatal(err)
	}
	b.Chdir(m.work)
	command := func(args ...string) {
		cmd := exec.Command(binary, args...)
		cmd.Env = m.env
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
	}
	compare := func(name, unit string, base, measured func()) {
		b.Run(name, func(b *testing.B) {
			var of, is []time.Duration
			for b.Loop() {
				begun := time.Now()
				base()
				between := time.Now()
				measured()
				of, is = append(of, between.Sub(begun)), append(is, time.Since(between))
			}
			slices.Sort(of)
			slices.Sort(is)
			median := is[len(is)/2]
			b.ReportMetric(0, "ns/op") // of both together
			b.ReportMetric(float64(median.Microseconds())/1000, "ms")
			b.ReportMetric(float64(median)/float64(of[len(of)/2]), unit)
		})
	}
	var started []*client
	compare("start", "x-version", func() { command("version") }, func() {
		started = append(started, m.newClient(b, m.work).introduce())
	})
	for _, c := range started {
		c.end()
	}
	query, fact := []byte(`{"query":"redis port"}`), []byte(`{"action":"add","content":"The tests need Redis on port 6380.","tags":["x"]}`)
	in := m.newClient(b, m.work).introduce()
	in.must("memory_remember", `{"text":"The tests need Redis on port 6380."}`, "added")
	if _, err := os.Stat("/dev/fuse"); err != nil {
		b.Skip("no mounts here")
	}
	command("mount")
	b.Cleanup(func() { command("umount") })
	through := m.newClient(b, m.work).introduce()
	device := func(name string, request []byte) func() {
		return func() {
			if _, code, err := (files{m.mnt}).Do(name, request); err != nil || code != "" {
				b.Fatal(code, err)
			}
		}
	}
	compare("recall", "x-mount", device("recall", query), func() { through.must("memory_recall", string(query), "Redis") })
	compare("remember", "x-mount", device("commit", fact), func() {
		through.must("memory_remember", `{"text":"The tests need Redis on port 6380."}`, "added")
	})
	through.end()
	in.end()
}
