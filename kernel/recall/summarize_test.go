package recall

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

func digestOf(t *testing.T, query string, budget int, texts ...string) (out []string) {
	t.Helper()
	e := newEngine(t)
	e.Opened(projectA, entries(texts...))
	r, err := e.Search(t.Context(), Query{Text: query, Scopes: []memory.ScopeID{projectA}})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range r.Digest(budget) {
		if from := strings.Join(strings.Fields(r.Hits[s.Hit].Entry.Content), " "); !strings.Contains(from, s.Text) {
			t.Errorf("%q is not of %q", s.Text, from)
		}
		out = append(out, s.Text)
	}
	return out
}

// A digest has whole sentences, each once, statements before questions, and no others than
// those that say something of the query.
func TestDigest(t *testing.T) {
	tests := []struct {
		name, query string
		texts       []string
		want        []string
	}{
		{
			"a question", "which port does the gateway use",
			[]string{"Which port does the gateway use? The gateway uses port 8443. Lunch was good that day. Everybody was there."},
			[]string{"The gateway uses port 8443.", "Lunch was good that day."},
		},
		{"only questions", "which port does the gateway use", []string{"Which port does the gateway use?"}, []string{"Which port does the gateway use?"}},
		{
			"what follows", "why does the deploy script fail",
			[]string{"The deploy script fails on Mondays.\n\nThe token expires on Sunday night."},
			[]string{"The deploy script fails on Mondays.", "The token expires on Sunday night."},
		},
		{
			"a list", "renew the certificates",
			[]string{"# How to renew certificates\n- Renew the certificates with certbot.\n- Then reload the proxy."},
			[]string{"Renew the certificates with certbot.", "Then reload the proxy."},
		},
		{"code is whole", "make tests command", []string{"All tests:\n```\nmake tests. VERBOSE=1 tests\n```"}, []string{"make tests. VERBOSE=1 tests"}},
		{
			"the same", "gateway port",
			[]string{
				"The gateway of the new shop listens on the port 8443 of the second machine, they say.",
				"So: the gateway of the new shop listens on the port 8443 of the second machine, they say",
				"The gateway of the new shop listens on the port 9443 of the second machine, they say.",
			},
			[]string{
				"The gateway of the new shop listens on the port 8443 of the second machine, they say.",
				"The gateway of the new shop listens on the port 9443 of the second machine, they say.",
			},
		},
		{"no spaces", "令牌签名", []string{"数据库迁移完成了没有问题发生。令牌签名使用的是非对称算法！"}, []string{"令牌签名使用的是非对称算法！"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, digestOf(t, tt.query, 1000, tt.texts...)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	for budget := range 60 {
		n := 0
		for _, s := range digestOf(t, "gateway port", budget, "The gateway has a port. Its port is 8443. The gateway is old.") {
			n += utf8.RuneCountInString(s)
		}
		if n > budget {
			t.Errorf("budget %d: %d", budget, n)
		}
	}
	if got := digestOf(t, "zebra", 100, "The gateway has a port."); got != nil {
		t.Errorf("without hits: %q", got)
	}
}
