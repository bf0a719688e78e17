package writeback

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// TestStatements: what is found is what would be made, those that were used last are
// found, and not all that ever were are kept.
func TestStatements(t *testing.T) {
	c := statements{most: 100_000}
	check := func(text string) *statement {
		t.Helper()
		s := c.of(text)
		if !reflect.DeepEqual(s, newStatement(text)) {
			t.Errorf("%q: %+v", text, s)
		}
		held := 0
		for text := range c.used {
			held += sizeOf(text)
		}
		if held != c.size || held > c.most {
			t.Errorf("%d bytes are held, %d were counted", held, c.size)
		}
		return s
	}
	text := func(i int) string { return fmt.Sprint("Service ", i, " listens  on port 80.") }
	few := c.most/sizeOf(text(10)) - 1
	first := check(text(0))
	for i := range 10 * few {
		check(text(i))
		if i < few && check(text(0)) != first {
			t.Fatalf("made anew after %d others", i)
		}
	}
	if check(text(0)) == first {
		t.Error("kept for good")
	}
	last := check(text(1))
	for i := range few {
		check(text(2 + i))
	}
	if check(text(1)) != last {
		t.Error("one of those that were used last was made anew")
	}
	huge := strings.Repeat("x", c.most)
	if first := check(huge); check(huge) == first || len(c.used) == 1 {
		t.Error("one that takes it all was kept")
	}
}
