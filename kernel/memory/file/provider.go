package file

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/watch"
)

// Options of a folder. The zero value works.
type Options struct {
	// OpenFS opens the folder's file operations; nil: [OpenOS].
	OpenFS func(dir string) (FS, error)
	Hooks  memory.Hooks
	Clock  func() time.Time // nil: time.Now
	NewID  func() string    // nil: random UUIDs
	Logger *slog.Logger     // nil: none
	// Watcher tells of edits by hand as they happen; nil: they are taken in when the
	// folder is opened, and by the change that meets them.
	Watcher *watch.Watcher
	// Within is a folder above, which is not made where it is missing; "": all of
	// the path is.
	Within string
	// Owner, when not nil, gets every file that is made (root serving a user).
	Owner *Owner
	// LockTimeout bounds the wait for other processes; 0: 4 s.
	LockTimeout time.Duration
	// WALSize is the size of a new redo log; 0: 1 MiB.
	WALSize int64
	// Idle is how long after the last change a checkpoint is made; 0: 2 s.
	Idle time.Duration
	// Spares is how many empty files are kept ready while changes come in, so
	// that a change need not wait for the file system to find an inode; 0: 16,
	// negative: none.
	Spares int
	// BootID identifies the running kernel; "": /proc/sys/kernel/random/boot_id.
	BootID string

	made bool // there is nothing to be made on the way to the folder
}

// Owner of the files made.
type Owner struct{ UID, GID int }

// Provider is a memory.Provider over one folder.
type Provider struct {
	opts  Options
	fs    FS
	place place
	log   *slog.Logger
	boot  [16]byte

	queueMu sync.Mutex
	queue   []*request
	leading bool // somebody takes requests off the queue
	crowded bool // the last batch was of several; belongs to who leads

	fsMu     sync.RWMutex // held by who uses fs without ex
	fsClosed bool

	published   atomic.Pointer[snapshot]
	gen         atomic.Uint64 // of the last mark seen or written
	pendingSync atomic.Bool   // a checkpoint would have something to do
	identMu     sync.Mutex
	ident       map[string]Info // of files as last written or read, for the watcher

	ex chan struct{} // holds one token while somebody has the folder; guards what follows

	closed   bool
	lock     File
	mark     mark
	journal  File
	reserved int64 // offset up to which the journal has room, as far as we know
	wal      *wal
	dirty    map[string]int64 // files of the epoch's records, by their last sequence number
	state    *memory.State
	files    map[string]*known // by file name
	names    map[string]string // by entry id
	expiring map[string]*memory.Entry
	blocked  map[string]memory.Problem // files that can't be read; their names are not reused
	replays  []replay
	broken   *batch // a batch that failed and could not be undone yet
	stale    bool   // reading the folder failed half way
	quiet    bool   // the first state is being made
	lenient  bool   // what was there before us is not measured by the limit
	salvaged bool   // files may have been changed by changes that the journal lost
	tmpSeq   int
	tmpTag   string

	spares     *spares
	background *background
}

var (
	_ memory.Provider = (*Provider)(nil)
	_ memory.Checker  = (*Provider)(nil)
)

// known is a file as last written or read.
type known struct {
	id   string
	says string // the id that it names: another one in a copy, none in a plain text
	hash string
	info Info // zero: not looked at since another process wrote it
}

type replay struct {
	key, digest string
	result      memory.Result
}

// snapshot is what Load returns, published when it is durable.
type snapshot struct {
	view    memory.View // expired entries included
	expires time.Time   // when the first entry expires; zero: none does
}

// Open opens the folder dir, making it where it is missing. Hooks.Opened is
// called before it returns. Errors: KindInternal, KindDenied, KindTimeout.
func Open(ctx context.Context, dir string, opts Options) (*Provider, error) {
	p, err := newProvider(dir, opts)
	if err != nil {
		return nil, wrap("open", err)
	}
	p.place = placeOf(dir)
	p.background = p.newBackground(dir)
	p.ex <- struct{}{}
	err = p.openLocked(ctx)
	<-p.ex
	if err != nil {
		p.background.stop()
		return nil, errors.Join(wrap("open", err), p.release())
	}
	p.background.start()
	return p, nil
}

func newProvider(dir string, opts Options) (*Provider, error) {
	if opts.OpenFS == nil {
		opts.OpenFS = OpenOS
	}
	if opts.Clock == nil {
		opts.Clock = time.Now
	}
	if opts.NewID == nil {
		opts.NewID = randomID
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.LockTimeout == 0 {
		opts.LockTimeout = 4 * time.Second
	}
	if opts.WALSize == 0 {
		opts.WALSize = walDefault
	}
	if opts.Idle == 0 {
		opts.Idle = 2 * time.Second
	}
	p := &Provider{opts: opts, log: opts.Logger, ex: make(chan struct{}, 1), ident: map[string]Info{}, tmpTag: randomTag()}
	p.reset()
	var err error
	if p.boot, err = bootID(opts.BootID); err != nil {
		return nil, err
	}
	if !opts.made {
		if err := p.makeFolder(dir); err != nil {
			return nil, err
		}
	}
	if p.fs, err = opts.OpenFS(dir); err != nil {
		return nil, err
	}
	p.spares = newSpares(p, opts.Spares)
	return p, nil
}

// reset forgets what was read of the folder.
func (p *Provider) reset() {
	p.state = memory.NewState(nil, 0)
	p.files, p.names = map[string]*known{}, map[string]string{}
	p.expiring, p.blocked = map[string]*memory.Entry{}, map[string]memory.Problem{}
	p.dirty, p.replays = map[string]int64{}, nil
}

func (p *Provider) makeFolder(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	var missing []string // outermost last
	for at := dir; at != filepath.Dir(at) && at != p.opts.Within; at = filepath.Dir(at) {
		if _, err := os.Lstat(at); err == nil {
			break
		}
		missing = append(missing, at)
	}
	for _, at := range slices.Backward(missing) {
		if err := os.Mkdir(at, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	for _, at := range missing {
		if err := p.settleFolder(at); err != nil {
			return err
		}
	}
	return p.makeIgnore(dir)
}

// ignored keeps what is not an entry out of a repository that the folder lies in:
// the journal has the texts of removed entries, too. The file hides itself, so that
// a folder without entries leaves a repository clean (gitignore(5)).
const ignored = `# Made by rnixfs. The entries beside this file are yours to commit.
.gitignore
.lock
.wal
.tmp-*
.rejected/
journal.jsonl*
`

func (p *Provider) makeIgnore(dir string) error {
	path := filepath.Join(dir, ".gitignore")
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(ignored)
	if p.opts.Owner != nil {
		err = errors.Join(err, f.Chown(p.opts.Owner.UID, p.opts.Owner.GID))
	}
	return errors.Join(err, f.Close())
}

// settleFolder gives a new folder its owner and makes its name durable.
func (p *Provider) settleFolder(dir string) error {
	if p.opts.Owner != nil {
		if err := os.Lchown(dir, p.opts.Owner.UID, p.opts.Owner.GID); err != nil {
			return err
		}
	}
	parent, err := os.Open(filepath.Dir(dir))
	if err != nil {
		return err
	}
	return errors.Join(parent.Sync(), parent.Close())
}

// openLocked reads the folder for the first time. ex is held.
func (p *Provider) openLocked(ctx context.Context) error {
	if err := p.lockFolder(ctx); err != nil {
		return err
	}
	defer p.unlockFolder()
	if err := p.cleanTemps(); err != nil {
		return err
	}
	return p.reload(ctx)
}

// Load implements memory.Provider. It takes no lock unless another process
// changed the folder.
func (p *Provider) Load(ctx context.Context) (memory.View, error) {
	if err := p.refresh(ctx); err != nil {
		return memory.View{}, wrap("load", err)
	}
	s := p.published.Load()
	now := p.opts.Clock()
	if s.expires.IsZero() || now.Before(s.expires) {
		return s.view, nil
	}
	return s.view.At(now), nil
}

// refresh catches up when another process left a newer mark.
func (p *Provider) refresh(ctx context.Context) error {
	p.identMu.Lock()
	lock := p.lock
	var m mark
	var err error
	if lock != nil {
		m, err = readMark(lock)
	}
	p.identMu.Unlock()
	if lock == nil {
		return errClosed
	}
	if err == nil && m.Gen != 0 && m.Gen == p.gen.Load() {
		return nil
	}
	return p.exclusive(ctx, func() error { return nil })
}

// publish makes the state what Load returns. ex is held.
func (p *Provider) publish() {
	s := &snapshot{view: p.state.View(time.Time{})}
	for _, e := range p.expiring {
		if s.expires.IsZero() || e.Expires.Before(s.expires) {
			s.expires = *e.Expires
		}
	}
	p.published.Store(s)
}

// Close implements memory.Provider.
func (p *Provider) Close() error {
	p.background.stop()
	err := p.exclusive(context.Background(), func() error { return p.checkpoint() })
	if errors.Is(err, errClosed) {
		return nil
	}
	p.ex <- struct{}{}
	defer func() { <-p.ex }()
	return wrap("close", errors.Join(err, p.release()))
}

// release closes what is open. Nobody else uses p, or ex is held.
func (p *Provider) release() error {
	p.closed = true
	var errs []error
	p.spares.stop()
	if p.wal != nil {
		errs = append(errs, p.wal.f.Close())
	}
	if p.journal != nil {
		errs = append(errs, p.journal.Close())
	}
	p.identMu.Lock()
	if p.lock != nil {
		errs = append(errs, p.lock.Close())
	}
	p.lock, p.journal, p.wal = nil, nil, nil
	p.identMu.Unlock()
	p.fsMu.Lock()
	defer p.fsMu.Unlock()
	if p.fs != nil {
		errs = append(errs, p.fs.Close())
	}
	p.fsClosed = true
	return errors.Join(errs...)
}

var errClosed = &memory.Error{Kind: memory.KindUnavailable, Err: errors.New("the folder was closed")}

// wrap makes any error a *memory.Error with an operation.
func wrap(op string, err error) error {
	if err == nil {
		return nil
	}
	var e *memory.Error
	if errors.As(err, &e) {
		return err
	}
	kind := memory.KindInternal
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		kind = memory.KindTimeout
	case errors.Is(err, os.ErrPermission):
		kind = memory.KindDenied
	case errors.Is(err, unix.EROFS):
		kind = memory.KindReadOnly
	}
	return &memory.Error{Op: op, Kind: kind, Err: err}
}

func bootID(given string) (id [16]byte, err error) {
	if given == "" {
		b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
		if err != nil {
			return id, err
		}
		given = string(b)
	}
	b, err := hex.DecodeString(strings.ReplaceAll(strings.TrimSpace(given), "-", ""))
	if err != nil || len(b) != len(id) {
		return id, errors.New("the boot id is not a UUID")
	}
	return [16]byte(b), nil
}

func randomID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails (crypto/rand)
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:16])
}

func randomTag() string {
	var b [6]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
