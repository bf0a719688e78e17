package config

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"syscall"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Place is where a value was set: a file, and the line of its key there. The
// zero Place is the built-in default.
type Place struct {
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

// String returns "file:line", or "default".
func (p Place) String() string {
	if p.File == "" {
		return "default"
	}
	return p.File + ":" + strconv.Itoa(p.Line)
}

// Loaded is a configuration, and where it came from.
type Loaded struct {
	Config  Config
	Sources Sources
	Files   []string         // that were read, the least specific first
	Origin  map[string]Place // by key; a key that is not there has its default
	// Refused is what is wrong with files of a project that are not in force; nil
	// when there are none. See [Working].
	Refused *Error

	texts map[string][]byte // of the files in force, by path
}

// Load reads the files of the sources. The error is a *memory.Error of
// KindInvalid around an [*Error] with every problem of every file, or the
// context's.
func Load(ctx context.Context, from Sources) (*Loaded, error) {
	l, problems, err := load(ctx, from, nil)
	if err == nil && len(problems) > 0 {
		err = invalid(problems)
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

// Working is Load, but a project's file with a mistake is left out, and said in
// Refused: whoever can write to a repository must not be able to stop its readers.
// A mistake in the user's own file, or in the one of --config, is an error.
func Working(ctx context.Context, from Sources) (*Loaded, error) { return working(ctx, from, nil) }

// working is Working; in the place of a project's file with a mistake stays what it
// said in before, which may be nil.
func working(ctx context.Context, from Sources, before *Loaded) (*Loaded, error) {
	var texts map[string][]byte
	if before != nil {
		texts = before.texts
	}
	l, problems, err := load(ctx, from, texts)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(problems, func(p Problem) bool { return from.mine(p.File) }) {
		return nil, invalid(problems)
	}
	if len(problems) > 0 {
		l.Refused = &Error{Problems: problems}
	}
	return l, nil
}

// For is what holds in another place than the one that l was loaded for: it reads the
// files of that place, and the user's. In the place of one with a mistake stays what
// it said in l, or else in last, which may be nil; what is wrong with it is in
// Refused. The error is the context's.
func (l *Loaded) For(ctx context.Context, from Sources, last *Loaded) (*Loaded, error) {
	texts := map[string][]byte{}
	if last != nil {
		maps.Copy(texts, last.texts)
	}
	maps.Copy(texts, l.texts)
	out, problems, err := load(ctx, from, texts)
	if err == nil && len(problems) > 0 {
		out.Refused = &Error{Problems: problems}
	}
	return out, err
}

func invalid(problems []Problem) error {
	return memory.Errorf(memory.KindInvalid, "load configuration", "%w", &Error{Problems: problems})
}

// load lays those files over each other that have no problems.
func load(ctx context.Context, from Sources, before map[string][]byte) (*Loaded, []Problem, error) {
	l := &Loaded{Config: Default(), Sources: from, Origin: map[string]Place{}, texts: map[string][]byte{}}
	var problems []Problem
	for _, path := range from.Paths() {
		if err := ctx.Err(); err != nil {
			return nil, nil, memory.Errorf(memory.KindTimeout, "load configuration", "%w", err)
		}
		data, err := from.read(path)
		if errors.Is(err, fs.ErrNotExist) && from.Explicit == "" {
			continue
		}
		found := []Problem{{File: path}}
		if err != nil {
			found[0].Reason = err.Error()
		} else {
			found = l.lay(path, data)
		}
		if len(found) > 0 && before[path] != nil {
			_ = l.lay(path, before[path]) // had none then; if it has some now, it is left out
		}
		problems = append(problems, found...)
	}
	return l, problems, nil
}

// lay lays one file over what is loaded already, unless it has problems.
func (l *Loaded) lay(path string, data []byte) []Problem {
	over, mine := l.Config, l.Sources.mine(path)
	lines, found := decode(data, &over, mine)
	problems := make([]Problem, len(found))
	for i, p := range found {
		problems[i] = Problem{File: path, Problem: p}
	}
	if len(problems) > 0 {
		return problems
	}
	l.Config = over
	l.Files = append(l.Files, path)
	l.texts[path] = data
	for key, line := range lines {
		l.Origin[key] = Place{File: path, Line: line}
	}
	return nil
}

// read returns what is in the file, or the beginning of what is too long. Its
// errors do not name the path. A missing file is fs.ErrNotExist.
func (s Sources) read(path string) ([]byte, error) {
	// O_NONBLOCK: opening a FIFO must not wait for a writer, open(2).
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ENOTDIR) {
		return nil, fs.ErrNotExist // a parent is no folder: then neither is there a file
	}
	if err != nil {
		return nil, fmt.Errorf("cannot be opened: %w", cause(err))
	}
	defer func() { _ = f.Close() }() // nothing was written
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, fmt.Errorf("cannot be read: %w", cause(err))
	case !info.Mode().IsRegular():
		return nil, errors.New("is not a regular file")
	case s.Explicit == "" && !trusted(info, os.Geteuid(), int(s.UID)):
		return nil, errors.New("could have been written by another user; chown or chmod it, or name it with --config")
	}
	data, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", cause(err))
	}
	return data, nil
}

// cause strips the path, which stands before the message already.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// trusted reports whether only one of the users or root can have written the file.
// Groups are let pass: many systems give each user a group of their own, and a
// umask of 002.
func trusted(info fs.FileInfo, uids ...int) bool {
	owner := uids[0]
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		owner = int(st.Uid)
	}
	return (slices.Contains(uids, owner) || owner == 0) && info.Mode().Perm()&0o002 == 0
}
