package file

import (
	"context"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

func (p *Provider) Check(ctx context.Context) (memory.Health, error)  { return memory.Health{}, nil }
func (p *Provider) Repair(ctx context.Context) (memory.Health, error) { return memory.Health{}, nil }
