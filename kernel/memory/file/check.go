package file

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Check implements memory.Checker.
func (p *Provider) Check(ctx context.Context) (memory.Health, error) {
	var h memory.Health
	err := p.exclusive(ctx, func() error {
		var err error
		h, err = p.check()
		return err
	})
	return h, wrap("check", err)
}

// Repair implements memory.Checker. It takes in what was edited, removes what a
// crash left, goes on with what can be read of a damaged journal and makes
// everything durable. It rewrites no person's file.
func (p *Provider) Repair(ctx context.Context) (memory.Health, error) {
	var h memory.Health
	err := p.exclusive(ctx, func() error {
		if err := p.repair(ctx); err != nil {
			return err
		}
		var err error
		h, err = p.check()
		return err
	})
	return h, wrap("repair", err)
}

func (p *Provider) repair(ctx context.Context) error {
	if err := p.cleanTemps(); err != nil {
		return err
	}
	m, err := p.journalRemains()
	if err != nil {
		return err
	}
	if !p.continues(m) {
		if err := p.reloadWith(ctx, true); err != nil {
			return err
		}
	}
	if err := p.settleAll(ctx); err != nil {
		return err
	}
	return p.checkpoint()
}

func (p *Provider) check() (memory.Health, error) {
	h := memory.Health{Entries: p.state.Len()}
	c := checker{p: p}
	if err := p.background.problem(); err != nil {
		c.add(".", "not_watched", "edits by hand are taken in seconds late: "+memory.ReasonOf(err), "raise the limits of inotify (sysctl fs.inotify)")
	}
	for _, step := range []func() error{c.journal, c.folder, c.rejected} {
		if err := step(); err != nil {
			return h, err
		}
	}
	slices.SortStableFunc(c.problems, func(a, b memory.Problem) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Code, b.Code))
	})
	h.Problems = c.problems
	return h, nil
}

type checker struct {
	p        *Provider
	problems []memory.Problem
	live     *remains // of the journal
}

func (c *checker) add(path, code, reason, mend string) {
	c.problems = append(c.problems, memory.Problem{Path: path, Code: code, Reason: reason, Mend: mend})
}

const runRepair = "run repair"

func (c *checker) folder() error {
	names, err := c.p.fs.ReadDir(".")
	if err != nil {
		return err
	}
	there := map[string]bool{}
	for _, name := range names {
		there[name] = true
		switch {
		case strings.HasPrefix(name, tmpPrefix):
			c.add(name, "orphan_temp", "left behind by a crash", runRepair)
		case strings.HasPrefix(name, asidePrefix):
			if err := c.aside(name); err != nil {
				return err
			}
		case isEntryName(name):
			if err := c.entry(name); err != nil {
				return err
			}
		}
	}
	for name := range c.p.files {
		if !there[name] {
			c.add(name, "edited", "the file is gone, its entry is not", runRepair)
		}
	}
	return nil
}

func (c *checker) entry(name string) error {
	data, _, err := c.p.readEntry(name)
	var not errNotEntry
	switch {
	case errors.As(err, &not):
		mend := "remove it, or make it a readable text file"
		if not.problem.Code == "too_big" {
			mend = "make it smaller, or remove it"
		}
		c.add(name, not.problem.Code, not.problem.Reason, mend)
		return nil
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	k := c.p.files[name]
	if problem, blocked := c.p.blocked[name]; blocked {
		c.add(name, problem.Code, problem.Reason, "remove it, or write the entry into it")
		return nil
	}
	if k == nil || k.hash != hashOf(data) {
		c.add(name, "edited", "changed by hand and not taken in yet", runRepair)
		return nil
	}
	if e, err := decode(data); err == nil && e.ID != "" && e.ID != k.id {
		c.add(name, "duplicate_id", "names the id of another entry; it is kept as one of its own", "remove the id from the file")
	}
	return nil
}

func (c *checker) rejected() error {
	names, err := c.p.fs.ReadDir(rejectedDir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		c.add(rejectedDir, "not_regular", "is no folder", "remove it")
		return nil
	}
	for _, name := range names {
		text, ok := strings.CutSuffix(name, ".reason.json")
		if !ok {
			continue
		}
		c.add(rejectedDir+"/"+text, "rejected", c.reason(rejectedDir+"/"+name), "mend the text and move it back, or remove it")
	}
	return nil
}

func (c *checker) reason(path string) string {
	const unknown = "set aside for a reason that can't be read"
	f, err := c.p.fs.Open(path, unix.O_RDONLY, 0)
	if err != nil {
		return unknown
	}
	data, _, err := readAll(f)
	var r rejection
	if err := errors.Join(err, f.Close()); err != nil || json.Unmarshal(data, &r) != nil {
		return unknown
	}
	return r.Reason
}
