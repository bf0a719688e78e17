package attest

import (
	"os"
	"testing"
)

func BenchmarkChain(b *testing.B) {
	a := New("")
	for b.Loop() {
		a.Chain(os.Getpid())
	}
}

func BenchmarkChainProcfs(b *testing.B) {
	a := New("")
	a.pidfs = false
	for b.Loop() {
		a.Chain(os.Getpid())
	}
}

func BenchmarkCaller(b *testing.B) {
	a := New("")
	for b.Loop() {
		a.Caller(0, os.Getpid())
	}
}

// BenchmarkBound attests callers in one directory: here, and bound elsewhere in a mount
// namespace of its own.
func BenchmarkBound(b *testing.B) {
	dir := b.TempDir()
	if err := os.Mkdir(dir+"/.git", 0o755); err != nil {
		b.Fatal(err)
	}
	for name, script := range map[string]string{
		"here": "cd " + dir, "bound": "mount -t tmpfs none /mnt; mkdir /mnt/w; mount --bind " + dir + " /mnt/w; cd /mnt/w",
	} {
		b.Run(name, func(b *testing.B) {
			pid, a := away(b, 0, script), New("")
			for b.Loop() {
				if c := a.Caller(0, pid); c.Project != dir {
					b.Fatalf("%+v", c)
				}
			}
		})
	}
}

func BenchmarkAlive(b *testing.B) {
	a := New("")
	l := a.Chain(os.Getpid())[0]
	for b.Loop() {
		if !a.Alive(l) {
			b.Fatal("dead")
		}
	}
}

func BenchmarkProject(b *testing.B) {
	dir, _ := os.Getwd()
	for b.Loop() {
		Project(dir)
	}
}
