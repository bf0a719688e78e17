package scanner

import (
	"context"
	"fmt"
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

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		if _, err := New(Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
