package postings

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
	segapi "github.com/blevesearch/scorch_segment_api/v2"
)

// merges is the goroutine that joins segments. It belongs to the index, which
// ends it when it is closed.
type merges struct {
	kick chan struct{}
	stop chan struct{} // bleve's merger looks at it, too
	once sync.Once
	done sync.WaitGroup
}

func (m *merges) begin(step func() bool) {
	m.kick, m.stop = make(chan struct{}, 1), make(chan struct{})
	m.done.Go(func() {
		for {
			select {
			case <-m.stop:
				return
			case <-m.kick:
			}
			for step() {
			}
		}
	})
}

func (m *merges) wake() {
	select {
	case m.kick <- struct{}{}:
	default:
	}
}

func (m *merges) end() {
	m.once.Do(func() {
		if m.stop != nil {
			close(m.stop)
		}
	})
	m.done.Wait()
}

// fanIn is by how much a segment grows at each merge, at least. A document is
// written again once for each power of it, and there are fewer than so many
// segments of each size.
const fanIn = 8

// plan chooses neighbouring segments to be joined: the smallest whose sum is of a
// higher order of size than any of them. It returns an empty range when all is
// well.
func plan(segments []*segment) (from, to int) {
	for limit := uint64(fanIn); limit <= 1<<32; limit *= fanIn {
		run, total := 0, uint64(0)
		for i := 0; i <= len(segments); i++ {
			if i < len(segments) && uint64(segments[i].meta.Docs) < limit {
				run++
				total += uint64(segments[i].meta.Docs)
				continue
			}
			if run > 1 && total >= limit {
				return i - run, i
			}
			run, total = 0, 0
		}
	}
	return 0, 0
}

// mergeStep does one merge and reports whether there may be another.
func (ix *Index) mergeStep() bool {
	ix.write.Lock()
	if ix.usable() != nil {
		ix.write.Unlock()
		return false
	}
	held := ix.now.files.acquire()
	from, to := plan(held.segments)
	if from < to {
		ix.merging = ix.name("segment")
	}
	name := ix.merging
	ix.write.Unlock()
	defer held.release()
	if from == to {
		return false
	}
	inputs := held.segments[from:to]
	meta, err := ix.join(inputs, name)
	ix.write.Lock()
	defer ix.write.Unlock()
	ix.merging = ""
	if err == nil {
		err = ix.install(inputs, meta)
	}
	if err != nil {
		_ = os.Remove(path(ix.opts.Dir, name))
	}
	if errors.Is(err, ErrCorrupt) {
		ix.spoil()
	}
	return err == nil // after an error it is tried again after the next flush
}

// join writes a durable segment of neighbouring ones.
func (ix *Index) join(inputs []*segment, name string) (segmentMeta, error) {
	meta := segmentMeta{Base: inputs[0].meta.Base}
	segments := make([]segapi.Segment, len(inputs))
	for i, s := range inputs {
		// What is damaged must not become part of a sound segment.
		if err := s.verify(); err != nil {
			return meta, err
		}
		segments[i] = s.zap
		meta.Docs += s.meta.Docs
	}
	err := guard(func() error {
		_, _, err := plugin.Merge(segments, make([]*roaring.Bitmap, len(inputs)), path(ix.opts.Dir, name), ix.merges.stop, nil)
		return err
	})
	for _, s := range inputs {
		s.forget()
	}
	if err != nil {
		return meta, fmt.Errorf("postings: merge: %w", err)
	}
	meta.File, err = measure(ix.opts.Dir, name)
	return meta, err
}

// measure reads a file once for its size and checksum.
func measure(dir, name string) (fileMeta, error) {
	f, err := os.Open(path(dir, name))
	if err != nil {
		return fileMeta{}, fmt.Errorf("postings: %w", err)
	}
	defer func() { _ = f.Close() }()
	hash := crc32.New(castagnoli)
	n, err := io.Copy(hash, f)
	if err != nil {
		return fileMeta{}, fmt.Errorf("postings: %w", err)
	}
	return fileMeta{Name: name, Size: n, Sum: hash.Sum32()}, nil
}

// install puts a merged segment in the place of its inputs, in the present state
// and, if they were flushed, in the manifest.
func (ix *Index) install(inputs []*segment, meta segmentMeta) error {
	if err := ix.usable(); err != nil {
		return err
	}
	seg, err := openSegment(ix.opts.Dir, meta, ix.opts.Fields)
	if err != nil {
		return err
	}
	s := *ix.now
	from := slices.Index(s.files.segments, inputs[0])
	segments := slices.Concat(s.files.segments[:from], []*segment{seg}, s.files.segments[from+len(inputs):])
	s.files = newFiles(segments, s.files.rows, s.files.docs)
	seg.release() // the files hold it
	ix.publish(&s)

	m := ix.durable
	at, last := slices.Index(m.Segments, inputs[0].meta), slices.Index(m.Segments, inputs[len(inputs)-1].meta)
	if at >= 0 && last == at+len(inputs)-1 {
		m.Segments = slices.Concat(m.Segments[:at], []segmentMeta{meta}, m.Segments[last+1:])
		_ = ix.replace(m) // else the next flush names it
	}
	ix.sweep()
	return nil
}
