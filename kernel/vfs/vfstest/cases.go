package vfstest

import (
	_ "embed"
	"encoding/json"
	"strings"
	"testing"
)

//go:embed cases.txt
var cases string

// group is requests that follow one another in a project of their own.
type group struct {
	name, config string
	steps        []step
}

// step is a request and what has to come back.
type step struct {
	line            int
	device, request string
	answer
	unserved *answer // of a kernel that no mount serves; nil: the same
}

// answer is what has to come back.
type answer struct {
	code string // "" of a request that is done
	want map[string]any
}

// groups reads cases.txt.
func groups(t *testing.T) (all []group) {
	t.Helper()
	for i, line := range strings.Split(cases, "\n") {
		mark, rest, _ := strings.Cut(line, " ")
		word, text, _ := strings.Cut(rest, " ")
		if mark == "==" {
			all = append(all, group{name: rest})
			continue
		}
		if mark == "" || mark == "#" {
			continue
		}
		g := &all[len(all)-1]
		switch mark {
		case "yaml":
			g.config = rest
		case ">":
			g.steps = append(g.steps, step{line: i + 1, device: word, request: text})
		case "<", "<-":
			a := answer{code: word, want: map[string]any{}}
			if word == "ok" {
				a.code = ""
			}
			if text != "" {
				if err := json.Unmarshal([]byte(text), &a.want); err != nil {
					t.Fatalf("cases.txt:%d: %v", i+1, err)
				}
			}
			if s := &g.steps[len(g.steps)-1]; mark == "<" {
				s.answer = a
			} else {
				s.unserved = &a
			}
		default:
			t.Fatalf("cases.txt:%d: %q", i+1, line)
		}
	}
	return all
}
