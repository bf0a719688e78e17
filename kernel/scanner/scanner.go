package scanner

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options of a [Scanner]. The zero value works.
type Options struct {
	MaxText     int           // bytes of one field; default 384 KiB
	MaxRequest  int           // bytes of all fields; default 1 MiB
	MaxFindings int           // of one report; default 200
	Timeout     time.Duration // of one request; default 2 s

	Policy    map[string]Action // by category; see DefaultPolicy
	Allow     []Exception       // what passes all the same
	RulesFile string            // a file of the user's own rules; may be empty
	Key       func() []byte     // of the fingerprints, asked when something is found; nil or empty: there are none
	Explain   bool              // findings say why
}

func (o *Options) defaults() {
	o.MaxText = cmp.Or(max(o.MaxText, 0), 384<<10)
	o.MaxRequest = cmp.Or(max(o.MaxRequest, 0), 1<<20)
	o.MaxFindings = cmp.Or(max(o.MaxFindings, 0), 200)
	o.Timeout = cmp.Or(max(o.Timeout, 0), 2*time.Second)
}

// Scanner judges and redacts texts. It is safe for concurrent use.
type Scanner struct {
	opts    Options
	engine  *engine
	windows sync.Pool       // of *windows
	known   map[string]bool // ids of all rules
	policy  policy
	allow   []exception
	stats   *stats
	hash    string // of the rules
}

// New loads gitleaks' default rules and our own, and tests that they find what
// they must. Its error is a *[Failure]; there is no scanner with a part of the
// rules.
func New(opts Options) (*Scanner, error) {
	own, err := ownFiles()
	if err != nil {
		return nil, &Failure{Reason: ReasonRules, Err: err}
	}
	return load(opts, defaultForeign(), own)
}

// load is New with rules of one's own.
func load(opts Options, foreign string, own []string) (s *Scanner, err error) {
	defer func() {
		if v := recover(); v != nil {
			s, err = nil, &Failure{Reason: ReasonPanic, Err: fmt.Errorf("load rules: %T", v)}
		}
	}()
	opts.defaults()
	s = &Scanner{opts: opts, stats: newStats()}
	s.windows.New = func() any { return &windows{} }
	rules, hash, err := s.rules(foreign, own)
	s.hash = hash
	if err != nil {
		return nil, &Failure{Reason: ReasonRules, Err: err}
	}
	s.engine = newEngine(rules)
	if err := s.selfTest(); err != nil {
		return nil, &Failure{Reason: ReasonSelfTest, Err: err}
	}
	s.stats = newStats()
	return s, nil
}

// Descriptions are those of all rules.
func (s *Scanner) Descriptions() []string {
	list := slices.Collect(maps.Values(unicodeRules))
	for _, r := range s.engine.rules {
		list = append(list, r.description)
	}
	return list
}

// rules reads all files, checks all rules, and applies the options to them. The
// hash is that of all files.
func (s *Scanner) rules(foreign string, own []string) (rules []*rule, hash string, err error) {
	specs, files, err := readRules(foreign, own, s.opts.RulesFile)
	if err != nil {
		return nil, "", err
	}
	if s.known, err = knownIDs(specs); err != nil {
		return nil, "", err
	}
	if rules, err = newRules(specs); err != nil {
		return nil, "", err
	}
	if s.policy, err = newPolicy(s.opts.Policy); err != nil {
		return nil, "", err
	}
	if s.allow, err = newExceptions(s.opts.Allow, s.known); err != nil {
		return nil, "", err
	}
	for _, r := range rules {
		r.action = s.policy.of(r.category, r.action)
	}
	sum := sha256.Sum256([]byte(strings.Join(files, "\x00") + poisonWeights + guardWeights))
	return rules, "sha256:" + hex.EncodeToString(sum[:16]), nil
}

// readRules reads gitleaks' rules, ours and those of the user's file, if there is
// one. It returns the text of every file, too.
func readRules(foreign string, own []string, userFile string) (specs []ruleSpec, files []string, err error) {
	var (
		wg             sync.WaitGroup
		ours           []ruleSpec
		errFor, errOwn error
	)
	wg.Go(func() { specs, errFor = loadForeign(foreign) })
	wg.Go(func() { ours, errOwn = loadOwn(own) })
	wg.Wait()
	if err := errors.Join(errFor, errOwn); err != nil {
		return nil, nil, err
	}
	specs, files = append(specs, ours...), append([]string{foreign}, own...)
	if userFile == "" {
		return specs, files, nil
	}
	user, text, err := loadUser(userFile)
	return append(specs, user...), append(files, text), err
}

// knownIDs returns the ids of all rules, each of which only one rule may have.
func knownIDs(specs []ruleSpec) (map[string]bool, error) {
	ids := make(map[string]bool, len(specs)+len(unicodeRules))
	for id := range unicodeRules {
		ids[id] = true
	}
	for _, s := range specs {
		if ids[s.ID] {
			return nil, fmt.Errorf("rules %s: rule %s: the id is taken", cmp.Or(s.file, "of our own"), s.ID)
		}
		ids[s.ID] = true
	}
	return ids, nil
}

func newRules(specs []ruleSpec) ([]*rule, error) {
	rules := make([]*rule, len(specs))
	errs := make([]error, len(specs))
	workers := min(runtime.GOMAXPROCS(0), 4)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(specs); i += workers {
				rules[i], errs[i] = newRule(specs[i])
			}
		})
	}
	wg.Wait()
	return rules, errors.Join(errs...)
}

// selfTest scans a secret made up here, in several views, and a clean text. The
// token is assembled so that no secret-looking text stands in the source.
func (s *Scanner) selfTest() error {
	allow := s.allow
	defer func() { s.allow = allow }()
	s.allow = nil // a user's exceptions are no failure of the rules
	token := "gh" + "p_" + "x7Kq2Vn9Lw4Rt6Yb1Mz8Hc3Jd5Gf0Ps" + "AeUoQ"
	for name, text := range map[string]string{
		"raw": token, "relaxed": "(" + token + ").", "unescaped": `\u0067` + token[1:],
	} {
		rep, err := s.Scan(context.Background(), []Field{{Name: "self-test", Text: text}})
		if err != nil {
			return err
		}
		if len(rep.Findings)+len(rep.Redactions)+len(rep.Warnings) == 0 && s.policy[CategorySecret] != Off {
			return fmt.Errorf("made-up secret not found: %s", name)
		}
	}
	rep, err := s.Scan(context.Background(), []Field{{Name: "self-test", Text: "the build needs Go 1.26"}})
	if err != nil {
		return err
	}
	if len(rep.Findings) > 0 {
		return fmt.Errorf("clean text rejected by %s", rep.Findings[0].Rule)
	}
	return nil
}
