package config

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strconv"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Place is where a value was set: a file, and the line of its key there, or a preset.
// The zero Place is the built-in default.
type Place struct {
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Preset string `json:"preset,omitempty"`
}

// String returns "file:line", "preset name", or "default".
func (p Place) String() string {
	switch {
	case p.Preset != "":
		return "preset " + p.Preset
	case p.File == "":
		return "default"
	}
	return p.File + ":" + strconv.Itoa(p.Line)
}

// Loaded is a configuration and its origin.
type Loaded struct {
	Config  Config
	Own     Config // of the user's own files alone: what holds beyond a project
	Sources Sources
	Files   []string         // in force, the least specific first
	Origin  map[string]Place // by key, and by cell of a table; what is not there has its default
	// Refused has the problems of a project's files, or keys, that are not in force;
	// nil without any. See [Working].
	Refused *Error

	texts map[string][]byte // of the files in force, by path
}

// Load reads the files of the sources. The error is a *memory.Error of
// KindInvalid around an [*Error] with every problem of every file, or the
// context's.
func Load(ctx context.Context, from Sources) (*Loaded, error) {
	l, err := load(ctx, from, nil)
	return l.unless(err, func(Problem) bool { return true })
}

// Working is Load, but a project's file with a mistake is left out and reported in
// Refused: a repository's writer must not be able to stop its readers.
// A mistake in the user's own file, or in the one of --config, is an error.
func Working(ctx context.Context, from Sources) (*Loaded, error) { return working(ctx, from, nil) }

// working is Working, but a project's file with a mistake is replaced by its text in
// before, if it is there.
func working(ctx context.Context, from Sources, before map[string][]byte) (*Loaded, error) {
	l, err := load(ctx, from, before)
	return l.unless(err, func(p Problem) bool { return from.mine(p.File) })
}

// For loads the configuration of another place: its files, and the user's. A file
// with a mistake is replaced by its text in l, or else in last, which may be nil; its
// problems are in Refused. The error is the context's.
func (l *Loaded) For(ctx context.Context, from Sources, last *Loaded) (*Loaded, error) {
	texts := map[string][]byte{}
	if last != nil {
		maps.Copy(texts, last.texts)
	}
	maps.Copy(texts, l.texts)
	return load(ctx, from, texts)
}

// unless returns l, or an error with all problems if one of them is fatal.
func (l *Loaded) unless(err error, fatal func(Problem) bool) (*Loaded, error) {
	if err == nil && l.Refused != nil && slices.ContainsFunc(l.Refused.Problems, fatal) {
		err = memory.Errorf(memory.KindInvalid, "load configuration", "%w", l.Refused)
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

// load lays the files without problems over each other. A file with problems is
// replaced by its text in before, if it is there. The error is the context's.
func load(ctx context.Context, from Sources, before map[string][]byte) (*Loaded, error) {
	l := &Loaded{Config: Default(), Own: Default(), Sources: from, Origin: map[string]Place{}, texts: map[string][]byte{}}
	var problems []Problem
	for _, path := range from.Paths() {
		if err := ctx.Err(); err != nil {
			return nil, memory.Errorf(memory.KindTimeout, "load configuration", "%w", err)
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
		if l.texts[path] == nil && before[path] != nil {
			_ = l.lay(path, before[path]) // had none then; if it has some now, it is left out
		}
		problems = append(problems, found...)
	}
	if len(problems) > 0 {
		l.Refused = &Error{Problems: problems}
	}
	return l, nil
}

// lay lays one file over what is loaded already, unless it has problems, and returns
// these, or what was ignored.
func (l *Loaded) lay(path string, data []byte) (problems []Problem) {
	over, mine := l.Config, l.Sources.mine(path)
	origin, found, ignored := decode(data, &over, mine)
	for _, p := range slices.Concat(found, ignored) {
		problems = append(problems, Problem{File: path, Problem: p})
	}
	if len(found) > 0 {
		return problems[:len(found)]
	}
	l.Config = over
	if mine {
		l.Own = over
	}
	l.Files = append(l.Files, path)
	l.texts[path] = data
	for key, place := range origin {
		if place.Preset == "" {
			place.File = path
		}
		l.Origin[key] = place
	}
	return problems
}
