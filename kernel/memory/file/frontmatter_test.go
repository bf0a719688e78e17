package file

import (
	"strings"
	"testing"
)

// TestFrontMatterLines requires the numbers in a refusal to be lines of the file.
func TestFrontMatterLines(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"twice", "---\ncategory: x\nkey: z\ntype: y\nkey: w\n---\ntext\n", "5:1: key: given twice, first in line 3"},
		{"open list", "---\ncategory: x\ntype: y\nkey: [oops\n---\ntext\n", "4: did not find expected ',' or ']'"},
		{"open list and more", "---\ncategory: x\ntype: y\nkey: [oops\npinned: true\ntags: [a]\n---\ntext\n", "4: did not find expected ',' or ']'"},
		{"open list at once", "---\nkey: [oops\n---\ntext\n", "2: did not find expected ',' or ']'"},
		{"open list, CRLF", "---\r\ncategory: x\r\nkey: [oops\r\n---\r\ntext\r\n", "3: did not find expected ',' or ']'"},
		{"open map", "---\ncategory: x\nmetadata: {a: 1\n---\ntext\n", "3: did not find expected ',' or '}'"},
		{"scanner", "---\ncategory: x\nkey: a: b\n---\ntext\n", "3: mapping values are not allowed in this context"},
		{"scanner at once", "---\nkey: a: b\n---\ntext\n", "2: mapping values are not allowed in this context"},
		{"open text", "---\ncategory: x\nkey: \"oops\n---\ntext\n", "3: found unexpected end of stream"},
		{"no key", "---\ncategory: x\n- y\n---\ntext\n", "3: did not find expected key"},
		{"type", "---\ncategory: x\npinned: perhaps\n---\ntext\n", "3:9: pinned: must be true or false"},
		{"range", "---\ncategory: x\n\nimportance: 2\n---\ntext\n", "4:13: importance: must be from 0 to 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := decode([]byte(c.in))
			if err == nil || strings.TrimPrefix(err.Error(), "front matter: ") != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}
