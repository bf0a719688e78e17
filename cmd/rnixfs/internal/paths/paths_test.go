package paths

import (
	"errors"
	"os"
	"path/filepath"
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

// TestPrivate: a folder under /tmp is this user's own, or no place for a mount.
func TestPrivate(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root to be other users")
	}
	const me, other = 30001, 30002
	for name, tc := range map[string]struct {
		parent, mode os.FileMode
		owner        int
		link, ok     bool
	}{
		"own":                       {os.ModeSticky | 0o777, 0o700, me, false, true},
		"own, made by an older one": {os.ModeSticky | 0o777, 0o755, me, false, true},
		"missing":                   {os.ModeSticky | 0o777, 0, 0, false, true},
		"squatted":                  {os.ModeSticky | 0o777, 0o700, other, false, false},
		"root's":                    {os.ModeSticky | 0o777, 0o755, 0, false, false},
		"open to all":               {os.ModeSticky | 0o777, 0o777, me, false, false},
		"open to the group":         {os.ModeSticky | 0o777, 0o770, me, false, false},
		"a link":                    {os.ModeSticky | 0o777, 0, me, true, false},
		"to be replaced":            {0o777, 0o700, me, false, false},
		"missing, to be replaced":   {0o777, 0, 0, false, false},
	} {
		parent := filepath.Join(t.TempDir(), "tmp")
		dir := filepath.Join(parent, "rnix-30001")
		err := os.Mkdir(parent, 0o700)
		if tc.mode != 0 {
			err = errors.Join(err, os.Mkdir(dir, 0o700), os.Chown(dir, tc.owner, -1), os.Chmod(dir, tc.mode))
		}
		if tc.link {
			err = errors.Join(err, os.Symlink("/root", dir), os.Lchown(dir, tc.owner, -1))
		}
		if err = errors.Join(err, os.Chmod(parent, tc.parent)); err != nil {
			t.Fatal(err)
		}
		if err := private(dir, me); (err == nil) != tc.ok {
			t.Errorf("%s: %v", name, err)
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
