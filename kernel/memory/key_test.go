package memory

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestCut: an accent that is a character of its own stays with its letter.
func TestCut(t *testing.T) {
	const o = "o\u0308"
	for _, c := range []struct{ s, want string }{
		{"abc", "abc"}, {"abcd", "abc"}, {"ab" + o, "ab"}, {"a" + o + "b", "a" + o}, {o, o}, {"\u0308\u0308\u0308\u0308", ""}, {"", ""},
	} {
		if got := Cut(c.s, 3); got != c.want {
			t.Errorf("Cut(%q) = %q, want %q", c.s, got, c.want)
		}
	}
	long := DeriveKey("x" + strings.Repeat(o, 60))
	if n := utf8.RuneCountInString(long); n != 59 || !strings.HasSuffix(long, o) {
		t.Errorf("a key of %d characters: %q", n, long)
	}
}

func TestDeriveKey(t *testing.T) {
	for content, want := range map[string]string{
		"User prefers pytest for all tests":     "user-prefers-pytest-for-all-tests",
		"The API signs JWTs with RS256, not HS": "the-api-signs-jwts-with-rs256",
		"Don't panic":                           "dont-panic",
		"数据库迁移使用蓝绿部署策略":                         "数据库迁移使用蓝绿部署策略",
		"Café au lait":                          "café-au-lait",
		"../../etc/passwd":                      "etc-passwd",
		"!!!":                                   "entry",
		"":                                      "entry",
		strings.Repeat("x", 100):                strings.Repeat("x", keyRunes),
		"a\x00b\nc":                             "a-b-c",
		"नमस्ते दुनिया":                         "नमस्ते-दुनिया",
	} {
		if got := DeriveKey(content); got != want {
			t.Errorf("DeriveKey(%q) = %q, want %q", content, got, want)
		}
	}
}

func FuzzDeriveKey(f *testing.F) {
	f.Add("The API signs")
	f.Fuzz(func(t *testing.T, s string) {
		k := DeriveKey(s)
		if n := utf8.RuneCountInString(k); n == 0 || n > keyRunes {
			t.Errorf("DeriveKey(%q) = %q: %d runes", s, k, n)
		}
		if strings.ContainsAny(k, "/\\.\x00\n ") {
			t.Errorf("DeriveKey(%q) = %q has a character that is unsafe in a name", s, k)
		}
	})
}

func TestKindsHaveCodes(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range Kinds() {
		if c := k.Code(); c == "" || seen[c] {
			t.Errorf("kind %d: code %q is empty or not unique", k, c)
		} else {
			seen[c] = true
		}
	}
}
