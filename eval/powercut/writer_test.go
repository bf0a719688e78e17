package powercut

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/file"
)

// state is what a writer finds when it opens the folder.
type state struct {
	Versions map[string]int // by key
	Mixed    []string
	Problems []memory.Problem // after repair
	Aside    int              // texts that were set aside: bytes of other files
	Anew     int              // damaged journals that were
}

// text is the content of a version of an entry: up to 7 KB that no other has.
func text(key string, version int) string {
	line := fmt.Sprintf("%s %d ", key, version)
	return line + strings.Repeat(line, version*37%500)
}

// work opens the folder as a kernel that was just booted, and changes entries until
// it is killed. Each change is told before it is tried and when it is acknowledged.
func work(dir, boot string, lies bool) error {
	opts := file.Options{BootID: boot, KeyFile: filepath.Join(filepath.Dir(dir), "key"), WALSize: 64 << 10 << rand.IntN(5), Idle: time.Duration(1+rand.IntN(20)) * 100 * time.Millisecond}
	if lies {
		opts.OpenFS = func(dir string) (file.FS, error) {
			fsys, err := file.OpenOS(dir)
			return lyingFS{fsys}, err
		}
	}
	p, err := file.Open(context.Background(), dir, opts)
	if err != nil {
		return err
	}
	versions, err := tellState(p)
	if err != nil {
		return err
	}
	const writers, keys = 4, 40
	var wg sync.WaitGroup
	for n := range writers {
		mine := map[string]int{}
		for i := range keys {
			key := fmt.Sprintf("w%d-key-%d", n, i)
			mine[key] = versions[key]
		}
		wg.Go(func() { write(p, n, mine, boot) })
	}
	wg.Wait()
	return nil
}

func tellState(p *file.Provider) (map[string]int, error) {
	s := state{Versions: map[string]int{}}
	ctx := context.Background()
	h, err := p.Repair(ctx)
	if err != nil {
		return nil, err
	}
	for _, x := range h.Problems {
		switch x.Code {
		case "rejected":
			s.Aside++
		case "torn_journal":
			s.Anew++
		default:
			s.Problems = append(s.Problems, x)
		}
	}
	v, err := p.Load(ctx)
	if err != nil {
		return nil, err
	}
	for _, e := range v.Entries {
		var key string
		var version int
		_, err := fmt.Sscan(e.Content, &key, &version)
		if err != nil || key != e.Key || e.Content != text(key, version) {
			s.Mixed = append(s.Mixed, fmt.Sprintf("%s: %.60q", e.Key, e.Content))
			continue
		}
		s.Versions[key] = version
	}
	image, err := os.Open(os.Getenv("RNIXFS_POWER_DISK_FILE"))
	if err != nil {
		return nil, err
	}
	if _, err := image.ReadAt(make([]byte, 1), 0); err != nil {
		return nil, err // what was found may be of a disk without power
	}
	line, err := json.Marshal(s)
	fmt.Println(string(line))
	return s.Versions, err
}

// write adds, replaces and removes the entries of one writer.
func write(p *file.Provider, n int, mine map[string]int, boot string) {
	last := 0
	for _, v := range mine {
		last = max(last, v)
	}
	_, _ = fmt.Sscanf(boot, "%x", &last)
	last *= 1000
	for {
		key := fmt.Sprintf("w%d-key-%d", n, rand.IntN(len(mine)))
		last++
		op, version := memory.Op{Action: memory.ActionReplace, Match: memory.Match{Key: key}, Entry: memory.Entry{Content: text(key, last)}, Set: []string{"content"}}, last
		switch {
		case mine[key] == 0:
			op = memory.Op{Action: memory.ActionAdd, Entry: memory.Entry{ID: fmt.Sprintf("%s-%d", key, last), Key: key, Content: text(key, last)}}
		case rand.IntN(3) == 0:
			op, version = memory.Op{Action: memory.ActionRemove, Match: memory.Match{Key: key}}, 0
		}
		fmt.Fprintf(os.Stdout, "try %s %d\n", key, version)
		ch := memory.Change{Ops: []memory.Op{op}, Limit: memory.Limit{Runes: 1 << 30}, At: time.Now()}
		if _, err := p.Apply(context.Background(), ch); err != nil {
			return // the power is off
		}
		fmt.Fprintf(os.Stdout, "done %s %d\n", key, version)
		mine[key] = version
	}
}

// lyingFS says that the log is on disk when it is not.
type lyingFS struct{ file.FS }

func (l lyingFS) Open(name string, flags int, perm uint32) (file.File, error) {
	f, err := l.FS.Open(name, flags, perm)
	return lyingFile{f}, err
}

type lyingFile struct{ file.File }

func (lyingFile) Datasync() error { return nil }
