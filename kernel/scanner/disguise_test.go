package scanner

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/ascii85"
	"encoding/base32"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"text/template"
)

// disguised is what a row's template may call.
var disguised = template.FuncMap{
	"cut": func(s string, i, j int) string {
		if j >= 40 {
			j = len(s)
		}
		return s[i:min(j, len(s))]
	},
	"each": each,
	"hex":  func(s, sep string) string { return each(s, "%02x", sep) },
	"hexs": func(s string) string { return each(s, "%02x", "") },
	"wrap": func(s string, n int) string { return strings.Join(slices.Collect(cuts(s, n)), "\n") },
	"rev": func(s string) string {
		b := []byte(s)
		slices.Reverse(b)
		return string(b)
	},
	"rot13":   func(s string) string { return strings.Map(turn13, s) },
	"upper":   strings.ToUpper,
	"lower":   strings.ToLower,
	"b64":     func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"b64u":    func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
	"b32":     func(s string) string { return base32.StdEncoding.EncodeToString([]byte(s)) },
	"base":    func(n int, s string) string { return inBase(s, alphanumeric[n]) },
	"a85":     asASCII85,
	"b85":     func(s string) string { return inBase85(s, alphabetB85) },
	"z85":     func(s string) string { return inBase85(s, alphabetZ85) },
	"gzip":    packer(func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }),
	"zlib":    packer(func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }),
	"deflate": packer(func(w io.Writer) io.WriteCloser { z, _ := flate.NewWriter(w, 9); return z }),
}

const (
	alphabetB85 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
	alphabetZ85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
)

var alphanumeric = map[int]string{
	36: "0123456789abcdefghijklmnopqrstuvwxyz",
	58: "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
	62: "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
}

func each(s, format, sep string) string {
	parts := make([]string, len(s))
	for i := range len(s) {
		parts[i] = fmt.Sprintf(format, s[i])
	}
	return strings.Join(parts, sep)
}

func cuts(s string, n int) func(func(string) bool) {
	return func(yield func(string) bool) {
		for ; len(s) > n && yield(s[:n]); s = s[n:] {
		}
		yield(s)
	}
}

func turn13(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z':
		return 'a' + (r-'a'+13)%26
	case r >= 'A' && r <= 'Z':
		return 'A' + (r-'A'+13)%26
	}
	return r
}

func inBase(s, alphabet string) string {
	n, base, rest := new(big.Int).SetBytes([]byte(s)), big.NewInt(int64(len(alphabet))), new(big.Int)
	var out []byte
	for n.Sign() > 0 {
		n.DivMod(n, base, rest)
		out = append(out, alphabet[rest.Int64()])
	}
	slices.Reverse(out)
	return string(out)
}

func asASCII85(s string) string {
	out := make([]byte, ascii85.MaxEncodedLen(len(s)))
	return string(out[:ascii85.Encode(out, []byte(s))])
}

// inBase85 is ascii85 in another alphabet.
func inBase85(s, alphabet string) string {
	return strings.Map(func(r rune) rune {
		return rune(alphabet[r-'!'])
	}, strings.ReplaceAll(asASCII85(s), "z", "!!!!!"))
}

func packer(to func(io.Writer) io.WriteCloser) func(string) string {
	return func(s string) string {
		var b bytes.Buffer
		z := to(&b)
		_, _ = io.WriteString(z, s)
		_ = z.Close()
		return b.String()
	}
}

// disguise is a row of testdata/disguise.txt, expanded.
type disguise struct {
	secret             bool
	kind, source, text string
	values             []string // that must not be left in a masked text
}

// disguises expands the rows of a file, each with several secrets.
func disguises(t *testing.T, file string) []disguise {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []disguise
	for line := range strings.Lines(string(raw)) {
		if line = strings.TrimRight(line, "\n"); strings.HasPrefix(line, "#") {
			continue
		}
		kind, source, ok := strings.Cut(line[2:], " | ")
		if !ok {
			t.Fatalf("no kind: %s", line)
		}
		tmpl, err := template.New("").Funcs(disguised).Parse(source)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(4) {
			rnd := rand.New(rand.NewPCG(seed, 85))
			var lines []string
			for range 4 {
				lines = append(lines, random(rnd, alphabets["b64"], 64))
			}
			var b strings.Builder
			values := map[string]string{
				"T": githubToken(seed),
				"A": "AKIA" + random(rnd, alphabets["AN"], 16),
				"S": "xoxb-" + random(rnd, "0123456789", 12) + "-" + random(rnd, "0123456789", 12) + "-" + random(rnd, alphabets["an"], 24),
				"P": "the db password is " + random(rnd, alphabets["an"], 14),
				"K": "-----BEGIN RSA PRIVATE KEY-----\n" + strings.Join(lines, "\n") + "\n-----END RSA PRIVATE KEY-----",
				"H": random(rnd, alphabets["hex"], 40),
			}
			if err := tmpl.Execute(&b, values); err != nil {
				t.Fatal(err)
			}
			secrets := append(lines, values["T"], values["A"], values["S"])
			out = append(out, disguise{line[0] == '+', kind, source, strings.ReplaceAll(b.String(), "⏎", "\n"), secrets})
		}
	}
	return out
}

// Disguised secrets are found, by their kind, as often as the floors say, what is
// found can be masked, and honest texts of the same form pass.
func TestDisguises(t *testing.T) {
	testDisguises(t, "testdata/disguise.txt", map[string]int{
		"base32": 90, "base58": 90, "base85": 90, "cells": 90, "codes": 90, "concat": 90, "entities": 90,
		"hex": 90, "layers": 80, "lines": 90, "octal": 90, "packed": 80, "quoted": 90, "reversed": 80,
		"rot13": 90, "shell": 90, "spelled": 90, "tags": 90, "unicode": 90,
	})
}

// The rows that were written before the code, and set aside.
func TestDisguisesLate(t *testing.T) {
	testDisguises(t, "testdata/disguise_late.txt", map[string]int{"codes": 60, "concat": 60, "hex": 60, "lines": 60, "shell": 60, "tags": 60})
}

func testDisguises(t *testing.T, file string, floors map[string]int) {
	s := scanner(t)
	found := map[string]*tally{}
	for _, d := range disguises(t, file) {
		rep := scanText(t, s, d.text)
		if !d.secret {
			if len(rep.Findings) > 0 {
				t.Errorf("false alarm: %s: %s: %s", d.kind, d.source, ids(rep.Findings))
			}
			continue
		}
		if found[d.kind] == nil {
			found[d.kind] = &tally{}
		}
		found[d.kind].n++
		if len(rep.Findings) == 0 {
			t.Logf("missed: %s: %s", d.kind, d.source)
			continue
		}
		found[d.kind].ours++
		masked := redactText(t, s, d.text)
		for _, v := range d.values {
			for i := range len(v) - 7 {
				if part := v[i : i+8]; strings.Contains(masked, part) || strings.Contains(masked, strings.Map(turn13, part)) {
					t.Errorf("%s: a part remains in %q", d.source, masked)
					break
				}
			}
		}
	}
	var all tally
	for _, kind := range slices.Sorted(maps.Keys(found)) {
		c := found[kind]
		all.n, all.ours = all.n+c.n, all.ours+c.ours
		t.Logf("%-10s %3d texts %6.1f %%", kind, c.n, c.percent(c.ours))
		if p := c.percent(c.ours); p < float64(floors[kind]) {
			t.Errorf("%s: %.1f %% found, want %d %%", kind, p, floors[kind])
		}
	}
	t.Logf("%-10s %3d texts %6.1f %%", "all", all.n, all.percent(all.ours))
}
