package file

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// The files of the reference system: one entry a line, each behind a section sign.
const (
	legacyMemory = "MEMORY.md"
	legacyUser   = "USER.md" // what is in it is about the user
	legacySign   = "§"
)

// importedExt is of what is kept of a file that was taken in: its text, masked.
const importedExt = ".imported"

func isLegacy(name string, data []byte) bool {
	return (name == legacyMemory || name == legacyUser) && len(legacyTexts(data)) > 0
}

// legacyTexts are the texts of a legacy file; none of a file that is none.
func legacyTexts(data []byte) (texts []string) {
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		text, ok := strings.CutPrefix(line, legacySign)
		if line != "" && !ok {
			return nil
		}
		if text = strings.TrimSpace(text); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// importLegacy plans an entry for each line of a legacy file. Ids are derived
// from the lines, so that an import which was cut off and begins anew adds
// nothing twice.
func (r *reconciliation) importLegacy(o *observation) error {
	for i, text := range legacyTexts(o.data) {
		id := derivedID(fmt.Sprintf("%s#%d#%s", o.name, i+1, text))
		why := r.importText(o.name, id, text)
		switch {
		case why == nil:
			continue
		case errors.As(why, new(errEdited)):
			return why
		case retryable(why):
			r.opts.Logger.Warn("the file is taken in later", "file", o.name, "error", why)
			return nil
		}
		tell, err := r.aside.setAside(r.ctx, o.name, []byte(text+"\n"), why)
		if err != nil {
			return err
		}
		tell()
	}
	r.imported = append(r.imported, o)
	return nil
}

// retryable reports whether an error says nothing against the text.
func retryable(err error) bool {
	return slices.Contains([]memory.Kind{
		memory.KindInternal, memory.KindUnavailable, memory.KindTimeout, memory.KindReadOnly, memory.KindDenied, memory.KindOverLimit,
	}, memory.KindOf(err))
}

func (r *reconciliation) importText(name, id, text string) error {
	if name == legacyUser && r.opts.Profile != nil {
		return r.opts.Profile(r.ctx, id, text)
	}
	if r.alive(id) {
		return nil
	}
	e := memory.Entry{ID: id, Importance: memory.DefaultImportance, Content: text}
	if admit := r.opts.Hooks.Admit; admit != nil {
		if err := admit(r.ctx, &e); err != nil {
			return err
		}
	}
	_, err := r.batch.add(memory.Change{
		Ops:   []memory.Op{{Action: memory.ActionAdd, Entry: e}},
		Limit: r.limit, Actor: memory.Source{Trust: memory.TrustImported, Road: "legacy"}, At: r.at,
	}, nil)
	return err
}

// keepImported puts the files that were taken in out of the way.
func (r *reconciliation) keepImported() {
	for _, o := range r.imported {
		if err := r.keepMasked(o); err != nil {
			r.opts.Logger.Error("keep an imported file", "name", o.name, "error", err)
			continue
		}
		if err := r.dir.takeAway(o.name, o.info); err != nil {
			r.opts.Logger.Error("remove an imported file", "name", o.name, "error", err)
		}
	}
}

// keepMasked writes what may be kept of a file's text into a new file.
func (r *reconciliation) keepMasked(o *observation) error {
	kept, _ := r.aside.masked(r.ctx, o.data)
	free, err := r.dir.free(o.name+importedExt, "")
	if err != nil {
		return err
	}
	return r.dir.writeNew(free, kept)
}
