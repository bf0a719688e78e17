package scanner

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// vendorTokens makes up a token of each form of each vendor.
func vendorTokens(t testing.TB) map[string]string {
	t.Helper()
	files, err := ownFiles()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, src := range files {
		f, err := parseRules(src)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range f.Tokens {
			for i, form := range v.Forms {
				out[fmt.Sprintf("%s/%d", v.ID, i)] = expand(example(form))
			}
		}
	}
	return out
}

func keyBlock(rnd *rand.Rand) string {
	var b strings.Builder
	b.WriteString("-----BEGIN " + []string{"RSA ", "EC ", "", "OPENSSH "}[rnd.IntN(4)] + "PRIVATE KEY-----\n")
	for range 6 {
		b.WriteString(random(rnd, alphabets["b64"], 64) + "\n")
	}
	return b.String() + "-----END PRIVATE KEY-----"
}

// refused says whether one of two writes is refused: the first, the second, or
// what they make together.
func refused(t testing.TB, s *Scanner, first, second string) bool {
	t.Helper()
	if len(scanText(t, s, first).Findings) > 0 || len(scanText(t, s, second).Findings) > 0 {
		return true
	}
	rep, err := s.ScanJoined(context.Background(), []string{"an older note", first}, second)
	if err != nil {
		t.Fatal(err)
	}
	return len(rep.Findings) > 0
}

// A finding says which of the texts have the other parts.
func TestSplitNames(t *testing.T) {
	s := scanner(t)
	token := githubToken(7)
	notes := []string{"The API signs JWTs with RS256.", "We deploy on Fridays, v1.2.3.", "Redis is on port 6380."}
	for name, c := range map[string]struct {
		before []string
		text   string
		want   []int
	}{
		"behind":   {[]string{notes[0], "it begins " + token[:20], notes[1]}, token[20:], []int{1}},
		"in front": {[]string{notes[0], notes[1], token[20:] + " is its end", notes[2]}, "it begins " + token[:20], []int{2}},
		"three":    {[]string{notes[0], token[:14], token[14:28]}, token[28:], []int{1, 2}},
		"alone":    {[]string{notes[0], token[:20]}, notes[1], nil},
	} {
		rep, err := s.ScanJoined(t.Context(), c.before, c.text)
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, f := range rep.Findings {
			got = append(got, f.Beside...)
		}
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(got, c.want) {
			t.Errorf("%s: found beside %v, want %v", name, got, c.want)
		}
	}
}

// A token split at any point over two entries is refused, whatever people put
// around the parts.
func TestSplitTokens(t *testing.T) {
	s := scanner(t)
	rnd := rand.New(rand.NewPCG(51, 51))
	secrets := vendorTokens(t)
	for i := range 60 {
		secrets[fmt.Sprintf("key block/%d", i)] = keyBlock(rnd)
		secrets[fmt.Sprintf("github/%d", i)] = githubToken(uint64(i))
	}
	for _, around := range [][4]string{
		{"", "", "", ""},
		{"", "\n", "\n", ""},
		{"the deploy token begins with ", ".", "", " is its end"},
		{"deploy token part 1: ", "", "deploy token part 2: ", ""},
		{"`", "`", "- `", "`"},
	} {
		n, found := 0, 0
		var missed []string
		for name, secret := range secrets {
			cut := 1 + rnd.IntN(len(secret)-1)
			n++
			if refused(t, s, around[0]+secret[:cut]+around[1], around[2]+secret[cut:]+around[3]) {
				found++
			} else {
				missed = append(missed, fmt.Sprintf("%s@%d/%d", name, cut, len(secret)))
			}
		}
		t.Logf("%q: %d of %d (missed %s)", around, found, n, strings.Join(missed[:min(len(missed), 12)], " "))
		if found*100 < n*95 {
			t.Errorf("%q: %d of %d split secrets refused, want 95 %%", around, found, n)
		}
	}
}

// The parts may come in the wrong order, and in more than two texts.
func TestSplitOrder(t *testing.T) {
	s, token := scanner(t), githubToken(81)
	for name, c := range map[string]struct {
		before []string
		text   string
	}{
		"backwards": {[]string{token[15:]}, "x " + token[:15]},
		"distant":   append2([]string{token[:15]}, 40, token[15:]),
		"three":     {[]string{"note", token[:9], token[9:22]}, token[22:]},
		"base64":    {[]string{"Z2hwX3g3S3EyVm45THc0UnQ2WWIx"}, "TXo4SGMzSmQ1R2YwUHNBZVVvUQ=="},
	} {
		rep, err := s.ScanJoined(context.Background(), c.before, c.text)
		if err != nil || len(rep.Findings) == 0 {
			t.Errorf("%s: nothing found, %v", name, err)
			continue
		}
		f := rep.Findings[0]
		if f.Offset < 0 || f.Offset+f.Length > len(c.text) || f.Length == 0 || f.View != "joined" || strings.Contains(f.Preview, c.text[5:]) {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

func append2(before []string, n int, text string) struct {
	before []string
	text   string
} {
	for i := range n {
		before = append(before, fmt.Sprintf("note %d says that the build is green", i))
	}
	return struct {
		before []string
		text   string
	}{before, text}
}

// What was stored already does not keep other texts out.
func TestSplitOnlyNew(t *testing.T) {
	s := scanner(t)
	for _, c := range [][2]string{
		{"the db password is hunter2", "Use pnpm in this repository"},
		{"use " + githubToken(82), "Go 1.26 is required"},
		{"token: " + githubToken(83), "b42 is the build that works"},
		{"commit 0a1b2c3d4e5f60718293a4b5c6d7e8f901234567", "89abcdef is the other one"},
		{"We ship on Fridays", "and rest on Sundays"},
	} {
		rep, err := s.ScanJoined(context.Background(), []string{c[0]}, c[1])
		if err != nil || len(rep.Findings) > 0 {
			t.Errorf("%q: %s, %v", c, ids(rep.Findings), err)
		}
	}
}

// The cost of a join is bounded, however much is stored.
func TestSplitBounded(t *testing.T) {
	s := scanner(t)
	before := make([]string, 2000)
	for i := range before {
		before[i] = strings.Repeat(fmt.Sprintf("api_key%d = ", i), 400) + "a1B2c3D4e5F6g7H8"
	}
	start := time.Now()
	if _, err := s.ScanJoined(context.Background(), before, strings.Repeat("a1B2c3D4e5F6g7H8 secret token ", 2000)); err != nil && reason(err) != ReasonTimeout {
		t.Fatal(err)
	}
	t.Logf("%v", time.Since(start))
	late, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.ScanJoined(late, before, "x"); reason(err) != ReasonCanceled {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := s.ScanJoined(context.Background(), nil, strings.Repeat("x", 400<<10)); reason(err) != ReasonTooLarge {
		t.Errorf("huge: %v", err)
	}
}

// TestSplitPlainNotes stores notes that name forms of secrets beside notes with
// random values: none completes another.
func TestSplitPlainNotes(t *testing.T) {
	s := scanner(t)
	notes := []string{
		"Never log the header Authorization: Bearer",
		"GitHub tokens have the prefix ghp_.",
		"Stripe test keys begin with sk_test_",
		"Slack bot tokens look like xoxb-...",
		"Env vars: DB_HOST, DB_USER, DB_PASSWORD",
		"The release branch is release/2026-11-hotfix3",
		"Bucket name is prod-eu-a81f22c09",
		"Docker image tag is registry.internal/app:sha-4f9a1c2e8b7d6035",
		"Deploys go to k8s cluster eu-west-1b",
		"Release 2.1 was cut from commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
		"We use UUID 550e8400-e29b-41d4-a716-446655440000",
		"Passwords are hashed with argon2id.",
		"The staging password is in the vault under kv/staging",
	}
	for i, a := range notes {
		for j, b := range notes {
			if i == j {
				continue
			}
			rep, err := s.ScanJoined(t.Context(), []string{a}, b)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range rep.Findings {
				t.Errorf("%q after %q: %s", b, a, f.Rule)
			}
		}
	}
	for i := range notes {
		rep, err := s.ScanJoined(t.Context(), append(notes[i+1:len(notes):len(notes)], notes[:i]...), notes[i])
		if err != nil || len(rep.Findings) > 0 {
			t.Errorf("%q after all others: %+v, %v", notes[i], rep.Findings, err)
		}
	}
}
