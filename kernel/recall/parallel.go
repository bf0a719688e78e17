package recall

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// minParallel is how many pieces of work are worth a second goroutine.
const minParallel = 16

// parallel calls work with 0 to n-1 on all cores and returns when all is done.
func parallel(n int, work func(i int)) {
	if n < minParallel {
		for i := range n {
			work(i)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				work(int(i))
			}
		})
	}
	wg.Wait()
}
