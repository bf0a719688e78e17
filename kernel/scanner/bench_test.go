package scanner

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const prose = "The token endpoint returns an access token and a refresh token; the API keys of the service are kept in Vault. " +
	"To authenticate, set the Authorization header (see docs/auth.md), and pass the password through the secret store, never on the command line. "

const code = "func (c *Client) Token(ctx context.Context, key string) (*oauth2.Token, error) {\n" +
	"\tsecret, err := c.secrets.Get(ctx, key)\n\tif err != nil {\n\t\treturn nil, fmt.Errorf(\"get secret %q: %w\", key, err)\n\t}\n\treturn c.exchange(secret.Password)\n}\n"

const plainProse = "We decided to keep the old layout of the garden, because the roses along the wall flower twice when nobody moves them. "

func sized(text string, n int) string { return strings.Repeat(text, n/len(text)+1)[:n] }

// BenchmarkScan prints, beside the usual figures, how our whole pipeline (all
// views, all rules) compares with plain gitleaks over the raw text in this run.
func BenchmarkScan(b *testing.B) {
	s, d := scanner(b), plainGitleaks(b)
	for name, text := range map[string]string{"prose": prose, "code": code, "plain": plainProse} {
		for _, n := range []int{200, 1 << 10, 64 << 10} {
			field := []Field{{Name: "content", Text: sized(text, n)}}
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.SetBytes(int64(n))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := s.Scan(context.Background(), field); err != nil {
						b.Fatal(err)
					}
				}
				ours := b.Elapsed() / time.Duration(b.N)
				start, k := time.Now(), 0
				for ; k < 3 || time.Since(start) < 50*time.Millisecond; k++ {
					d.DetectString(field[0].Text)
				}
				b.ReportMetric(float64(ours)/float64(time.Since(start)/time.Duration(k)), "x-gitleaks")
			})
		}
	}
}

// corpus is dense technical text: the sources and documents of this repository.
func corpus(b *testing.B) string {
	b.Helper()
	var all strings.Builder
	err := filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		if e != nil && e.IsDir() && e.Name() == "scanner" {
			return fs.SkipDir // our rules have all keywords, and are no text that one remembers
		}
		if err != nil || e.IsDir() || !slices.Contains([]string{".go", ".md", ".toml", ".sum", ".yml"}, filepath.Ext(path)) {
			return err
		}
		raw, err := os.ReadFile(path)
		all.Write(raw)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return strings.ToValidUTF8(all.String(), "?")
}

// pieces cuts a text, a part of it if it is long, into pieces of a size.
func pieces(text string, size, most int) []string {
	var out []string
	step := max(size, len(text)/most)
	for i := 0; i+size <= len(text); i += step {
		out = append(out, strings.ToValidUTF8(text[i:i+size], ""))
	}
	return out
}

// BenchmarkWrite prints how long a write of a kilobyte is judged, beside plain
// gitleaks in the same run, each the best of three: the machine may have other
// work.
func BenchmarkWrite(b *testing.B) {
	s, d := scanner(b), plainGitleaks(b)
	texts := pieces(corpus(b), 1<<10, 800)
	for b.Loop() {
		var ours, plain []time.Duration
		for _, text := range texts {
			field := []Field{{Name: "content", Text: text}}
			ours = append(ours, best(func() { _, _ = s.Scan(context.Background(), field) }))
			plain = append(plain, best(func() { d.DetectString(text) }))
		}
		slices.Sort(ours)
		slices.Sort(plain)
		for name, list := range map[string][]time.Duration{"": ours, "gitleaks-": plain} {
			b.ReportMetric(float64(list[len(list)/2].Microseconds()), name+"p50-µs")
			b.ReportMetric(float64(list[len(list)*99/100].Microseconds()), name+"p99-µs")
		}
	}
}

// BenchmarkImport prints how fast much text goes through, beside plain gitleaks,
// in pieces of 64 KB by turns.
func BenchmarkImport(b *testing.B) {
	s, d := scanner(b), plainGitleaks(b)
	texts := pieces(corpus(b), 64<<10, 16)
	for b.Loop() {
		var ours, plain time.Duration
		for _, text := range texts {
			field := []Field{{Name: "content", Text: text}}
			ours += best(func() { _, _ = s.Scan(context.Background(), field) })
			plain += best(func() { d.DetectString(text) })
		}
		n := float64(len(texts)*64<<10) / 1e6
		b.ReportMetric(n/ours.Seconds(), "MB/s")
		b.ReportMetric(n/plain.Seconds(), "gitleaks-MB/s")
		b.ReportMetric(float64(plain)/float64(ours), "times-gitleaks")
	}
}

// BenchmarkWorst prints how long the worst text of 64 KB takes.
func BenchmarkWorst(b *testing.B) {
	s := scanner(b)
	texts := worstTexts(b, s)
	for b.Loop() {
		worst := time.Duration(0)
		for _, text := range texts {
			worst = max(worst, best(func() { _, _ = s.Scan(context.Background(), []Field{{Text: text}}) }))
		}
		b.ReportMetric(float64(worst.Milliseconds()), "worst-ms")
	}
}

// BenchmarkNew prints how long the scanner needs until it is ready.
func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		if _, err := New(Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
