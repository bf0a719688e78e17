package file

import (
	"os"
	"slices"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// known is a file as last written or read.
type known struct {
	id   string
	says string // the id that it names: another one in a copy, none in a plain text
	hash string
	info Info // zero: not looked at since another process wrote it
}

// catalog is which entry each file is, as far as it is known.
type catalog struct {
	dir     *dir
	files   map[string]*known         // by file name
	names   map[string]string         // by entry id
	blocked map[string]memory.Problem // files that can't be read; their names are not reused
}

func newCatalog(d *dir) *catalog {
	return &catalog{dir: d, files: map[string]*known{}, names: map[string]string{}, blocked: map[string]memory.Problem{}}
}

// unchanged reports whether a known file is as we know it. One that was only
// rewritten with the same bytes is.
func (c *catalog) unchanged(name string) (bool, error) {
	k := c.files[name]
	if k == nil {
		return false, nil
	}
	info, err := c.dir.Lstat(name)
	if err != nil {
		return false, unless(err, os.ErrNotExist)
	}
	if info == k.info {
		return true, nil
	}
	data, info, err := c.dir.read(name)
	if err != nil {
		return false, nil // whoever takes it in finds out why
	}
	if hashOf(data) != k.hash {
		return false, nil
	}
	c.files[name] = &known{id: k.id, says: idIn(data), hash: k.hash, info: info}
	return true, nil
}

// differing returns which of the named files are not as they are known.
func (c *catalog) differing(names []string) (out []string) {
	for _, name := range names {
		if same, err := c.unchanged(name); err != nil || !same {
			out = append(out, name)
		}
	}
	return out
}

// allDiffering returns the names of all files that are not as they are known,
// missing ones too.
func (c *catalog) allDiffering() ([]string, error) {
	names, err := c.dir.entryNames()
	if err != nil {
		return nil, err
	}
	out := c.differing(names)
	there := map[string]bool{}
	for _, name := range names {
		there[name] = true
	}
	for name := range c.files {
		if !there[name] {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out, nil
}

// taken reports whether a file has a name, or had it and can't be read.
func (c *catalog) taken(name string) (bool, error) {
	if _, blocked := c.blocked[name]; blocked || c.files[name] != nil {
		return true, nil
	}
	_, err := c.dir.Lstat(name)
	return err == nil, unless(err, os.ErrNotExist)
}
