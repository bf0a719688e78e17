package file

import (
	"errors"
	"sync"

	"golang.org/x/sys/unix"
)

var errNoUnnamed = errors.New("the file system has no unnamed files")

// isDiskFault tells a disk in trouble from a file system that can't do it.
func isDiskFault(err error) bool {
	for _, fault := range []error{unix.ENOSPC, unix.EDQUOT, unix.EIO, unix.EMFILE, unix.ENFILE, unix.ENOMEM} {
		if errors.Is(err, fault) {
			return true
		}
	}
	return false
}

const (
	defaultSpares = 16
	idleSpares    = 2 // kept when nothing happens, for the next change
)

// spares keeps empty unnamed files ready. Finding a free inode takes from 10 µs
// to a millisecond (ext4 passes over inodes that were freed in the last seconds,
// one by one), and while a redo log is being synced there is time for it.
//
// Its goroutine belongs to the Provider, whose Close waits for it in stop.
type spares struct {
	p     *Provider
	ready chan File
	wants chan int
	done  chan struct{}

	stopped bool // guarded by Provider.ex

	mu   sync.Mutex
	none bool // this file system has no unnamed files
}

func newSpares(p *Provider, n int) *spares {
	if n == 0 {
		n = defaultSpares
	}
	s := &spares{p: p, ready: make(chan File, max(n, 0)), wants: make(chan int, 1), done: make(chan struct{})}
	go s.run()
	return s
}

// take returns an empty unnamed file, or nil where there are none to be had.
func (s *spares) take() File {
	select {
	case f := <-s.ready:
		return f
	default:
	}
	f, err := s.make()
	if err != nil {
		return nil
	}
	return f
}

func (s *spares) make() (File, error) {
	s.mu.Lock()
	none := s.none
	s.mu.Unlock()
	if none {
		return nil, errNoUnnamed
	}
	f, err := s.p.fs.OpenUnnamed(0o600)
	if err != nil {
		if !isDiskFault(err) {
			s.mu.Lock()
			s.none = true
			s.mu.Unlock()
		}
		return nil, err
	}
	if err := s.p.own(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// refill asks for about as many files as the last batch took.
func (s *spares) refill(n int) {
	if cap(s.ready) == 0 {
		return
	}
	select {
	case s.wants <- n:
	default:
	}
}

func (s *spares) run() {
	defer close(s.done)
	for n := range s.wants {
		for len(s.ready) < min(n, cap(s.ready)) {
			f, err := s.make()
			if err != nil {
				break
			}
			s.ready <- f // never full: nobody else fills it
		}
	}
}

// drop closes all that are ready but keep, when nothing happens.
func (s *spares) drop(keep int) {
	for len(s.ready) > keep {
		select {
		case f := <-s.ready:
			if err := f.Close(); err != nil {
				s.p.log.Warn("close an unused file", "error", err)
			}
		default:
			return
		}
	}
}

// stop ends the goroutine and waits for it. No batch is being written.
func (s *spares) stop() {
	if s == nil || s.stopped {
		return
	}
	s.stopped = true
	close(s.wants)
	<-s.done
	s.drop(0)
}
