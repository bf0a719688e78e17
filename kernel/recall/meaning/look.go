package meaning

import (
	"cmp"
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Options set up a [Look].
type Options struct {
	// Endpoint is the one in force.
	Endpoint func() Endpoint
	// Redact masks the secrets of what is sent. Default: nothing is masked.
	Redact func(ctx context.Context, text string) (clean string, masked bool, err error)
	// Patience is how long a search waits for the vector of its question. Default 150 ms.
	Patience time.Duration
}

// What became of a second look.
const (
	Used = "used"
	Late = "late" // the vector of the question, or those of the texts, were not there in time
	Away = "away" // the endpoint failed
)

const (
	batch        = 16 // texts of one request: a question may wait behind it
	chunk        = 512
	maxQuestions = 1000
	maxFailures  = 3
	pause        = 30 * time.Second // after so many
)

// Source is an index whose texts are to have vectors.
type Source interface {
	Vectors() *Index
	// Missing returns what [Index.Missing] does, with the texts. An error ends the work.
	Missing(ctx context.Context, most int) (Missing, error)
}

// Missing is what an index lacks.
type Missing struct {
	Numbers []int
	Texts   []Text

	embedded, total int
	anew            bool // the vectors were thrown away
}

// Text is a text that is to have a vector.
type Text struct {
	Key    uint64
	Text   string
	Around string // what it stands in: a part of a secret does not look like one
}

// Look asks an endpoint for the vectors of questions, and in the background for those of
// texts. A nil one is off. It must be closed.
type Look struct {
	opts   Options
	ctx    context.Context
	cancel context.CancelFunc
	tasks  sync.WaitGroup
	wake   chan struct{}

	mu        sync.Mutex
	by        Endpoint // whose the questions are
	questions map[string]*question
	failures  int
	until     time.Time // nothing is asked before
	code      string    // of the last failure; "": none since
	wanted    map[Source]bool
	progress  map[string][2]int // embedded and total, by the file
}

// question is one whose vector is there once done is closed; nil when that failed.
type question struct {
	done   chan struct{}
	vector []float32
}

// New returns a look.
func New(opts Options) *Look {
	if opts.Redact == nil {
		opts.Redact = func(_ context.Context, text string) (string, bool, error) { return text, false, nil }
	}
	if opts.Patience <= 0 {
		opts.Patience = 150 * time.Millisecond
	}
	l := &Look{opts: opts, wake: make(chan struct{}, 1), wanted: map[Source]bool{}, progress: map[string][2]int{}}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	l.tasks.Go(l.work)
	return l
}

// Close ends what is under way.
func (l *Look) Close() {
	if l == nil {
		return
	}
	l.mu.Lock()
	l.cancel()
	l.mu.Unlock()
	l.tasks.Wait()
}

// On reports whether there is an endpoint.
func (l *Look) On() bool { return l != nil && l.opts.Endpoint().BaseURL != "" }

// Ask begins to ask for the vector of a question. What it returns waits for that, and says
// what became of it.
func (l *Look) Ask(text string) (wait func(context.Context) ([]float32, string)) {
	q, late := l.ask(text), time.Now().Add(l.opts.Patience)
	return func(ctx context.Context) ([]float32, string) {
		if q == nil {
			return nil, Away
		}
		select {
		case <-q.done:
		case <-time.After(time.Until(late)):
		case <-ctx.Done():
		}
		select {
		case <-q.done:
		default:
			return nil, Late
		}
		if q.vector == nil {
			return nil, Away
		}
		return q.vector, Used
	}
}

// ask returns a question that is asked, or was; nil when nothing is asked now.
func (l *Look) ask(text string) *question {
	by := l.opts.Endpoint()
	l.mu.Lock()
	defer l.mu.Unlock()
	if by != l.by || len(l.questions) == maxQuestions {
		l.questions, l.by = map[string]*question{}, by
		l.failures, l.until, l.code = 0, time.Time{}, "" // they were another's
	}
	if q := l.questions[text]; q != nil {
		return q
	}
	if by.BaseURL == "" || time.Now().Before(l.until) || l.ctx.Err() != nil {
		return nil
	}
	q := &question{done: make(chan struct{})}
	l.questions[text] = q
	l.tasks.Go(func() {
		defer close(q.done)
		if list, err := l.send(by, by.QueryPrefix, []Text{{Text: text}}); err == nil {
			q.vector = list[0]
			return
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.questions, text)
	})
	return q
}

// send asks for the vectors of texts, with their secrets masked, and notes how it went.
func (l *Look) send(by Endpoint, prefix string, texts []Text) (list [][]float32, err error) {
	clean := make([]string, len(texts))
	for i, t := range texts {
		if clean[i], err = l.mask(t); err != nil {
			break
		}
	}
	if err == nil {
		list, err = by.embed(l.ctx, prefix, clean)
	}
	l.note(err)
	return list, err
}

// mask returns a text without secrets, or a word in its place where it is the middle of one.
func (l *Look) mask(t Text) (string, error) {
	around, masked, err := l.opts.Redact(l.ctx, cmp.Or(t.Around, t.Text))
	if err != nil || !masked || strings.Contains(around, t.Text) {
		return t.Text, err
	}
	clean, masked, err := l.opts.Redact(l.ctx, t.Text)
	if !masked {
		clean = "withheld"
	}
	return clean, err
}

// note leaves the endpoint alone after failures in a row.
func (l *Look) note(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		l.failures, l.code = 0, ""
		return
	}
	l.failures++
	l.code = memory.KindOf(err).Code()
	if l.failures >= maxFailures {
		l.until = time.Now().Add(pause)
	}
}

// Want has the texts of an index get vectors.
func (l *Look) Want(s Source) {
	l.mu.Lock()
	l.wanted[s] = true
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// State says how many of the texts that were searched have vectors, and the code of the
// last failure.
func (l *Look) State() (embedded, total int, code string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.progress {
		embedded, total = embedded+p[0], total+p[1]
	}
	return embedded, total, l.code
}

// work gives texts vectors until the look is closed.
func (l *Look) work() {
	for l.ctx.Err() == nil {
		s := l.next()
		if s == nil {
			select {
			case <-l.ctx.Done():
			case <-l.wake:
			}
			continue
		}
		by := l.opts.Endpoint()
		if by.BaseURL == "" || !l.step(s, by) {
			l.mu.Lock()
			delete(l.wanted, s)
			l.mu.Unlock()
		}
	}
}

func (l *Look) next() Source {
	l.mu.Lock()
	defer l.mu.Unlock()
	for s := range l.wanted {
		return s
	}
	return nil
}

// step gives some texts of an index their vectors, and reports whether there may be more.
func (l *Look) step(s Source, by Endpoint) (more bool) {
	v := s.Vectors().open(by)
	if v == nil {
		return false
	}
	m, err := s.Missing(l.ctx, chunk)
	if err != nil || m.anew {
		return m.anew
	}
	for l.seen(v, m); len(m.Texts) > 0; l.seen(v, m) {
		begin, part := time.Now(), m.Texts[:min(batch, len(m.Texts))]
		list, err := l.send(by, by.DocumentPrefix, part)
		if err == nil {
			if err = v.add(part, list); err != nil && !errors.Is(err, os.ErrClosed) { // the index was closed
				l.note(err)
			}
		}
		l.mu.Lock()
		rest := max(time.Until(l.until), time.Since(begin)) // half of the time is the user's
		l.mu.Unlock()
		select {
		case <-l.ctx.Done():
		case <-time.After(rest):
		}
		if err != nil || l.ctx.Err() != nil || l.opts.Endpoint() != by {
			return true
		}
		m.Texts, m.embedded, more = m.Texts[len(part):], m.embedded+len(part), true
	}
	return more
}

func (l *Look) seen(v *Vectors, m Missing) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.progress[v.path] = [2]int{m.embedded, m.total}
}
