package file_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/file"
	"github.com/rnixfs/rnixfs/kernel/memory/providertest"
)

func benchChange(n int64) memory.Change {
	ch := providertest.Add(fmt.Sprintf("entry number %d: %s", n, strings.Repeat("a fact worth keeping ", 6)))
	ch.Limit.Runes = 1 << 40
	ch.Ops[0].Entry.Key = fmt.Sprintf("bench-%d", n)
	ch.At = time.Now()
	return ch
}

func benchAdd(b *testing.B, writers int) {
	p, err := file.Open(context.Background(), b.TempDir(), file.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	var n atomic.Int64
	b.SetParallelism(writers) // times GOMAXPROCS, which -cpu 1 makes 1
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := p.Apply(context.Background(), benchChange(n.Add(1))); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.StopTimer()
}

func BenchmarkAdd(b *testing.B) {
	p, err := file.Open(context.Background(), b.TempDir(), file.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	var n int64
	for b.Loop() {
		n++
		if _, err := p.Apply(context.Background(), benchChange(n)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAdd16(b *testing.B) { benchAdd(b, 8) }

func BenchmarkOpen10000(b *testing.B) {
	dir := b.TempDir()
	p, err := file.Open(context.Background(), dir, file.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for i := range 100 {
		ops := make([]memory.Op, 100)
		for j := range ops {
			ops[j] = benchChange(int64(i*100 + j)).Ops[0]
		}
		ch := providertest.Change(ops...)
		ch.Limit.Runes = 1 << 40
		if _, err := p.Apply(context.Background(), ch); err != nil {
			b.Fatal(err)
		}
	}
	if err := p.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		p, err := file.Open(context.Background(), dir, file.Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if v, err := p.Load(context.Background()); err != nil || len(v.Entries) != 10000 {
			b.Fatal(len(v.Entries), err)
		}
		if err := p.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}
