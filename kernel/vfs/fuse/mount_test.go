package fuse

import (
	"os"
	"strings"
	"testing"
)

func TestSmoke(t *testing.T) {
	m := mount(t, serving{Verbose: os.Getenv("V") != ""})
	out, errs, rc := m.sh(t, "bash", `cd $M; ls -la; echo '{"q":"one"}' > recall && cat recall; cat commit; cat status; echo bad > commit; cat commit; sleep 0.5; cat recall; df .; df profile`)
	t.Log(out, errs, rc)
	if !strings.Contains(out, `"q":"one"`) {
		t.Fatal("no reply")
	}
}
