package file

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/watch"
)

// Options of a folder. The zero value works.
type Options struct {
	// KeyFile holds this user's key, and is made where it is missing: what was written
	// in a project without it is imported, not believed.
	KeyFile string
	// UsualKey, when it is there, comes first: programs in another environment have it.
	UsualKey string
	// OpenFS opens the folder's file operations; nil: [OpenOS].
	OpenFS func(dir string) (FS, error)
	Hooks  memory.Hooks
	// Alike returns the character that a reader takes another for, itself where there is
	// none, and -1 where it can't be seen; nil: each for itself.
	Alike  func(rune) rune
	Clock  func() time.Time // nil: time.Now
	NewID  func() string    // nil: random UUIDs
	Logger *slog.Logger     // nil: none
	// Watcher tells of edits by hand as they happen; nil: they are taken in when the
	// folder is opened, and by the change that meets them.
	Watcher *watch.Watcher
	// Profile takes what a USER.md of the reference system says of the user. The id
	// is the same for the same line. nil: it goes to this folder.
	Profile func(ctx context.Context, id, text string) error
	// Within is the project's directory, which is not made where it is missing, and
	// below which no link is followed: a repository can carry one. "": there is none, and
	// no repository brings the folder.
	Within string
	// Folder is the directory that Within has to be; zero: any.
	Folder memory.Folder
	// User, when not nil, must own Within and the folders below, and all is done with
	// that user's rights (root serving a user).
	User *User
	// LockTimeout bounds the wait for other processes; 0: 4 s.
	LockTimeout time.Duration
	// WALSize is the size of a new redo log; 0: 1 MiB.
	WALSize int64
	// Idle is how long after the last change a checkpoint is made; 0: 2 s.
	Idle time.Duration
	// Foreign is why no change is made where the journal was written with another key;
	// nil: it is set aside for the first one. [OpenOrRead] heeds it.
	Foreign     error
	keepForeign bool // fail with errForeign, and set nothing aside
	// BootID identifies the running kernel; "": /proc/sys/kernel/random/boot_id.
	BootID string
}

// orDefaults fills in what is not set.
func (o Options) orDefaults() Options {
	if o.OpenFS == nil {
		o.OpenFS = func(dir string) (FS, error) { return reach(dir, o, false) }
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.NewID == nil {
		o.NewID = randomID
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.LockTimeout == 0 {
		o.LockTimeout = 4 * time.Second
	}
	if o.WALSize == 0 {
		o.WALSize = walDefault
	}
	if o.Idle == 0 {
		o.Idle = 2 * time.Second
	}
	return o
}

func randomID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails (crypto/rand)
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:16])
}
