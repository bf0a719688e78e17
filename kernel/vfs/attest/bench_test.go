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
