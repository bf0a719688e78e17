package daemon

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/paths"
)

func TestForgetEmpty(t *testing.T) {
	p := paths.Paths{Data: t.TempDir()}
	old := time.Now().Add(-2 * time.Hour)
	for name, c := range map[string]struct {
		in   string
		at   time.Time
		gone bool
	}{"empty": {".rnix", old, true}, "young": {".rnix", time.Now(), false}, "full": {".rnix/memory", old, false}, "plain": {".", old, false}} {
		dir := p.Container(uint32(os.Getuid()), name)
		if err := errors.Join(os.MkdirAll(filepath.Join(dir, c.in), 0o700), os.Chtimes(dir, c.at, c.at)); err != nil {
			t.Fatal(err)
		}
		forgetEmpty(p, time.Now().Add(-time.Hour))
		if _, err := os.Stat(filepath.Join(dir, c.in)); os.IsNotExist(err) != c.gone {
			t.Errorf("%s: %v", name, err)
		}
	}
}
