package recall

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
)

// TestMissing names the words that nothing has, as they were asked for.
func TestMissing(t *testing.T) {
	e := newEngine(t)
	e.Opened(projectA, entries("ship the packages for Windows", "the getUserName helper", "数据库迁移"))
	c := openIndex(t, "", turnStore{})
	feed(t, c, turnStore{"p": {{Role: process.RoleUser, Content: "winget was too slow"}}})
	for query, want := range map[string][]string{
		"shipping for Windows":                      nil, // the stem
		"ship it by winget, Scoop or scoop":         {"Scoop"},
		"what does get_user_name do for Kubernetes": {"Kubernetes"},
		"ship 数据库表":                                 nil, // pairs are no words
		"the Pony of windows":                       {"Pony"},
	} {
		got, err := e.Search(context.Background(), Query{Text: query, Scopes: []memory.ScopeID{projectA}, Conversations: []*Conversations{c}})
		if err != nil || len(got.Hits) == 0 {
			t.Fatalf("%q found %d, %v", query, len(got.Hits), err)
		}
		if diff := cmp.Diff(want, got.Missing); diff != "" {
			t.Errorf("missing of %q (-want +got):\n%s", query, diff)
		}
	}
}

// What is found, and in which order.
func TestSearch(t *testing.T) {
	tests := []struct {
		name     string
		contents []string
		query    string
		want     []string
	}{
		{"both words first", []string{"yaml is a format of configuration files", "merge the branches at night", "how to merge two yaml files"}, "yaml merge", []string{"2", "1", "0"}},
		{"common word, long text", []string{"yaml yaml yaml yaml", "when you have to deal with configuration, merge keys are a part of the yaml language that few people know, and a good deal of the tools that read it do not support them at all", "yaml", "yaml", "yaml"}, "merge yaml", []string{"1", "0", "2", "3", "4"}},
		{"nothing", []string{"yaml merge", "yaml"}, "kubernetes deployment", []string{}},
		{"stem", []string{"we cache the responses"}, "caching response", []string{"0"}},
		{"irregular", []string{"the team went with postgres"}, "go", []string{"0"}},
		{"han", []string{"数据库迁移使用蓝绿部署策略", "前端使用组件"}, "数据库", []string{"0"}},
		{"one han character", []string{"数据库迁移使用蓝绿部署策略", "前端组件"}, "库", []string{"0"}},
		{"hangul", []string{"배포절차는 위키에 있다", "테스트"}, "배포", []string{"0"}},
		{"long mark", []string{"サーバーの設定", "サバの味噌煮"}, "サーバー", []string{"0"}},
		{"half width kana", []string{"データベース"}, "ﾃﾞｰﾀ", []string{"0"}},
		{"accents", []string{"meet at the café in Zürich"}, "cafe zurich", []string{"0"}},
		{"accents asked", []string{"meet at the cafe"}, "CAFÉ", []string{"0"}},
		{"full width", []string{"ＡＰＩ keys rotate"}, "api", []string{"0"}},
		{"camel part", []string{"call getUserName first"}, "user name", []string{"0"}},
		{"camel as snake", []string{"call getUserName first", "names of users"}, "get_user_name", []string{"0", "1"}},
		{"whole in lower case", []string{"call getUserName first"}, "getusername", []string{"0"}},
		{"kebab", []string{"use blue-green deployments"}, "bluegreen", []string{"0"}},
		{"path", []string{"see kernel/memory/plan.go", "plan the memory of the kernel"}, "kernel/memory/plan.go", []string{"0", "1"}},
		{"file of a path", []string{"see kernel/memory/plan.go"}, "plan.go", []string{"0"}},
		{"version", []string{"pinned to v1.2.3", "pinned to v1.2.4", "three and 3"}, "1.2.3", []string{"0"}},
		{"version with v", []string{"pinned to 1.2.3"}, "v1.2.3", []string{"0"}},
		{"beginning of a version", []string{"pinned to v1.2.3", "pinned to v1.3.2"}, "1.2", []string{"0"}},
		{"symbols", []string{"written in C++", "written in C#", "plan C"}, "c++", []string{"0"}},
		{"stop words are dropped", []string{"the cat", "the dog"}, "the dog", []string{"1"}},
		{"only stop words", []string{"to be or not to be", "something else"}, "to be", []string{"0"}},
		{"possessive", []string{"Alice's laptop"}, "alice", []string{"0"}},
		{"newest first among equals", []string{"note about tea", "note about tea", "note about tea"}, "tea", []string{"0", "1", "2"}},
		{"words together first", []string{"the rate we pay has a limit that nobody set", "the rate limit is a fact of life that one has", "tea"}, "rate limit", []string{"1", "0"}},
		{"syntax is text", []string{"a field of tags"}, `tags:(field^2 "unbalanced AND NOT *`, []string{"0"}},
		{"punctuation", []string{"what?"}, "?!", []string{}},
		{"emoji", []string{"party 🎉"}, "🎉", []string{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := newEngine(t)
			e.Opened(projectA, entries(tt.contents...))
			if diff := cmp.Diff(tt.want, ids(t, e, tt.query)); diff != "" {
				t.Errorf("hits of %q (-want +got):\n%s", tt.query, diff)
			}
		})
	}
}

func TestSearchErrors(t *testing.T) {
	e := newEngine(t)
	e.Opened(projectA, entries("tea"))
	for _, text := range []string{"", " \n\t"} {
		_, err := e.Search(context.Background(), Query{Text: text})
		if memory.KindOf(err) != memory.KindInvalid || memory.ReasonOf(err) != "query is required" {
			t.Errorf("search %q: %v", text, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := e.Search(ctx, Query{Text: "tea", Scopes: []memory.ScopeID{projectA}}); memory.KindOf(err) != memory.KindTimeout {
		t.Errorf("canceled search: %v", err)
	}
	if diff := cmp.Diff([]string{"0"}, ids(t, e, "tea")); diff != "" {
		t.Errorf("after a canceled search: %s", diff)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Search(context.Background(), Query{Text: "tea"}); memory.KindOf(err) != memory.KindUnavailable {
		t.Errorf("search after close: %v", err)
	}
}
