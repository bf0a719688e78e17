package file

import (
	"errors"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// readFiles reads and parses the files on all processors.
func (p *Provider) readFiles(names []string, index *journalIndex) []loadedFile {
	out := make([]loadedFile, len(names))
	each(len(names), 2*runtime.GOMAXPROCS(0), func(i int) { out[i] = p.loadFile(names[i], index) })
	return out
}

// syncWorkers is how many fsync(2) run at once in a checkpoint: a disk merges
// the flushes of concurrent ones.
const syncWorkers = 16

// syncFiles makes the contents of files durable. One that is gone needs none.
func (p *Provider) syncFiles(names []string) error {
	errs := make([]error, len(names))
	each(len(names), syncWorkers, func(i int) { errs[i] = p.syncFile(names[i]) })
	return errors.Join(errs...)
}

func (p *Provider) syncFile(name string) error {
	f, err := p.fs.Open(name, unix.O_RDONLY, 0)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, unix.ELOOP) || errors.Is(err, unix.EACCES) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// each calls fn for 0 to n-1 on at most workers goroutines and waits for them.
func each(n, workers int, fn func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, workers) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				fn(i)
			}
		})
	}
	wg.Wait()
}
