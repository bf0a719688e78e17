package vfstest

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Front carries requests to the devices and replies back.
type Front interface {
	// Do sends one request in the name of a program whose working directory is this
	// process's. The code is that of a request that was refused, "" of one that was done.
	// A reply that is no JSON object is a page for a reader: it has to hold the texts that
	// were found, or the error. An error means that the request was not carried:
	// ErrNotCarried where this front end can't, anything else fails the test.
	Do(device string, request []byte) (reply []byte, code string, err error)
}

// ErrNotCarried says that a front end has no way to send a request.
var ErrNotCarried = errors.New("this front end does not carry the request")

// Run sends the requests of cases.txt, to a kernel that a mount serves or to one of the
// front end's own. open is called once for each group, in the group's
// project, which is made below dir. A request that is not carried ends its group: what follows may depend on it.
func Run(t *testing.T, dir string, served bool, open func(t *testing.T) Front) {
	secrets := strings.NewReplacer("$SECRET", token(), "$LONG", strings.Repeat("x", 60_000), "$HUGE", strings.Repeat("y", 400_000))
	carried, total, left := 0, 0, []string{}
	for _, g := range groups(t) {
		total += len(g.steps)
		t.Run(g.name, func(t *testing.T) {
			dir := filepath.Join(dir, g.name)
			if err := errors.Join(os.MkdirAll(dir+"/.rnix", 0o755), os.WriteFile(dir+"/.rnix/memory.yaml", []byte(g.config), 0o600)); err != nil {
				t.Fatal(err)
			}
			t.Chdir(dir)
			f := open(t)
			for _, s := range g.steps {
				reply, code, err := f.Do(s.device, []byte(secrets.Replace(s.request)))
				if errors.Is(err, ErrNotCarried) {
					left = append(left, fmt.Sprintf("%s from line %d", g.name, s.line))
					return
				}
				carried++
				if s.unserved != nil && !served {
					s.answer = *s.unserved
				}
				if err == nil {
					err = s.check(reply, code, secrets.Replace("$SECRET"))
				}
				if err != nil {
					t.Errorf("cases.txt:%d: %s %.200s\n%v", s.line, s.device, s.request, err)
				}
			}
		})
	}
	t.Logf("carried %d of %d requests; not: %s", carried, total, strings.Join(left, ", "))
	if carried == 0 {
		t.Error("no request was carried")
	}
}

// token is a made-up secret of a form that the scanner knows, put together at run time.
func token() string { return ("gh" + "p_" + rand.Text() + rand.Text())[:40] }

// check compares what came back with what has to.
func (s answer) check(reply []byte, code, secret string) error {
	if code != s.code {
		return fmt.Errorf("the code is %q, not %q: %.600s", code, s.code, reply)
	}
	if bytes.Contains(reply, []byte(secret)) {
		return errors.New("the reply holds the secret")
	}
	var got map[string]any
	if json.Unmarshal(reply, &got) != nil {
		return page(s.want, string(reply))
	}
	s.want["ok"] = s.code == ""
	if s.code != "" {
		s.want["code"] = s.code
	}
	return matches("reply", s.want, got)
}

// page says what a text lacks of the errors and the results that a reply has to have.
func page(want map[string]any, text string) error {
	texts := []any{want["error"]}
	results, _ := want["results"].([]any)
	for _, r := range results {
		if r, ok := r.(map[string]any); ok {
			texts = append(texts, r["summary"])
		}
	}
	for _, s := range texts {
		if s, ok := s.(string); ok && !strings.HasPrefix(s, "~") && !strings.Contains(text, s) {
			return fmt.Errorf("%q is not in the page: %.600s", s, text)
		}
	}
	return nil
}

// matches says what of want is not in got. An object may have more fields than are wanted,
// null is a field that must be missing, and a text that begins with ~ a regular expression.
func matches(at string, want, got any) error {
	switch want := want.(type) {
	case map[string]any:
		fields, ok := got.(map[string]any)
		for name, w := range want {
			g, there := fields[name]
			if w == nil && there || w != nil && !ok {
				return fmt.Errorf("%s.%s is %v", at, name, g)
			}
			if err := matches(at+"."+name, w, g); err != nil {
				return err
			}
		}
		return nil
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return fmt.Errorf("%s has %d items, not %d: %v", at, len(list), len(want), got)
		}
		for i := range want {
			if err := matches(fmt.Sprintf("%s[%d]", at, i), want[i], list[i]); err != nil {
				return err
			}
		}
		return nil
	case string:
		if form, ok := strings.CutPrefix(want, "~"); ok {
			if got == nil || !regexp.MustCompile(form).MatchString(fmt.Sprint(got)) {
				return fmt.Errorf("%s is %v, which is not of the form %s", at, got, form)
			}
			return nil
		}
	}
	if want != got {
		return fmt.Errorf("%s is %v, not %v", at, got, want)
	}
	return nil
}
