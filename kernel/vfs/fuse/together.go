package fuse

import (
	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/rnixfs/rnixfs/kernel/vfs"
)

// together is run for a device that takes the requests of one WRITE as one.
func (w *writing) together(data []byte) (int, fuse.Status) {
	var requests [][]byte
	var ends []int
	var fault error
	at := 0
	for at < len(data) && fault == nil {
		n, request, err := w.h.frame.next(data[at:])
		at += n
		if fault = err; err != nil || request == nil {
			break
		}
		requests, ends = append(requests, request), append(ends, at)
	}
	if len(requests) > 0 {
		if n, st, ended := w.each(requests, ends); ended {
			return n, st
		}
	}
	switch {
	case fault != nil:
		return w.refuse(fault)
	case !w.fs.hold(w.h, int64(w.h.frame.pending())):
		w.h.frame.reset()
		w.spread = true // and is not taken
		return w.refuse(errPending())
	}
	return len(data), fuse.OK
}

// each runs the requests and takes up their results; ended says that one failed.
func (w *writing) each(requests [][]byte, ends []int) (n int, st fuse.Status, ended bool) {
	var results []vfs.Result
	if res, known := w.h.again.take(requests[0]); known {
		results = []vfs.Result{res}
	} else {
		results = w.fs.run(w.h, &w.in.InHeader, requests)
	}
	for i, res := range results {
		if !res.OK {
			w.h.frame.reset() // what is behind it comes again
			n, st = w.failed(res, requests[i])
			return n, st, true
		}
		w.replies = append(w.replies, res.Body...)
		w.good, w.spread = ends[i], false
		w.ran++
	}
	return 0, fuse.OK, false
}
