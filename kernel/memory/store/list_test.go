package store_test

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
)

// keysOf are the keys of a list's entries.
func keysOf(r store.Reply) string {
	if r.Entries == nil {
		return r.Code + ": " + r.Error
	}
	var keys []string
	for _, e := range *r.Entries {
		keys = append(keys, e.Key)
	}
	return strings.Join(keys, " ")
}

func manyFields(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"metadata.%d":1,`, i)
	}
	return strings.TrimSuffix(b.String(), ",")
}

func TestList(t *testing.T) {
	f := newStore(t, 5000, memory.OverflowError)
	for _, add := range []string{
		`{"key":"a","content":"1","category":"goal","tags":["x","y"],"importance":0.1,"metadata":{"status":"active","priority":10,"at":{"day":"mon"},"files":["m.go","n.go"]}}`,
		`{"key":"b","content":"2","category":"goal","tags":["y","z"],"importance":0.9,"pinned":true,"metadata":{"status":"active","priority":9,"a.b":{"c":true}}}`,
		`{"key":"c","content":"3","category":"task","tags":["z"],"importance":0.5,"metadata":{"status":"done","priority":"high"}}`,
		`{"key":"d","content":"4","type":"semantic","importance":0.9}`,
	} {
		if r := f.do(t, project, `{"action":"add",`+add[1:]); !r.OK {
			t.Fatal(r.Error)
		}
	}
	for _, tc := range []struct{ ask, want string }{
		{`{}`, "a b c d"},
		{`{"max_results":2}`, "c d"},
		{`{"limit":2}`, "c d"},
		{`{"where":{"metadata.status":"active"}}`, "a b"},
		{`{"where":{"metadata.status":"active"},"sort":"metadata.priority"}`, "b a"},
		{`{"where":{"metadata.status":["done","active"],"category":"goal"}}`, "a b"},
		{`{"where":{"metadata.at.day":"mon"}}`, "a"},
		{`{"where":{"metadata.a.b.c":true}}`, "b"},
		{`{"where":{"metadata.files":["o.go","n.go"]}}`, "a"},
		{`{"where":{"metadata.status":null}}`, "d"},
		{`{"where":{"metadata.priority":"9"}}`, ""},
		{`{"where":{"category":""}}`, "d"},
		{`{"where":{"category":["task",null]}}`, "c d"},
		{`{"where":{"category":["TASK",null]}}`, "c d"},
		{`{"category":"Task"}`, "c"},
		{`{"where":{"pinned":false,"importance":0.9}}`, "d"},
		{`{"where":{"tags":"z"}}`, "b c"},
		{`{"where":{"source.trust":"agent","key":["a","d"]}}`, "a d"},
		{`{"where":{"source.trust":"human"}}`, ""},
		{`{"category":"goal","type":"semantic"}`, ""},
		{`{"tags":["y","z"]}`, "b"},
		{`{"all_tags":["y","z"]}`, "b"},
		{`{"any_tags":["x","z","no"]}`, "a b c"},
		{`{"any_tags":["x","y"],"tags":["z"]}`, "b"},
		{`{"min_importance":0.5}`, "b c d"},
		{`{"sort":"metadata.priority"}`, "b a c d"},
		{`{"sort":"-metadata.priority"}`, "c a b d"},
		{`{"sort":"-importance","max_results":3}`, "b d c"},
		{`{"sort":"-created"}`, "d c b a"},
		{`{"sort":"pinned"}`, "a c d b"},
		{`{"sort":"relevance","limit":1}`, "a"},
		{`{"sort":"-relevance","limit":1}`, "d"},
		{`{"since":"2027-01-01T00:00:00Z","until":"2028-01-01T00:00:00Z"}`, "a b c d"},
		{`{"until":"2027-01-01T00:00:00Z"}`, ""},
		{`{"where":{"colour":"x"}}`, `invalid: where: unknown field "colour"; it is one of id, key, key_stale, category, type, tags, importance, pinned, created, updated, expires, archived, revision, source.trust, source.road, source.uid, source.pid, source.exe, source.session, source.container, source.client, source.process, source.turns, source.job, metadata.NAME`},
		{`{"where":{"source.colour":"x"}}`, `invalid: where: unknown field "source.colour"`},
		{`{"where":{"metadata":"x"}}`, `invalid: where: unknown field "metadata"`},
		{`{"where":{"metadata.":"x"}}`, `invalid: where: unknown field`},
		{`{"where":{"content":"x"}}`, `invalid: where: unknown field "content"`},
		{`{"where":{"category.x":"x"}}`, `invalid: where: unknown field "category.x"`},
		{`{"where":{"category":[["x"]]}}`, `invalid: where: a value is`},
		{`{"where":{"metadata.at":{"day":"mon"}}}`, `invalid: where: a value is`},
		{`{"where":{"category":["` + strings.Repeat(`x","`, 1000) + `x"]}}`, `invalid: where and any_tags have 1001 values; at most 1000`},
		{`{"where":{"metadata` + strings.Repeat(".x", 16) + `":1}}`, ""},
		{`{"where":{"metadata` + strings.Repeat(".x", 17) + `":1}}`, `invalid: where: unknown field`},
		{`{"where":{` + manyFields(33) + `}}`, `invalid: where has 33 fields; at most 32`},
		{`{"where":{"metadata.x":1,"metadata.x":2}}`, `invalid: `},
		{`{"sort":"colour"}`, `invalid: sort: unknown field "colour"; it is one of relevance, id, key, key_stale, category, type, tags, importance`},
		{`{"sort":"-"}`, `invalid: sort: unknown field`},
		{`{"since":"yesterday"}`, `invalid: since must be a time`},
		{`{"min_importance":2}`, `invalid: min_importance must be from 0 to 1`},
		{`{"limit":-1}`, `invalid: max_results must be 0, for all, or more`},
		{`{"limit":2,"max_results":2}`, `invalid: give max_results or limit, not both`},
		{`{"tags":["x"],"all_tags":["y"]}`, `invalid: give tags or all_tags, not both`},
		{`{"cursor":"x"}`, `invalid: cursor: it is not the next of a reply`},
	} {
		got := keysOf(f.do(t, project, strings.Replace(`{"action":"list",`+tc.ask[1:], ",}", "}", 1)))
		if got != tc.want && (!strings.HasPrefix(tc.want, "invalid: ") || !strings.HasPrefix(got, tc.want)) {
			t.Errorf("%s\n got %s\nwant %s", tc.ask, got, tc.want)
		}
	}
	if r := f.do(t, project, `{"action":"get","id":"x","where":{"category":"x"}}`); !strings.Contains(r.Error, `field "where" has no meaning for get`) {
		t.Error(r.Error)
	}
}

// TestCursor: what a cursor must agree with, and that relevance is that of the first page.
func TestCursor(t *testing.T) {
	f := newStore(t, 5000, memory.OverflowError)
	for i := range 5 {
		f.do(t, project, fmt.Sprintf(`{"action":"add","key":"k%d","content":"%d","importance":%g}`, i, i, float64(i)/10))
	}
	for _, tc := range []struct{ ask, want string }{
		{`"limit":2`, "k3 k4, k1 k2, k0"}, // the newest page first, each in order of creation
		{`"max_results":2,"sort":"-key"`, "k4 k3, k2 k1, k0"},
		{`"limit":2,"sort":"-relevance"`, "k4 k3, k2 k1, k0"},
		{`"limit":2,"sort":"metadata.x"`, "k0 k1, k2 k3, k4"},
	} {
		var pages []string
		cursor := ""
		for range 3 {
			r := f.do(t, project, `{"action":"list",`+tc.ask+`,"cursor":"`+cursor+`"}`)
			pages = append(pages, keysOf(r))
			cursor = r.Next
			if *r.Count != 5 {
				t.Errorf("%s: count %d", tc.ask, *r.Count)
			}
		}
		if got := strings.Join(pages, ", "); got != tc.want || cursor != "" {
			t.Errorf("%s\n got %s, next %q\nwant %s", tc.ask, got, cursor, tc.want)
		}
	}
	next := f.do(t, project, `{"action":"list","sort":"key","limit":2,"all_tags":[]}`).Next
	raw, _ := base64.RawURLEncoding.DecodeString(next)
	forged := base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(string(raw), `"v":"k1"`, `"v":{"k1":[]}`, 1)))
	if got := keysOf(f.do(t, project, `{"action":"list","sort":"key","tags":[],"cursor":"`+forged+`"}`)); got != "" || forged == next {
		t.Errorf("behind what has no value there is %q", got)
	}
	other := memory.ScopeID{Scope: memory.ScopeProject, Owner: "/q"}
	for _, tc := range []struct {
		id        memory.ScopeID
		ask, want string
	}{
		{project, `"sort":"key","tags":[],"max_results":1`, "k2"}, // another size, the other name
		{project, `"sort":"-key","tags":[]`, "invalid: cursor: it belongs to another list"},
		{project, `"sort":"key","tags":["x"]`, "invalid: cursor: it belongs to another list"},
		{project, `"sort":"key","tags":[],"where":{"category":"x"}`, "invalid: cursor: it belongs to another list"},
		{other, `"sort":"key","tags":[]`, "invalid: cursor: it belongs to another list"},
	} {
		if got := keysOf(f.do(t, tc.id, `{"action":"list",`+tc.ask+`,"cursor":"`+next+`"}`)); !strings.HasPrefix(got, tc.want) {
			t.Errorf("%s: %s, want %s", tc.ask, got, tc.want)
		}
	}
}

var (
	someTags = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"x", "y", "z"}), 0, 3, rapid.ID)
	someWord = rapid.SampledFrom([]string{"", "a", "b"})
)

// drawFilter puts filters into a request, and returns what an entry has to be.
func drawFilter(rt *rapid.T, ask map[string]any) (keep []func(*memory.Entry) bool) {
	if rapid.Bool().Draw(rt, "by status") {
		want := rapid.SampledFrom([]any{nil, "active", "done", 1.0, 2.5, true}).Draw(rt, "wanted")
		ask["where"] = map[string]any{"metadata.status": want}
		keep = append(keep, func(e *memory.Entry) bool {
			switch has := e.Metadata["status"].(type) {
			case []any:
				return want == "active" || want == 1.0
			case map[string]any:
				return want == nil
			case int64:
				return want == float64(has)
			default:
				return want == has
			}
		})
	}
	if any := someTags.Draw(rt, "any"); len(any) > 0 {
		ask["any_tags"] = any
		keep = append(keep, func(e *memory.Entry) bool {
			return slices.ContainsFunc(e.Tags, func(s string) bool { return slices.Contains(any, s) })
		})
	}
	if all := someTags.Draw(rt, "all"); len(all) > 0 {
		ask["tags"] = all
		keep = append(keep, func(e *memory.Entry) bool {
			for _, s := range all {
				if !slices.Contains(e.Tags, s) {
					return false
				}
			}
			return true
		})
	}
	if c := someWord.Draw(rt, "only"); c != "" {
		ask["category"] = c
		keep = append(keep, func(e *memory.Entry) bool { return e.Category == c })
	}
	if rapid.Bool().Draw(rt, "important") {
		ask["min_importance"] = 0.5
		keep = append(keep, func(e *memory.Entry) bool { return e.Importance >= 0.5 })
	}
	return keep
}

// drawSort puts an order into a request, and returns it.
func drawSort(rt *rapid.T, ask map[string]any) func(a, b *memory.Entry) int {
	by := rapid.SampledFrom([]string{"created", "importance", "category", "metadata.status"}).Draw(rt, "sort")
	turned := rapid.Bool().Draw(rt, "turned")
	ask["sort"] = by
	if turned {
		ask["sort"] = "-" + by
	}
	rank := func(e *memory.Entry) (class int, number float64, text string) {
		var v any
		switch by {
		case "created":
			v = float64(e.Created.Unix())
		case "importance":
			v = e.Importance
		case "category":
			if v = e.Category; v == "" {
				v = nil
			}
		default:
			v = e.Metadata["status"]
		}
		switch v := v.(type) {
		case int64:
			return 0, float64(v), ""
		case float64:
			return 0, v, ""
		case string:
			return 1, 0, v
		case bool:
			return 2, map[bool]float64{true: 1}[v], ""
		}
		return math.MaxInt, 0, ""
	}
	return func(a, b *memory.Entry) int {
		ca, na, ta := rank(a)
		cb, nb, tb := rank(b)
		c := cmp.Or(cmp.Compare(ca, cb), cmp.Compare(na, nb), strings.Compare(ta, tb))
		if turned && ca != math.MaxInt && cb != math.MaxInt {
			c = -c
		}
		return cmp.Or(c, strings.Compare(a.ID, b.ID))
	}
}

// TestListModel holds random lists, read to their end by pages while others change what
// is there, against a filter and an order that are written as plainly as can be.
func TestListModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := newStore(t, 1<<20, memory.OverflowError)
		status := rapid.SampledFrom([]any{nil, "active", "done", 1, 2.5, true, false, []any{"active", 1}, map[string]any{"x": 1}})
		add := func() string {
			request := map[string]any{"action": "add", "content": "text", "importance": rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(rt, "importance"), "tags": someTags.Draw(rt, "tags")}
			if s := status.Draw(rt, "status"); s != nil {
				request["metadata"] = map[string]any{"status": s}
			}
			if c := someWord.Draw(rt, "category"); c != "" {
				request["category"] = c
			}
			raw, _ := json.Marshal(request)
			return f.do(t, project, string(raw)).ID
		}
		var all []string
		for range rapid.IntRange(0, 30).Draw(rt, "entries") {
			all = append(all, add())
		}
		ask := map[string]any{"action": "list"}
		keep, compare := drawFilter(rt, ask), drawSort(rt, ask)
		v, err := f.Reader(project).Load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want := slices.DeleteFunc(slices.Clone(v.Entries), func(e *memory.Entry) bool {
			return slices.ContainsFunc(keep, func(test func(*memory.Entry) bool) bool { return !test(e) })
		})
		slices.SortFunc(want, compare)

		gone := map[string]bool{}
		var got []string
		size := rapid.IntRange(1, 10).Draw(rt, "size")
		for cursor := ""; ; {
			ask["cursor"], ask["max_results"] = cursor, size
			raw, _ := json.Marshal(ask)
			r := f.do(t, project, string(raw))
			if !r.OK {
				rt.Fatalf("%s: %s", raw, r.Error)
			}
			for _, e := range *r.Entries {
				if slices.Contains(all, e.ID) { // others may be seen or not
					got = append(got, e.ID)
				}
			}
			if cursor = r.Next; cursor == "" {
				break
			}
			if rapid.Bool().Draw(rt, "add") {
				add()
			}
			if id := rapid.SampledFrom(all).Draw(rt, "remove"); rapid.Bool().Draw(rt, "whether") && !gone[id] {
				gone[id] = true
				f.do(t, project, `{"action":"remove","id":"`+id+`"}`)
			}
		}
		stayed := func(ids []string) []string {
			return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return gone[id] })
		}
		var ids []string
		for _, e := range want {
			ids = append(ids, e.ID)
		}
		if got, want := stayed(got), stayed(ids); !slices.Equal(got, want) {
			rt.Fatalf("%v\n got %v\nwant %v", ask, got, want)
		}
	})
}
