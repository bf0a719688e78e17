package file

import (
	"cmp"
	"context"
	"errors"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// checker examines a folder that is locked.
type checker struct {
	*openFolder
	problems
}

const runRepair = "run repair"

func (c *checker) check(ctx context.Context) (memory.Health, error) {
	h := memory.Health{Entries: c.state.Len()}
	for _, step := range []func(context.Context) error{c.journal, c.checkFiles, c.rejected} {
		if err := step(ctx); err != nil {
			return h, err
		}
	}
	h.Problems = sortProblems(c.problems)
	return h, nil
}

func sortProblems(list []memory.Problem) []memory.Problem {
	slices.SortStableFunc(list, func(a, b memory.Problem) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Code, b.Code))
	})
	return list
}

func (c *checker) journal(ctx context.Context) error {
	damage, err := c.journalDamage(ctx)
	if err == nil && damage != "" {
		c.add(journalName, "torn_journal", damage, runRepair+": the damaged journal is set aside, the entries stay, history begins anew")
	}
	return err
}

// journalDamage reads the journal through and says what is wrong with it.
func (f *openFolder) journalDamage(ctx context.Context) (string, error) {
	at := f.logs.lock.at
	x, err := indexJournal(ctx, f.dir.key(), f.logs.journal, at.Journal, math.MaxInt64)
	if err != nil {
		return "", err
	}
	damage := x.damage()
	if damage == "" && x.last != 0 && x.last != at.Done {
		damage = "its last lines are missing"
	}
	return damage, nil
}

func (c *checker) checkFiles(ctx context.Context) error {
	names, err := c.dir.ReadDir(".")
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
			c.add(name, "torn_journal", "a damaged journal, set aside: history began anew after it",
				"look at it, and remove it when there is nothing in it that you want")
		case strings.HasPrefix(name, foreignPrefix):
			c.add(name, "foreign_journal", "history that this user's rnixfs did not write, set aside and not believed: it came with a repository, from another machine, or from an earlier version",
				"look at it, and remove it when there is nothing in it that you want")
		case isEntryName(name):
			if err := errors.Join(ctx.Err(), c.entry(name)); err != nil {
				return err
			}
		}
	}
	for name := range c.catalog.files {
		if !there[name] {
			c.add(name, "edited", "the file is gone, its entry is not", runRepair)
		}
	}
	return nil
}

func (c *checker) entry(name string) error {
	data, _, err := c.dir.read(name)
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
	k := c.catalog.files[name]
	if problem, blocked := c.catalog.blocked[name]; blocked {
		c.add(name, problem.Code, problem.Reason, cmp.Or(problem.Mend, "remove it, or write the entry into it"))
		return nil
	}
	if k == nil || k.hash != hashOf(data) {
		c.add(name, "edited", "changed by hand and not taken in yet", runRepair)
		return nil
	}
	if id := idIn(data); id != "" && id != k.id {
		c.add(name, "duplicate_id", "names the id of another entry; it is kept as one of its own", "remove the id from the file")
	}
	return nil
}

func (c *checker) rejected(context.Context) error {
	reasons, err := c.aside.reasons()
	if err != nil {
		c.add(rejectedDir, "not_regular", "is no folder", "remove it")
	}
	for path, r := range reasons {
		c.add(path, "rejected", r.Reason, "mend the text and move it back, or remove it")
	}
	return nil
}
