package scanner

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

//go:embed rules/*.toml
var ownRules embed.FS

// ownFiles returns our own files of rules, in order of name.
func ownFiles() ([]string, error) {
	entries, err := ownRules.ReadDir("rules")
	if err != nil {
		return nil, fmt.Errorf("own rules: %w", err)
	}
	var files []string
	for _, e := range entries {
		src, err := ownRules.ReadFile("rules/" + e.Name())
		if err != nil {
			return nil, fmt.Errorf("own rules: %w", err)
		}
		files = append(files, string(src))
	}
	return files, nil
}

// ruleFile is a file of rules: gitleaks' keys first, then ours. In the text of a
// test, {{an:32}} stands for 32 letters and digits that the test makes up, so
// that nothing in a file looks like a secret. A window is all that a rule sees
// around a keyword: wide enough for the longest match, and then {16,} in the
// expression is cheaper than {16,400}.
type ruleFile struct {
	Schema      int         `toml:"schema"`
	Title       string      `toml:"title"`
	Description string      `toml:"description"`
	MinVersion  string      `toml:"minVersion"`
	Rules       []ruleSpec  `toml:"rules"`
	Tokens      []tokenSpec `toml:"tokens"`    // ours
	Allowlist   *allowSpec  `toml:"allowlist"` // gitleaks' global list; never used, see gitleaks.go
}

// ruleSpec is one rule as written.
type ruleSpec struct {
	gitleaksKeys
	placeKeys
	Severity string     `toml:"severity"` // reject, redact, warn, off; never stricter than the category's
	Category string     `toml:"category"`
	Finder   string     `toml:"finder"` // a name in finders, instead of an expression
	Filter   string     `toml:"filter"` // a name in filters
	Steers   bool       `toml:"steers"` // in a longer text, only where the model of words half agrees
	Redact   string     `toml:"redact"` // value, match, block, url, paragraph
	Tests    []ruleTest `toml:"tests"`

	file    string // the user's file that it is from; empty for gitleaks' and ours
	foreign bool   // gitleaks'
}

// gitleaksKeys are the keys that gitleaks has, too.
type gitleaksKeys struct {
	ID          string      `toml:"id"`
	Description string      `toml:"description"`
	Regex       string      `toml:"regex"`
	Path        string      `toml:"path"`
	Keywords    []string    `toml:"keywords"`
	Entropy     float64     `toml:"entropy"`
	SecretGroup int         `toml:"secretGroup"`
	Tags        []string    `toml:"tags"`
	Allowlists  []allowSpec `toml:"allowlists"`
}

// placeKeys say where a rule looks.
type placeKeys struct {
	Views  []string `toml:"views"`  // default: all
	Window []int    `toml:"window"` // bytes before and after a keyword
	Then   []string `toml:"then"`   // words one of which follows a keyword in the window
	Also   []string `toml:"also"`   // words one of which is in the window
	Word   bool     `toml:"word"`   // keywords count at the beginning of a word only
	Near   string   `toml:"near"`   // a name in nears
	Runs   string   `toml:"runs"`   // a name in wordTests, instead of keywords
}

// allowSpec is what a rule lets pass.
type allowSpec struct {
	Description string   `toml:"description"`
	Condition   string   `toml:"condition"` // OR (default) or AND
	RegexTarget string   `toml:"regexTarget"`
	Regexes     []string `toml:"regexes"`
	StopWords   []string `toml:"stopwords"`
	Paths       []string `toml:"paths"`
	Commits     []string `toml:"commits"`
}

// ruleTest is a text that the rule alone must find, or must let pass.
type ruleTest struct {
	Text string `toml:"text"`
	Want bool   `toml:"want"`
}

// schema is the version of the format of our own files.
const schema = 1

var ruleID = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{1,62}[a-z0-9]$`)

// parseRules decodes a file. An unknown key is an error: a rule that means
// more than we understand would be weaker here than its author thinks.
func parseRules(src string) (ruleFile, error) {
	var f ruleFile
	dec := toml.NewDecoder(bytes.NewReader([]byte(src)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil {
		return f, fmt.Errorf("decode rules: %w", err)
	}
	for _, t := range f.Tokens {
		s, err := t.rule()
		if err != nil {
			return f, fmt.Errorf("token %s: %w", t.ID, err)
		}
		f.Rules = append(f.Rules, s)
	}
	for _, r := range f.Rules {
		if !ruleID.MatchString(r.ID) {
			return f, fmt.Errorf("rule id %q: want %s", r.ID, ruleID)
		}
	}
	return f, nil
}

// loadOwn reads our own files.
func loadOwn(files []string) ([]ruleSpec, error) {
	var specs []ruleSpec
	for _, src := range files {
		f, err := parseRules(src)
		if err != nil {
			return nil, err
		}
		if f.Schema != schema || len(f.Rules) == 0 {
			return nil, fmt.Errorf("own rules: schema %d with %d rules, want schema %d and rules", f.Schema, len(f.Rules), schema)
		}
		for _, s := range f.Rules {
			if err := checkOwn(s); err != nil {
				return nil, fmt.Errorf("rule %s: %w", s.ID, err)
			}
		}
		specs = append(specs, f.Rules...)
	}
	if len(specs) == 0 {
		return nil, errors.New("no rules of our own")
	}
	return specs, nil
}

// checkOwn refuses what a user's rule may do and ours may not.
func checkOwn(s ruleSpec) error {
	tested := func(want bool) bool {
		return slices.ContainsFunc(s.Tests, func(t ruleTest) bool { return t.Want == want })
	}
	switch {
	case s.Finder != "" && (s.Regex != "" || s.Runs != "" || len(s.Keywords) > 0):
		return errors.New("a finder, and something else to look for")
	case len(s.Keywords) == 0 && s.Runs == "" && s.Finder == "":
		return errors.New("no keywords")
	case len(s.Keywords) > 0 && s.Runs != "":
		return errors.New("keywords and runs")
	case s.Description == "":
		return errors.New("no description")
	case s.Runs == "" && s.Finder == "" && len(s.Window) != 2:
		return errors.New("no window")
	case !tested(true) || !tested(false):
		return errors.New("needs a positive and a negative test")
	}
	return check(s)
}

// check refuses what gitleaks' format allows and has no meaning here, and
// keywords that would never be found.
func check(s ruleSpec) error {
	switch {
	case s.Path != "":
		return errors.New("path has no meaning here")
	case s.Regex == "" && s.Finder == "":
		return errors.New("no regex")
	case !slices.Contains(Categories(), s.Category):
		return fmt.Errorf("no category %q", s.Category)
	case len(s.Window) != 0 && (len(s.Window) != 2 || slices.Min(s.Window) < 0):
		return errors.New("window: want bytes before and after a keyword")
	}
	for _, k := range slices.Concat(s.Keywords, s.Then, s.Also) {
		if k == "" || k != strings.ToLower(k) {
			return fmt.Errorf("keyword %q is not lower case", k)
		}
	}
	return nil
}
