package file

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

const tmpPrefix = ".tmp-"

// exclusive runs fn while this goroutine alone, of all processes, has the
// folder, and after it has caught up with what the others did.
func (p *Provider) exclusive(ctx context.Context, fn func() error) error {
	select {
	case p.ex <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-p.ex }()
	if p.closed {
		return errClosed
	}
	if err := p.lockFolder(ctx); err != nil {
		return err
	}
	defer p.unlockFolder()
	if err := p.catchUp(ctx); err != nil {
		return err
	}
	return fn()
}

// lockFolder takes the gate, the lock, and lets the gate go. The gate is a
// turnstile: who lets the lock go and wants it again at once queues behind those
// who wait, which flock alone does not promise. Both are polled, because a
// blocked flock can't be given up.
func (p *Provider) lockFolder(ctx context.Context) error {
	deadline := time.Now().Add(p.opts.LockTimeout)
	for {
		if err := p.openLock(); err != nil {
			return err
		}
		if err := poll(ctx, deadline, p.lock.TryGate); err != nil {
			return err
		}
		err := poll(ctx, deadline, p.lock.TryLock)
		if err := errors.Join(err, p.lock.Ungate()); err != nil {
			return err
		}
		same, err := p.lockInPlace()
		if err == nil && same {
			return nil
		}
		p.unlockFolder()
		if err != nil {
			return err
		}
		p.dropLock() // somebody removed .lock: take the new one
	}
}

func (p *Provider) openLock() error {
	if p.lock != nil {
		return nil
	}
	f, err := p.fs.Open(lockName, unix.O_RDWR|unix.O_CREAT, 0o600)
	if err != nil {
		return err
	}
	if err := p.own(f); err != nil {
		return errors.Join(err, f.Close())
	}
	p.identMu.Lock()
	p.lock = f
	p.identMu.Unlock()
	return nil
}

func (p *Provider) dropLock() {
	p.identMu.Lock()
	defer p.identMu.Unlock()
	if err := p.lock.Close(); err != nil {
		p.log.Warn("close lock", "error", err)
	}
	p.lock = nil
}

func (p *Provider) lockInPlace() (bool, error) {
	mine, err := p.lock.Stat()
	if err != nil {
		return false, err
	}
	there, err := p.fs.Lstat(lockName)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return err == nil && mine.Inode == there.Inode, err
}

func (p *Provider) unlockFolder() {
	if err := p.lock.Unlock(); err != nil {
		p.log.Error("unlock folder", "error", err)
	}
}

func poll(ctx context.Context, deadline time.Time, try func() (bool, error)) error {
	for wait := 50 * time.Microsecond; ; wait = min(wait*2, 2*time.Millisecond) {
		ok, err := try()
		if ok || err != nil {
			return err
		}
		if time.Now().After(deadline) {
			return memory.Errorf(memory.KindTimeout, "lock", "another process holds the memory folder")
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// setMark says in .lock how far we came. ex and the lock are held.
func (p *Provider) setMark(m mark) error {
	m.Gen = p.nextGen()
	return p.putMark(m)
}

func (p *Provider) putMark(m mark) error {
	if _, err := p.lock.WriteAt(m.bytes(), 0); err != nil {
		return err
	}
	p.mark = m
	p.gen.Store(m.Gen)
	return nil
}

// nextGen is a number that no mark of the folder had: .lock may have been lost
// in between.
func (p *Provider) nextGen() uint64 {
	return max(p.mark.Gen+1, uint64(time.Now().UnixNano()))
}

func (p *Provider) tmpName() string {
	p.tmpSeq++
	return tmpPrefix + p.tmpTag + "-" + strconv.Itoa(p.tmpSeq)
}

// create makes a file that does not exist yet.
func (p *Provider) create(name string) (File, error) {
	f, err := p.fs.Open(name, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	if err := p.own(f); err != nil {
		return nil, errors.Join(err, f.Close(), p.removeTemp(name))
	}
	return f, nil
}

func (p *Provider) own(f File) error {
	if p.opts.Owner == nil {
		return nil
	}
	return f.Chown(p.opts.Owner.UID, p.opts.Owner.GID)
}

func (p *Provider) removeTemp(name string) error {
	if err := p.fs.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// cleanTemps removes what a crash left behind. The lock is held, so that none
// is in use.
func (p *Provider) cleanTemps() error {
	names, err := p.fs.ReadDir(".")
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasPrefix(name, tmpPrefix) {
			if err := p.removeTemp(name); err != nil {
				return err
			}
		}
	}
	return nil
}
