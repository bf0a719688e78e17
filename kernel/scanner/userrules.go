package scanner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/pelletier/go-toml/v2"
)

// loadUser reads a file of rules that a user wrote, in gitleaks' format with our
// keys. Its errors name the file, the rule and the reason. Keys that would mean
// more than they do here are errors, so that no protection is assumed that is not there:
// [extend], whose third use in one process loses all rules, a global allow list,
// whose place is [Options].Allow, rules for paths.
func loadUser(path string) ([]ruleSpec, string, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, "", fmt.Errorf("rules: %w", err)
	}
	specs, err := parseUser(string(raw), path)
	if err == nil {
		err = tryUser(specs)
	}
	if err != nil {
		return nil, "", fmt.Errorf("rules %s: %w", path, err)
	}
	return specs, string(raw), nil
}

func parseUser(src, path string) ([]ruleSpec, error) {
	f, err := parseRules(src)
	if err != nil {
		return nil, explain(err)
	}
	switch {
	case f.Allowlist != nil:
		return nil, errors.New("a global allow list has no effect here: use the scanner's own list of exceptions")
	case len(f.Rules) == 0:
		return nil, errors.New("no rules")
	}
	for i := range f.Rules {
		s := &f.Rules[i]
		s.file, s.Category, s.Description = path, cmp.Or(s.Category, CategorySecret), cmp.Or(s.Description, s.ID)
		if err := check(*s); err != nil {
			return nil, fmt.Errorf("rule %s: %w", s.ID, err)
		}
	}
	return f.Rules, nil
}

// explain names the place of an error of TOML.
func explain(err error) error {
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) && len(strict.Errors) > 0 {
		row, _ := strict.Errors[0].Position()
		return fmt.Errorf("line %d: unknown key %v", row, strict.Errors[0].Key())
	}
	var syntax *toml.DecodeError
	if errors.As(err, &syntax) {
		row, column := syntax.Position()
		return fmt.Errorf("line %d, column %d: %w", row, column, err)
	}
	return err
}

// tryUser compiles a user's rules and runs the tests that they bring along.
func tryUser(specs []ruleSpec) error {
	for _, s := range specs {
		r, err := newRule(s)
		if err != nil {
			return err
		}
		if err := r.compile(); err != nil {
			return fmt.Errorf("rule %s: %w", s.ID, err)
		}
		e := newEngine([]*rule{r})
		for n, c := range s.Tests {
			found, err := e.fires(c.Text)
			if err == nil && found != c.Want {
				err = fmt.Errorf("found %v, want %v", found, c.Want)
			}
			if err != nil {
				return fmt.Errorf("rule %s: test %d: %w", s.ID, n+1, err)
			}
		}
	}
	return nil
}

// fires reports whether a rule of the engine finds anything in a text.
func (e *engine) fires(text string) (bool, error) {
	found := false
	err := e.scan(context.Background(), Field{Name: "content", Text: text}, &windows{}, func(*match) bool {
		found = true
		return false
	})
	return found, err
}
