package file

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// legacyNames are the files of the reference system: one entry a line, each
// behind a section sign.
var legacyNames = []string{"MEMORY.md", "USER.md"}

const (
	legacyMark   = "§"
	importedName = ".imported" // appended to a file that was taken in
)

func isLegacy(name string, data []byte) bool {
	if !slices.Contains(legacyNames, name) {
		return false
	}
	found := false
	for line := range bytes.Lines(data) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && !bytes.HasPrefix(line, []byte(legacyMark)) {
			return false
		}
		found = found || len(line) > 0
	}
	return found
}

// importLegacy plans an entry for each line, and the renaming of the file. Ids
// are derived from the lines, so that an import which was cut off and begins
// anew adds nothing twice.
func (b *batch) importLegacy(ctx context.Context, name string, data []byte) error {
	n := 0
	for line := range strings.Lines(string(data)) {
		text := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), legacyMark))
		if text == "" {
			continue
		}
		n++
		id := derivedID(fmt.Sprintf("%s#%d#%s", name, n, text))
		if b.p.state.ByID(id) != nil {
			continue
		}
		if err := b.importLine(ctx, name, &memory.Entry{ID: id, Importance: memory.DefaultImportance, Content: text}); err != nil {
			return err
		}
	}
	b.imported = append(b.imported, name)
	return nil
}

func (b *batch) importLine(ctx context.Context, name string, e *memory.Entry) error {
	p := b.p
	var why error
	if p.opts.Hooks.Admit != nil {
		why = p.opts.Hooks.Admit(ctx, e)
	}
	if why == nil {
		_, why = b.add(memory.Change{
			Ops:   []memory.Op{{Action: memory.ActionAdd, Entry: *e}},
			Limit: p.limit(), Actor: memory.Source{Trust: memory.TrustImported, Road: "legacy"}, At: p.opts.Clock(),
		}, nil)
		var edited errEdited
		if why == nil || errors.As(why, &edited) || memory.KindOf(why) == memory.KindInternal {
			return why
		}
	}
	return p.setAside(ctx, name, []byte(e.Content+"\n"), why)
}

// renameImported puts the files that were taken in out of the way.
func (b *batch) renameImported() {
	for _, name := range b.imported {
		to := name + importedName
		for n := 2; ; n++ {
			err := b.p.fs.Rename(name, to, NoReplace)
			if errors.Is(err, os.ErrExist) && n < 1000 {
				to = fmt.Sprintf("%s%s-%d", name, importedName, n)
				continue
			}
			if err != nil {
				b.p.log.Error("rename an imported file", "name", name, "error", err)
			}
			break
		}
	}
	b.imported = nil
}
