package fuse

import (
	"os"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"
)

// cycle is one use of a device.
func commitOnce(tb testing.TB, path string, request []byte) {
	fd, err := syscall.Open(path, syscall.O_WRONLY, 0)
	if err != nil {
		tb.Fatal(err)
	}
	if n, err := syscall.Write(fd, request); n != len(request) || err != nil {
		tb.Fatal(n, err)
	}
	if err := syscall.Close(fd); err != nil {
		tb.Fatal(err)
	}
}

func statusOnce(tb testing.TB, path string, buf []byte) {
	fd, err := syscall.Open(path, syscall.O_RDONLY, 0)
	if err != nil {
		tb.Fatal(err)
	}
	if n, err := syscall.Read(fd, buf); n == 0 || err != nil {
		tb.Fatal(n, err)
	}
	if err := syscall.Close(fd); err != nil {
		tb.Fatal(err)
	}
}

// TestCostAgainstNothing prints what a commit cycle (open, write, close) and a
// status read (open, read, close) cost beside the same on a do-nothing go-fuse
// file, from rounds that take turns. RNIXFS_COST=1 runs it.
func TestCostAgainstNothing(t *testing.T) {
	if os.Getenv("RNIXFS_COST") == "" {
		t.Skip("a measurement: set RNIXFS_COST=1")
	}
	runtime.LockOSThread() // a client is one thread, as a shell is
	defer runtime.UnlockOSThread()
	rounds, each := 20, 500
	mounts := []struct {
		name string
		m    *mountT
	}{
		{"go-fuse file, default options", mount(t, serving{Baseline: "plain"})},
		{"go-fuse file, names cached", mount(t, serving{Baseline: "cached"})},
		{"device", mount(t, serving{})},
	}
	request := []byte(`{"nop":"a fact of about eighty characters, which is what people write down most"}` + "\n")
	buf := make([]byte, 64<<10)
	samples := map[string]*[2][]time.Duration{}
	for range rounds {
		for _, x := range mounts {
			s := samples[x.name]
			if s == nil {
				s = &[2][]time.Duration{}
				samples[x.name] = s
			}
			for range each {
				at := time.Now()
				commitOnce(t, x.m.dir+"/commit", request)
				s[0] = append(s[0], time.Since(at))
				at = time.Now()
				statusOnce(t, x.m.dir+"/status", buf)
				s[1] = append(s[1], time.Since(at))
			}
		}
	}
	for _, at := range []int{10, 2} {
		report(t, samples, at)
	}
}

// report prints the tenth percentile (at 10), which other load disturbs least, or
// the median (at 2).
func report(t *testing.T, samples map[string]*[2][]time.Duration, at int) {
	quantile := map[string][2]time.Duration{}
	for name, s := range samples {
		for i := range s {
			slices.Sort(s[i])
		}
		quantile[name] = [2]time.Duration{s[0][len(s[0])/at], s[1][len(s[1])/at]}
	}
	dev := quantile["device"]
	for name, p := range quantile {
		t.Logf("p%d %-30s commit cycle %8v (device is %.2fx)   status read %8v (device is %.2fx)", 100/at, name,
			p[0], float64(dev[0])/float64(p[0]), p[1], float64(dev[1])/float64(p[1]))
	}
}
