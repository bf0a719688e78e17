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

func TestConfig(t *testing.T) {
	for _, tc := range []struct{ xdg, want string }{
		{"/x", "/x/rnix"},
		{"", "/h/.config/rnix"},
		{"relative", "/h/.config/rnix"},
	} {
		t.Setenv("HOME", "/h")
		t.Setenv("XDG_CONFIG_HOME", tc.xdg)
		if got, err := Find(); err != nil || got.Config != tc.want {
			t.Errorf("%+v: got %q, %v", tc, got.Config, err)
		}
	}
}
