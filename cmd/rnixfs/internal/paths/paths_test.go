package paths

import (
	"strings"
	"testing"
)

func TestHome(t *testing.T) {
	t.Setenv("HOME", "/somewhere")
	if home, err := Home(); err != nil || home != "/somewhere" {
		t.Errorf("%q, %v", home, err)
	}
	for _, bad := range []string{"", "relative"} {
		t.Setenv("HOME", bad)
		if home, err := Home(); err != nil || !strings.HasPrefix(home, "/") {
			t.Errorf("HOME=%q: %q, %v", bad, home, err)
		}
	}
}
