package file_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/file"
	"github.com/rnixfs/rnixfs/kernel/memory/providertest"
)

func TestConformance(t *testing.T) {
	defer goleak.VerifyNone(t)
	providertest.Run(t, func(t testing.TB) providertest.Fixture {
		return fixture(t, t.TempDir())
	})
}

// fixture is a provider of a folder, by a clock that the test sets.
func fixture(t testing.TB, dir string) providertest.Fixture {
	var now atomic.Pointer[time.Time]
	start := providertest.Start
	now.Store(&start)
	open := func() *file.Provider {
		p, err := file.Open(context.Background(), dir, file.Options{
			Clock: func() time.Time { return *now.Load() }, WALSize: 32 << 10,
		})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := open()
	t.Cleanup(func() { _ = p.Close() })
	return providertest.Fixture{
		Provider: p,
		Reopen: func() memory.Provider {
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
			p = open()
			return p
		},
		SetNow: func(t time.Time) { now.Store(&t) },
	}
}
