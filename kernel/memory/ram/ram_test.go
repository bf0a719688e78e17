package ram_test

import (
	"testing"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory/providertest"
	"github.com/rnixfs/rnixfs/kernel/memory/ram"
)

func TestConformance(t *testing.T) {
	providertest.Run(t, func(t testing.TB) providertest.Fixture {
		now := providertest.Start
		return providertest.Fixture{
			Provider: ram.Open(ram.Options{Clock: func() time.Time { return now }}),
			SetNow:   func(t time.Time) { now = t },
		}
	})
}
