package rules

import (
	"regexp"
	"testing"
)

// TestPatterns compiles them all.
func TestPatterns(t *testing.T) {
	if len(patterns) < 80 {
		t.Errorf("only %d patterns are known", len(patterns))
	}
	for _, p := range patterns {
		if _, err := regexp.Compile(p.text); err != nil {
			t.Error(err)
		}
	}
}
