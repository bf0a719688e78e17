package postings

import (
	"context"
	"encoding/binary"
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
// higher order of size than any of them. Or else one to be written again, of which
// a third was deleted. It returns an empty range when all is well.
func plan(segments []*segment, dead *deadSet) (from, to int) {
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
	for i, s := range segments {
		gone := dead.within(s.meta.Base, s.end()) - s.gapCount()
		if gone > 0 && 3*gone > int(s.meta.Docs) {
			return i, i + 1
		}
	}
	return 0, 0
}

// mergeStep does one merge and reports whether there may be another.
func (ix *inverted) mergeStep() bool {
	ix.write.Lock()
	if ix.usable() != nil {
		ix.write.Unlock()
		return false
	}
	held := ix.now.files.acquire()
	from, to := plan(held.segments, ix.dead)
	job := mergeJob{dir: ix.opts.Dir, inputs: held.segments[from:to], dead: ix.dead, stop: ix.merges.stop}
	if from < to {
		job.name = ix.name("segment")
		ix.making[job.name] = true
	}
	ix.write.Unlock()
	defer held.release()
	if from == to {
		return false
	}
	err := job.run()
	ix.write.Lock()
	defer ix.write.Unlock()
	delete(ix.making, job.name)
	if err == nil {
		err = ix.installMerge(&job)
	}
	if err != nil {
		_ = os.Remove(path(job.dir, job.name))
	}
	if errors.Is(err, ErrCorrupt) {
		ix.spoil(err)
	}
	return err == nil // after an error it is tried again after the next flush
}

// mergeJob joins neighbouring segments, without what was deleted by the last
// flush: nothing may be lost that a crash would bring back.
type mergeJob struct {
	dir, name string
	inputs    []*segment
	dead      *deadSet
	stop      chan struct{}

	meta segmentMeta // of the result; no Docs: there is none
	gaps []byte
}

func (j *mergeJob) run() error {
	segments := make([]segapi.Segment, len(j.inputs))
	for i, s := range j.inputs {
		// What is damaged must not become part of a sound segment.
		if err := s.verify(context.Background()); err != nil {
			return err
		}
		segments[i] = s.zap
	}
	drops := j.number()
	if j.meta.Docs == 0 {
		return nil
	}
	err := guard(func() error {
		_, _, err := plugin.Merge(segments, drops, path(j.dir, j.name), j.stop, nil)
		return err
	})
	for _, s := range j.inputs {
		s.forget()
	}
	if err != nil {
		return fmt.Errorf("postings: merge: %w", err)
	}
	j.meta.File, err = measure(j.dir, j.name)
	return err
}

// number finds the documents to drop, by input, and the gaps of the result.
func (j *mergeJob) number() []*roaring.Bitmap {
	first, last := j.inputs[0], j.inputs[len(j.inputs)-1]
	j.meta = segmentMeta{Base: first.meta.Base, Span: last.end() - first.meta.Base}
	drops := make([]*roaring.Bitmap, len(j.inputs))
	at := first.meta.Base // the next slot of the result
	gap := func(to uint32) {
		for ; at < to; at++ {
			j.gaps = binary.LittleEndian.AppendUint32(j.gaps, at-j.meta.Base)
		}
	}
	for i, s := range j.inputs {
		c := segmentCursor{s: s}
		for doc := range s.meta.Docs {
			slot := c.slot(doc)
			if j.dead.has(slot) {
				if drops[i] == nil {
					drops[i] = roaring.New()
				}
				drops[i].Add(doc)
				continue
			}
			gap(slot)
			at++
			j.meta.Docs++
		}
	}
	gap(last.end())
	return drops
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

// installMerge puts the result in the place of the inputs, in the present state
// and, if they were flushed, in the manifest.
func (ix *inverted) installMerge(j *mergeJob) error {
	if err := ix.usable(); err != nil {
		return err
	}
	old := ix.now.files.segments
	from := slices.Index(old, j.inputs[0])
	var out []*segment
	if j.meta.Docs > 0 {
		seg, err := ix.adopt(j.meta, j.gaps)
		if err != nil {
			return err
		}
		out = []*segment{seg}
	}
	segments := slices.Concat(old[:from], out, old[from+len(j.inputs):])
	s := *ix.now
	s.files = newFiles(segments, s.files.rows, s.files.slots)
	releaseNew(out, nil)
	ix.publish(&s)

	m := ix.durable
	at := slices.IndexFunc(m.Segments, func(d segmentMeta) bool { return d == j.inputs[0].meta })
	if at < 0 || at+len(j.inputs) > len(m.Segments) || m.Segments[at+len(j.inputs)-1] != j.inputs[len(j.inputs)-1].meta {
		ix.sweep() // the next flush names the result
		return nil
	}
	var metas []segmentMeta
	for _, seg := range out {
		metas = append(metas, seg.meta)
	}
	m.Segments = slices.Concat(m.Segments[:at], metas, m.Segments[at+len(j.inputs):])
	if err := ix.replace(m, ix.dead); err == nil { // else the next flush names it
		ix.sweep()
	}
	return nil
}
